# Tasks are compared in each phase of the program when it is over: in each of three
# that come again and again another task is slow, and it is that one that is named,
# live, in the record, and by whoever asks about a phase.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3

policy=outlier:every=0.2,least=0.05

# Verdicts of a phase: the number of each, and who is named.
in_phases()
{
    sql "SELECT CAST(substr(why, instr(why, ' in phase ') + 10) AS INTEGER) AS p,
        ranks FROM verdicts WHERE job = $job AND kind = 'outlier' AND
        why LIKE '% in phase %'" 2>/dev/null
}
# Of which of the three phases is somebody named?
kinds()
{
    in_phases | cut -d '|' -f 1 | while read -r p; do
        [ "$p" -gt 0 ] && echo $(((p - 1) % 3 + 1))
    done | sort -u | tr -d '\n'
}

begin env KERNEL_ROUNDS=1000000 hector-run -n 8 --oversubscribe --phase pcontrol \
    --policy none --policy $policy \
    --inject rank=1,call=MPI_Sendrecv_replace:5,fault=slow-after,time=5ms \
    --inject rank=2,call=MPI_Allreduce:5,fault=slow-after,time=5ms \
    --inject rank=3,call=MPI_Bcast:5,fault=slow-after,time=5ms \
    "$APPS/phases" 100
ok 'somebody is odd in each of the phases' wait_for '[ "$(kinds)" = 123 ]'
is "$(in_phases | awk -F'|' '$1 > 0 && $2 != ($1 - 1) % 3 + 1')" '' \
    '... in each the one that is slow there'

# ------------------------------------------------------------- a phase, asked for
# The last one that is over is known for as long as the next one lasts. In one of few
# rounds a busy machine may have made another task the slowest.
asked()
{
    phase=$(hector model "$job" --phases 2>"$T/why" |
        awk '$1 ~ /^[0-9]+$/ { print $1 }' | sort -n | tail -n 2 | head -n 1)
    [ "${phase:-0}" -gt 0 ] &&
        hector why "$job" --outliers --phase "$phase" >"$T/now" 2>"$T/why" &&
        grep -Eq "^polish +1 +$(((phase - 1) % 3 + 1)) " "$T/now"
}
ok 'a phase may be asked about' wait_for asked
like "$T/now" "^job $job at .*, in phase $phase, since [0-9]" \
    '... and it is said when that began'
like "$T/now" "^polish +1 +$(((phase - 1) % 3 + 1)) " '... and who is slow in it'

ok '... those before it together' wait_for 'hector why "$job" --outliers \
    --phase earlier >"$T/now" 2>"$T/why"'
like "$T/now" "^job $job at .*, in earlier phases, since [0-9]" '... which are named so'
is "$(sql "SELECT count(*) FROM outliers o JOIN jobs j USING (job) WHERE o.job = $job
    AND phase IS NOT NULL AND (since_ns < j.started_ns OR since_ns >= at_ns)")" 0 \
    '... and began when the job had'

# --------------------------------------------------------------- the last time
ok 'so may the last time' wait_for 'hector why "$job" --outliers --since 5m -j \
    >"$T/now" 2>"$T/why"'
like "$T/now" '^\{"at_ns":[0-9]+,"phase":null,"since_ns":[0-9]+,"outliers":\[\{' \
    '... of which it is said when it began'
status=0        # $T/err is that of the job yet
hector why "$job" --outliers --phase 1000000 >"$T/now" 2>"$T/why" || status=$?
is "$status $(cat "$T/why")" "1 hector: there is no phase 1000000, or not any more by \
itself; see hector model $job --phases" 'a phase that there is not'
kill -TERM "$runner"
end

# ------------------------------------------------------------------- when it is over
run hector why "$job" --outliers --phase "$phase" -k 1
like "$T/out" "^job $job at .*, in phase $phase, since " 'what is kept of a phase'
like "$T/out" "^polish +1 +$(((phase - 1) % 3 + 1)) " '... is who was slow in it'
run hector why "$job" --outliers --since 1h -k 1
is "$status $(grep -c '^polish ' "$T/out")" '0 1' 'what was found in the last hour'
run hector why "$job" --outliers --since 0.001ms
is "$status $(grep -c 'were not compared after .*, and it is over' "$T/err")" '1 1' \
    '... and since just now: nothing'
run hector why "$job" --outliers --phase 1000000
is "$status $(grep -c 'nothing is kept of phase 1000000' "$T/err")" '1 1' \
    'a phase that nothing is kept of'
for wrong in '--phase 1' '--since 5m' '--outliers --phase x' '--outliers --phase -1' \
    '--outliers --since soon' '--outliers --since 2999-01-01' '--outliers --since 0' \
    '--outliers --since 5m --phase 1'; do
    # shellcheck disable=SC2086 # words
    run hector why "$job" $wrong
    is "$status $(wc -l <"$T/err")" '2 1' "refused: $wrong"
done

# -------------------------------------------------------------------- and again
run hector replay "$job" --policy $policy
is "$status|$(out)" "0|$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE job = $job")" 'a replay says the same'
done_testing
