# Phases that come again are known to policies, live and in the record, by their
# tags or levels. The program goes through three of them in each round.
# limit: 120
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o phases.so "$top/tests/lib/phase_policy.c"

phases()        # PHASES WORDS DESCRIPTION
{
    run env KERNEL_ROUNDS=30 hector-run -n 1 --phase "$1" --policy none \
        --policy "$T/phases.so" "$APPS/phases" 1000
    job=$(sql 'SELECT max(job) FROM jobs')
    is "$status" 0 "$3"
    run hector why "$job"
    like "$T/out" ": 12 phases, $2\$" '... a policy sees which'
    run hector replay "$job" --policy "$T/phases.so"
    is "$status|$(out)" "0|$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job")" '... the same in the record'
}

phases pcontrol '3 different ones' 'phases by level'
phases tag '3 different ones' 'by the text of tags, whose markers count'
phases tag:sum '1 different ones' 'by one text'
phases MPI_Allreduce:100 '1 different ones, not known' 'by a call'
done_testing
