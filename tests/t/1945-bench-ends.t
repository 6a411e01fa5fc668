# What a measurement has started ends with it, whatever ends it: who no longer reads
# what it says, a signal, or one that it cannot hear.
# limit: 60
# shellcheck disable=SC2016 # evaluated later
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3 unshare

bench()         # its pid is in $bench, in a directory of its own below $TMPDIR
{
    RUNS=1 SIZES='1 1' exec sh "$top/tests/bench/move.sh" "$build" >"$1" 2>"$T/err" </dev/null &
    bench=$!
}
left()          # processes of measurements
{
    grep -lsz "^HECTOR_T=$TMPDIR/hct-" /proc/[0-9]*/environ
}
gone()          # DESCRIPTION
{
    if wait_for '[ -z "$(left)" ]'; then
        pass "$1"
    else
        fail "$1" "$(for f in $(left); do tr '\0' ' ' <"${f%environ}cmdline"; echo; done)"
    fi
    rm -rf "$TMPDIR"/hct-*
}

mkfifo "$T/pipe"
exec 8<>"$T/pipe"
bench "$T/pipe" 8<&-
read -r line <"$T/pipe"
case $line in 1..0*) skip_all "${line#*SKIP }" ;; esac
exec 8<&-
status=0
wait $bench || status=$?
is "$status ${line%%:*}" '141 move of 1 MB' 'it ends when nobody reads on'
gone '... and leaves nobody'

for signal in HUP TERM KILL; do
    bench "$T/out"
    wait_for 'grep -qs listens "$TMPDIR"/hct-*/sender.log'
    kill -$signal $bench
    wait $bench 2>/dev/null
    gone "nor when it is ended by SIG$signal"
done
done_testing
