# The policy outlier: a task whose processor others use is slow, and not odd: its node
# has too much to do, which is said, and how much of a processor it has.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 taskset
[ -r /proc/self/schedstat ] || skip_all 'the kernel does not count who waits for a processor'
# shellcheck disable=SC2046 # two words
set -- $(taskset -pc $$ | sed 's/.*: //' | tr , '\n' |
    awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
[ $# -ge 2 ] || skip_all 'there is one processor only'
own=$1 others=$2

# Task 2 alone has a processor, and shares it with four that only burn it, and go before
# it; the three others have one together.
cat >"$T/pinned" <<'EOF'
#!/bin/sh
own=$1 others=$2
shift 2
[ "$HECTOR_RANK" = 2 ] && exec nice -n 10 taskset -c "$own" "$@"
exec taskset -c "$others" "$@"
EOF
chmod +x "$T/pinned"
i=0
burners=
while [ $i -lt 4 ]; do
    taskset -c "$own" sh -c 'while :; do :; done' &
    burners="$burners $!"
    i=$((i + 1))
done
fresh out
KERNEL_ROUNDS=100000000 hector-run -n 4 --oversubscribe --policy none \
    --policy outlier:every=0.5,least=0.2 "$T/pinned" "$own" "$others" \
    "$APPS/stencil" 1500 >"$T/out" 2>"$T/err" </dev/null &
runner=$!
job_runs
told="^hector: job $job is out of balance, overloaded: task 2: task 2 is slower than 3 \
others like it .* as its node has too much to do: it was kept from a processor for [^ ]+ ?\
[a-z]*, and has one for [0-9.]+ % of the time that it wants one, they for [0-9.]+ %"
# On a busy machine another one may be kept from his for a while before.
wait_for 'grep -Eq "$told|unlike" "$T/err"'
# shellcheck disable=SC2086 # words
kill $burners
kill $runner
wait $runner || :
# shellcheck disable=SC2086
wait $burners 2>/dev/null || :
like "$T/err" "$told" 'a task that was kept from its processor, and how'
is "$(grep -c unlike "$T/err")" 0 '... is not odd'
is "$(sql "SELECT group_concat(DISTINCT policy || ' ' || kind || ' ' || ranks)
    FROM verdicts WHERE job = $job AND (kind <> 'imbalance' OR ranks = '2')")" \
    'outlier imbalance 2' '... in the view of verdicts'
run hector why "$job"
like "$T/out" '^  task 2 on [^ ]+: had a processor for .*, and was kept from one for .*' \
    '... and hector why has both times'
run hector replay "$job" --policy outlier:every=0.5,least=0.2
like "$T/out" 'task 2 is slower .* as its node has too much to do' '... as a replay finds'
run hector replay "$job" --policy outlier:every=0.5,least=0.2
is "$(grep -c 'has tasks unlike' "$T/out")" 0 '... who finds nobody odd either'
done_testing
