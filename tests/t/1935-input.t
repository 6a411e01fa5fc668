# Tasks that read standard input move: each has every byte once, in order, whatever it
# had left unread, whoever writes, and whenever the end comes.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3
. "$top/tests/lib/intake.sh"

begin()         # TASKS WORD...: of hector-run, with the words of $more for the program
{               # and standard input from $input; they run when it is back
    tap_tasks=$1
    shift
    fresh job.out
    rm -f "$T/go" "$T/last" "$T/copy".*
    hector-run --launch-agent "$AGENT" -H n1:2,n2:2 --oversubscribe --migratable -n $tap_tasks \
        "$@" "$build/apps/intake" "$T/copy" $more <"$input" >"$T/job.out" \
        2>"$T/job.err" 8<&- 9<&- &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/job.out")" = $tap_tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
moved()         # DESCRIPTION TARGET NODE
{
    run hector migrate "$job.$2" "$3"
    is "$status $(grep -c "on $3 now" "$T/out")" '0 1' "$1"
    cat "$T/err" >&2
}
# ------------------------------------------------------------- what is in the pipe
seq 1 1000000 | head -c 3000000 >"$T/large"
head -c 5000 "$T/large" >"$T/small"
more="stop=1234,$T/go"
input=$T/large
begin 2
has_read 0 1234
moved 'a task moves whose pipe is full' 0 n2
moved '... and back, and has read nothing' 0 n1
moved '... and once more' 0 n2
: >"$T/go"
finish '... it has every byte once' "$T/large" 0
input=$T/small
begin 2
has_read 0 1234
moved 'one whose pipe has the end in it' 0 n2
moved '... and back' 0 n1
: >"$T/go"
finish '... has every byte, and the end' "$T/small" 0
more="stop=5000,$T/go"
begin 2
has_read 0 5000
moved 'one that has read all, and not seen the end' 0 n2
: >"$T/go"
finish '... sees it there' "$T/small" 0

# ------------------------------------------------- a slow writer, and one that waits
mkfifo "$T/input"
input=$T/input
feed()          # TASKS WORD...: a job that reads what is written to 9
{
    : >"$T/written"
    exec 8<>"$T/input"          # so that opening it waits for nobody
    begin "$@"
    exec 9>"$T/input" 8<&-
}
written=0
write_more()    # BYTES: so many more
{
    tail -c +$((written + 1)) "$T/large" | head -c $1 >"$T/piece"
    cat "$T/piece" >&9
    cat "$T/piece" >>"$T/written"
    written=$((written + $1))
}
for how in '' thread; do
    written=0
    more="last=$T/last $how"
    feed 3
    for i in 1 2 3; do
        write_more 777
        has_read 0 $written
        moved "one that waits for input${how:+ in a thread}, move $i" 0 n$((2 - (i + 1) % 2))
    done
    write_more 100000
    moved '... while there is much' 0 n1
    write_more 10
    hector migrate "$job.0" n2 >"$T/out" 2>"$T/err" 9>&- &
    asked=$!
    exec 9>&-
    status=0
    wait $asked || status=$?
    is "$status" 0 '... and while the end comes'
    cat "$T/err" >&2
    : >"$T/last"
    finish '... it has all that was written' "$T/written" 0
done

# The image knows what had been read when it was made: a thread goes on until all of
# the old process ends.
input=$T/large
more="last=$T/last thread slow"
begin 2
moved 'a thread that reads meanwhile' 0 n2
moved '... and once more' 0 n1
: >"$T/last"
finish '... has every byte' "$T/large" 0

# Whenever it moves: somewhere in 600 pieces.
input=$T/input
more="last=$T/last"
written=0
feed 2
sh -c 'i=0; while [ $i -lt 600 ]; do
    tail -c +$((i * 500 + 1)) "$1" | head -c 500; i=$((i + 1)); sleep 0.005; done' - \
    "$T/large" >&9 &
writer=$!
exec 9>&-
for i in 1 2 3 4 5 6; do
    moved "while somebody writes, move $i" 0 n$((2 - (i + 1) % 2))
done
wait $writer
: >"$T/last"
head -c 300000 "$T/large" >"$T/written"
finish '... and nothing is lost' "$T/written" 0

# ------------------------------------------------------------------- all read it
more="stop=1000,$T/go more=100000,$T/go"
input=$T/large
begin 4 --stdin all
has_read 0 1000
for r in 1 2 3; do has_read $r 100000; done
moved 'one of many that read, which is the last' 0 n2
moved '... two others' 2-3 n1
moved '... and two that differ' 1,3 n2
: >"$T/go"
finish '... each has every byte' "$T/large" 0 1 2 3

# --------------------------------------------------------------- it is given up
more="stop=1234,$T/go child"
begin 2 --stdin all
has_read 0 1234
run hector migrate "$job.0-1" n2
is "$status $(grep -c 'nothing was moved, the job goes on: task 1' "$T/err")" '1 1' \
    'a move that is given up'
cat "$T/err" >&2
: >"$T/go"
finish '... loses nothing' "$T/large" 0 1

# ------------------------------------------------------------- who reads no more
more='close=5000'
input=$T/input
written=0
feed 2
write_more 1000
has_read 0 1000
moved 'one that is to close its input moves' 0 n2
write_more 4000
has_read 0 5000
trap '' PIPE
ok 'whoever writes hears that it has closed it' \
    wait_for '! printf x 2>/dev/null >&9'
trap - PIPE
exec 9>&-
finish '... and it ends' "$T/written" 0

done_testing
