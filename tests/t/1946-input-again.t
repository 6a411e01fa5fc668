# Another hector-run goes on in the middle of standard input, by a pipe too: the same
# bytes are given again, and what tasks have read of them is compared and passed over.
# limit: 60
# shellcheck disable=SC2002,SC2016,SC2086 # pipes are meant; evaluated later; words
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3
. "$top/tests/lib/intake.sh"

tasks=2
D=$T/saved
saved()         # WORD...: of hector-run: a job of which there is a checkpoint, and that
{               # is ended after it; standard input from stdin
    fresh job.out
    rm -f "$T/go" "$T/last"
    exec 7<&0               # what is in the background has another one
    hector-run --oversubscribe -n $tasks "$@" "$build/apps/intake" "$T/copy" $more <&7 \
        7<&- >"$T/job.out" 2>"$T/job.err" &
    runner=$!
    exec 7<&-
    wait_for '[ "$(grep -c begun "$T/job.out")" = $tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
    has_read 0 $at
    hector checkpoint "$job" >&2
    hector kill "$job" >&2
    wait $runner
    : >"$T/go"
}
again()         # WORD...: standard input from stdin
{
    status=0
    timeout 200 hector-run --oversubscribe --restart "$D" "$@" <&0 >"$T/out" 2>"$T/err" ||
        status=$?
    cat "$T/err" >&2
    echo $status >"$T/status"
}
seq 1 200000 >"$T/large"
tr 1 2 <"$T/large" >"$T/another"
head -c 1000 "$T/large" >"$T/short"
more="stop=1234,$T/go"
at=1234

cat "$T/large" | saved --checkpoint-dir "$D"
cat "$T/short" | again
is "$(cat "$T/status") $(grep -c 'standard input ends after 1000 bytes, and tasks had read 1234' \
    "$T/err")" '125 1' 'not by a pipe that ends too early'
cat "$T/another" | again
is "$(cat "$T/status") $(grep -c 'standard input is another one: bytes 0 to 65536' \
    "$T/err") $(grep -c '^got' "$T/out")" '125 1 0' '... nor by another one'
again <"$T/another"
is "$(cat "$T/status") $(grep -c 'standard input is another one: bytes 0 to 65536' \
    "$T/err")" '2 1' '... nor from another file, which is seen at once'
cat "$T/large" | again --checkpoint-dir "$T/next"
cmp "$T/copy.0" "$T/large" >&2 || echo 'not all' >"$T/status"
is "$(cat "$T/status")" 0 'the same by a pipe goes on in the middle'
is "$(ls -I lock "$T/next")" '' '... and leaves nothing where it has saved nothing'
again <"$T/large"
cmp "$T/copy.0" "$T/large" >&2 || echo 'not all' >"$T/status"
is "$(cat "$T/status")" 0 '... and from a file'
rm -rf "$D"

# --------------------------------------------------------- again, and once more
more="stop=100000,$T/go"
at=100000
saved --checkpoint-dir "$D" <"$T/large"
rm "$T/go"
mkfifo "$T/input"
exec 8<>"$T/input"
hector-run --oversubscribe --restart "$D" --checkpoint-dir "$D" --stdin 0 <"$T/input" \
    >"$T/job.out" 2>"$T/job.err" 8<&- &
runner=$!
exec 9>"$T/input" 8<&-
head -c 300000 "$T/large" >&9
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE state = '"'running'"'")" = 1 ]'
job=$(sql 'SELECT max(job) FROM jobs')
: >"$T/go"
has_read 0 300000
hector checkpoint "$job" >&2
hector kill "$job" >&2
exec 9>&-
wait $runner
cat "$T/another" | again
is "$(cat "$T/status") $(grep -c 'standard input is another one: bytes 0 to 65536' \
    "$T/err")" '125 1' 'what the next one has read is known, too'
cat "$T/large" | again
cmp "$T/copy.0" "$T/large" >&2 || echo 'not all' >"$T/status"
is "$(cat "$T/status")" 0 '... and goes on by a pipe again'
rm -rf "$D"

# ------------------------------------------------------------- all of it, or none
more="stop=0,$T/go"
at=0
cat "$T/large" | saved --checkpoint-dir "$D"
again </dev/null
is "$(cat "$T/status") $(grep -c '^end 0 0$' "$T/out")" '0 1' \
    'tasks that had read none of it need nothing'
cat "$T/another" | again
cmp "$T/copy.0" "$T/another" >&2 || echo 'not all' >"$T/status"
is "$(cat "$T/status")" 0 '... and may be given something else'
done_testing
