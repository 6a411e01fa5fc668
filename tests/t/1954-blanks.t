# Tasks move to another host, and on, where Hector lies in a folder with blanks: what
# leads a loader there on one host is not on the next one.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # the tasks' shells expand; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3

mkdir -p "$T/with blanks/my build"
cp -r "$BIN" "$build/lib" "$T/with blanks/my build/"
BIN="$T/with blanks/my build/bin" PATH="$T/with blanks/my build/bin:$PATH"
export BIN PATH

R="hector-run --launch-agent $AGENT"
. "$top/tests/lib/rounds.sh"
tasks=4
begin -H n1:2,n2:2,n3:2 --oversubscribe --migratable
for node in n2 n3 n1; do
    run hector migrate "$job.1" $node
    is "$status $(sql "SELECT node FROM tasks WHERE job = $job AND rank = 1")" "0 $node" \
        "a task goes to $node"
    cat "$T/err" >&2
done
finish
is "$status $(grep -c 'wrong 0' "$T/rounds.out")" '0 4' '... and all goes on as it should'
done_testing
