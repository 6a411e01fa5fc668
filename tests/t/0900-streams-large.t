# Streams under load: much data, odd sizes, readers that leave early, writers
# that never end, and the last words of tasks that crash.
# limit: 60
. "${0%/*}/../lib/t.sh"

stream="$APPS/stream"
run_memory()    # NAME PID resident-kB of each of Hector's processes
{
    for p in $(t_processes); do
        case $(cat "/proc/$p/comm") in
        hector-*) awk -v pid="$p" '/^Name/ { name = $2 }
            /^VmRSS/ { print name, pid, $2 }' "/proc/$p/status" ;;
        esac
    done 2>/dev/null | sort
}

# ---------------------------------------------------------------- all of it
is "$(seq 1000000 | hector-run -n 1 sort -n | md5sum)" \
    "$(seq 1000000 | md5sum)" 'a million lines through sort'
head -c 256000000 /dev/urandom >"$T/data"
ok '256 MB of random bytes through cat' sh -c \
    "hector-run -n 1 cat <'$T/data' | cmp - '$T/data'"
ok '... from a pipe into a file' sh -c \
    "cat '$T/data' | hector-run -n 1 cat >'$T/copy' && cmp '$T/copy' '$T/data'"
rm -f "$T/copy"

# The size of a pipe, of a reading and of the credit, and one more or less.
for n in 65535 65536 65537 131072 131073 262143 262144 262145; do
    { head -c $((n - 1)) "$T/data"; echo; } >"$T/some"
    hector-run -n 2 --stdin all "$stream" cat <"$T/some" 2>"$T/err" |
        wc -c >"$T/out"
    is "$(out) $(sort -u "$T/err")" "$((2 * n)) $n bytes" \
        "$n bytes to two tasks"
done
rm -f "$T/data"

# ----------------------------------------------------- readers that leave
# yes is told by SIGPIPE that nobody reads, and so does not run for ever.
{ timeout 100 yes; echo $? >"$T/yes"; } | hector-run -n 1 sleep 1
is "$(cat "$T/yes")" 141 'a task that never reads: who writes to it ends'
head -c 10000000 /dev/zero | hector-run -n 1 true
is $? 0 'a task that ends without reading'
{ timeout 100 yes; echo $? >"$T/yes"; } |
    { hector-run -n 1 cat; echo $? >"$T/status"; } | head -n 1 >"$T/out"
is "$(out) $(cat "$T/status") $(cat "$T/yes")" 'y 141 141' \
    'cat | head -1 ends all three as in a shell'
{ hector-run -n 4 --oversubscribe -l yes; echo $? >"$T/status"; } 2>"$T/err" |
    head -n 1 >"$T/out"
is "$(cat "$T/status") $(cat "$T/err")" '141 ' \
    '... four tasks with labels too, without a word'
hector-run -n 1 echo hello >&- 2>"$T/err"
ok 'closed standard output is no success' [ $? -ne 0 ]
like "$T/err" '^hector: .*standard output' '... and is told'
hector-run -n 1 true >&- 2>"$T/err" <&-
is "$?$(cat "$T/err")" 0 '... but only if something was written to it'
if [ -c /dev/full ]; then
    run sh -c "hector-run -n 1 echo hello >/dev/full"
    ok 'a full device is no success' [ "$status" -ne 0 ]
    like "$T/err" '^hector: .*No space' '... and is told'
fi

# ------------------------------------------------------------------ labels
# A task writes its lines in blocks of 4096 bytes, in the middle of lines.
run hector-run -n 4 --oversubscribe -l "$stream" lines 20000
is "$(wc -l <"$T/out") $(grep -cvE '^([0-3]): rank \1 line [0-9]+$' "$T/out")" \
    '80000 0' 'no label in the middle of a line'
run hector-run -n 4 --oversubscribe -l sh -c '
    head -c 900000 /dev/zero | tr "\0" "$HECTOR_RANK"; echo'
is "$(awk '{ rank = substr($0, 1, 1); sub(/^[0-3]: /, ""); n = length($0)
    print rank, n, gsub(rank, "") }' "$T/out" | sort | tr '\n' ,)" \
    '0 900000 900000,1 900000 900000,2 900000 900000,3 900000 900000,' \
    'lines of 900 kB stay whole'
# The line is finished when its beginning has been seen, or never.
hector-run -n 1 -l sh -c 'printf abc
    until [ -e "$1" ]; do sleep 0.02; done; echo def' - "$T/seen" |
    { head -c 6 >"$T/first"; : >"$T/seen"; cat >"$T/rest"; }
is "$(cat "$T/first")" '0: abc' 'an unfinished line appears, with its label'
is "$(cat "$T/rest")" def '... and gets no second one'

# ------------------------------------------------------------------ memory
flat()          # does none of them grow any more, in 2 s?
{
    run_memory | grep -v judge >"$T/early"      # who may come between
    sleep 2
    run_memory | grep -v judge >"$T/late"
    paste -d ' ' "$T/early" "$T/late" | awk '
        { print "# " $1 ": " $3 " kB, " $6 " kB" }
        $2 != $5 || $6 >= $3 + 2048 || $6 >= 65536 { print $1 }' >"$T/grown"
    ! grep -v '^#' "$T/grown"
}
for how in '' -l; do
    # shellcheck disable=SC2086 # no word if empty
    hector-run -n 64 --oversubscribe $how yes 'a line of some length' |
        (until [ -e "$T/enough" ]; do sleep 0.02; head -c 4096; done >"$T/out") &
    wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
        grep -q running'
    sleep 1
    wait_for 'flat >&2'                      # when all pipes are full
    grep '^#' "$T/grown"
    is "$(awk '{ print $1 }' "$T/late" | uniq | tr '\n' ' ')" \
        'hector-master hector-run hector-slave ' \
        "64 tasks write for ever into a slow pipe${how:+, with labels}"
    is "$(grep -v '^#' "$T/grown")" '' '... memory stays flat, of each process'
    : >"$T/enough"
    wait
    rm "$T/enough"
done

# -------------------------------------------------------------- last words
i=0 lost=0
while [ $i -lt 100 ]; do
    run hector-run -n 2 sh -c 'printf "out $HECTOR_RANK"; echo err >&2
        kill -SEGV $$'
    i=$((i + 1))
    case $status,$(cat "$T/out") in
    139,*"out 0"* | 139,*"out 1"*) ! grep -q '^err$' "$T/err" || continue ;;
    esac
    lost=$((lost + 1))
    { echo "round $i: status $status"; cat "$T/out" "$T/err"; } | sed 's/^/# /'
done
is $lost 0 '100 times: what a task wrote before it crashed arrives'
done_testing
