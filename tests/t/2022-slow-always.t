# The policy slow watches jobs that name no policy, with its usual parameters.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

said()
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND policy = 'slow' AND
        kind = 'slowdown'" 2>/dev/null || echo 0
}
order() { echo "$*" >"$T/order.new" && mv "$T/order.new" "$T/order"; }

fresh out
hector-run --oversubscribe -n 3 "$APPS/paced" 10 "$T/order" >"$T/out" 2>"$T/err" </dev/null &
runner=$!
job_runs
wait_for '[ "$(looks)" -ge 120 ]'        # how it is while all is well
order slow 4 2 2
wait_for '[ "$(said)" -gt 0 ]'
order end
status=0
wait $runner || status=$?
is "$status" 0 'the job ends as usual'
is "$(sql "SELECT DISTINCT ranks FROM verdicts WHERE job = $job AND policy = 'slow' AND
    kind = 'slowdown'")" 2 'who is slow is named, whatever policies were named'
like "$T/err" "^hector: job $job is slow .*task 2 computes" '... and said'
done_testing
