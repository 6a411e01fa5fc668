# Tasks that read standard input are saved, and go back to where they were in it: what
# they had read since comes again, from a pipe, too; another hector-run needs the file.
# limit: 60
# shellcheck disable=SC2016,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3
. "$top/tests/lib/intake.sh"

tasks=2
D=$T/saved
more=
begin()         # WORD...: of hector-run, with the words of $more for the program and
{               # standard input from $input; they run when it is back
    fresh job.out
    rm -f "$T/go" "$T/last"
    hector-run --oversubscribe --checkpoint-dir "$D" -n $tasks "$@" "$build/apps/intake" \
        "$T/copy" $more <"$input" >"$T/job.out" 2>"$T/job.err" 8<&- 9<&- &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/job.out")" = $tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
saved()         # DESCRIPTION
{
    run hector checkpoint "$job"
    is "$status" 0 "$1"
    cat "$T/err" >&2
}
goes_back()     # as its task 1 is killed; its Nth life
{
    kill -9 "$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")"
    wait_for "[ \"\$(sql \"SELECT count(*) FROM transition WHERE job = $job AND
        machine = 'job' AND event = 'launched'\")\" = $1 ]"
}
seq 1 1000000 >"$T/large"
head -c 3000 "$T/large" >"$T/small"

# --------------------------------------------------------------------- from a pipe
mkfifo "$T/input"
input=$T/input
feed()          # WORD...: a job that reads what is written to 9
{
    : >"$T/written"
    exec 8<>"$T/input"
    begin "$@"
    exec 9>"$T/input" 8<&-
}
write_more()    # FROM BYTES
{
    tail -c +$(($1 + 1)) "$T/large" | head -c $2 >&9
}
more="last=$T/last"
feed
write_more 0 1000
has_read 0 1000
saved 'a task that waits for input is saved'
write_more 1000 2000
has_read 0 3000
goes_back 2
write_more 3000 2000
has_read 0 5000
is "$(find "$D" -name '.*' -mindepth 1)" '' 'it goes back, and reads on; what is kept has no name'
hector suspend --to-disk "$job" >&2
wait_for "[ \"\$(sql 'SELECT state FROM jobs WHERE job = $job')\" = stored ]"
write_more 5000 1000
hector resume "$job" >&2
has_read 0 6000
exec 9>&-
has_read 0 6000
wait_for 'grep -q "^end 0" "$T/job.out"'
goes_back 4
: >"$T/last"
head -c 6000 "$T/large" >"$T/written"
finish 'it is suspended to disk, goes back from the end, and has every byte' "$T/written" 0
rm -rf "$D"

more="stop=1234,$T/go more=90000,$T/go last=$T/last"
feed --stdin all
cat "$T/large" >&9 &
writer=$!
exec 9>&-
has_read 0 1234
has_read 1 90000
saved 'tasks that are far apart are saved'
: >"$T/go"
wait $writer
wait_for 'grep -q "^end 0" "$T/job.out"'
goes_back 2
: >"$T/last"
finish '... and read again more than is in memory' "$T/large" 0 1
rm -rf "$D"

# -------------------------------------------------------------------- from a file
more="stop=1234,$T/go last=$T/last"
input=$T/large
begin
has_read 0 1234
saved 'one that reads a file is saved'
: >"$T/go"
wait_for 'grep -q "^end 0" "$T/job.out"'
goes_back 2
hector kill "$job" >&2
wait $runner
run_from()      # FILE WORD...: run reads /dev/null
{
    tap_from=$1
    shift
    status=0
    hector-run --oversubscribe --restart "$D" "$@" <"$tap_from" >"$T/out" 2>"$T/err" ||
        status=$?
    cat "$T/err" >&2
}
: >"$T/last"
head -c 1000 "$T/large" >"$T/short"
for file in /dev/null "$T/short"; do
    run_from "$file"
    is "$status $(grep -c 'read standard input up to byte 1234' "$T/err")" '2 1' \
        "another hector-run wants the file, not ${file##*/}"
done
run_from "$T/large" --stdin none
is "$status $(grep -c '^end 0 1234$' "$T/out")" '0 1' '... or that nobody reads'
run_from "$T/large"
cmp "$T/copy.0" "$T/large" >&2 || status="$status, not all"
is "$status" 0 '... and goes on in the middle of it'
rm -rf "$D"
more="stop=3000,$T/go last=$T/last"
input=$T/small
begin
has_read 0 3000
: >"$T/go"
wait_for 'grep -q "^end 0" "$T/job.out"'
saved 'one that has come to the end'
hector kill "$job" >&2
wait $runner
: >"$T/last"
run_from /dev/null
cmp "$T/copy.0" "$T/small" >&2 || status="$status, not all"
is "$status" 0 '... needs no file'

done_testing
