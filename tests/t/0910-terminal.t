# At a terminal: Ctrl-C once and twice, Ctrl-Z and fg, jobs in the background,
# a terminal that goes away. Each runs in a terminal of its own.
# limit: 60
. "${0%/*}/../lib/t.sh"

# at_terminal COMMAND...: in the background, its screen in $T/screen; what is
# written to descriptor 9 is typed.
at_terminal()
{
    rm -f "$T/keys"
    mkfifo "$T/keys"
    fresh screen
    "$APPS/terminal" "$@" <"$T/keys" >"$T/screen" 2>"$T/err" &
    at=$!
    exec 9>"$T/keys"
}
# shellcheck disable=SC2059 # escapes are meant
keys() { printf "$1" >&9; }
shown() { wait_for "grep -q '$1' '$T/screen'"; }
both() { wait_for "[ \"\$(grep -c '$1' '$T/screen')\" -ge 2 ]"; }
leave()         # until the command has ended; $status
{
    status=0
    wait $at || status=$?
    exec 9>&-
}
now() { echo $(($(date +%s%N) / 1000000)); }

# ------------------------------------------------------------------- Ctrl-C
at_terminal hector-run -n 2 sh -c 'trap "echo got-int; exit 0" INT
    echo here; while :; do sleep 0.1; done'
both here
keys '\003'
leave
is "$status" 130 'Ctrl-C: status 130'
is "$(grep -c got-int "$T/screen")" 2 '... it arrives as INT'
like "$T/screen" 'hector: interrupted' '... and is told'
is "$(cat "$T/err")" '' '... and the terminal is as it was'
is "$(sql 'SELECT state FROM jobs')" killed '... the record knows'

at_terminal hector-run -n 2 sh -c 'trap "" INT TERM
    echo here; while :; do sleep 0.1; done'
both here
keys '\003'
shown 'once more kills'
ok 'Ctrl-C for tasks that ignore it: they are left some time' kill -0 $at
a=$(now)
keys '\003'
leave
echo "# $(($(now) - a)) ms"
is "$status" 130 'Ctrl-C twice ends them: status 130'

# ------------------------------------------------------------ Ctrl-Z and fg
states()        # of the tasks' processes, "T" if all are stopped
{
    for p in $(t_processes); do
        grep -q '^ticking' "/proc/$p/cmdline" &&
            sed 's/^.*) \(.\).*/\1/' "/proc/$p/stat"
    done 2>/dev/null | sort -u | tr -d '\n'
}
cp "$(command -v sleep)" "$T/ticking"
at_terminal env PS1='ready> ' PATH="$T:$PATH" sh -i
shown ready
keys 'hector-run -n 2 ticking 100\n'
ok 'a job in front runs' wait_for '[ "$(states)" = S ]'
keys '\032'
ok 'Ctrl-Z stops its tasks' wait_for '[ "$(states)" = T ]'
ok '... and hector-run, so the shell is back' shown Stopped
keys 'fg\n'
ok 'fg continues them' wait_for '[ "$(states)" = S ]'
keys '\003'
ok '... and Ctrl-C ends them' wait_for '[ -z "$(states)" ]'

# ------------------------------------------------------------- background
keys 'hector-run -n 1 cat >"$T/cat" &\n'
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q running'
i=0
while [ $i -lt 20 ]; do
    keys "echo line $i >>\"\$T/typed\"\n"
    i=$((i + 1))
done
ok 'a job in the background leaves what is typed to the shell' \
    wait_for '[ "$(wc -l <"$T/typed")" = 20 ]'
is "$(cat "$T/cat")" '' '... has nothing of it'
keys 'jobs\n'
ok '... and is not stopped for it' shown '1. + Running'
keys 'fg\n'
sleep 0.3
keys 'for the job\n'
ok 'in front it gets what is typed' \
    wait_for 'grep -qx "for the job" "$T/cat"'
keys '\004'
ok '... up to Ctrl-D' wait_for '[ -z "$(t_processes | while read -r p; do
    grep -l hector-run /proc/$p/comm; done)" ]'
keys 'hector-run -n 2 -l echo a word &\n'
ok 'a job in the background may write' shown '1: a word'
keys 'wait; exit 0\n'
leave
is "$status" 0 'the shell ends well'

# ----------------------------------------------------------------- hang-up
PATH=$T:$PATH
at_terminal hector-run -n 2 ticking 100
wait_for '[ "$(states)" = S ]'
kill -KILL $at
ok 'when the terminal goes away the job ends' \
    wait_for '[ -z "$(states)" ]'
exec 9>&-
wait
done_testing
