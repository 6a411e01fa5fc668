# Phases that come again are known to policies, live and in the record, by their
# tags or levels. The program goes through three of them in each round, for as
# long as it takes until the policy has seen thirty.
# limit: 60
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o phases.so "$top/tests/lib/phase_policy.c"

phases()        # PHASES WORDS DESCRIPTION
{
    begin env KERNEL_ROUNDS=1000000 hector-run -n 1 --phase "$1" --policy none \
        --policy "$T/phases.so:at=30" "$APPS/phases" 1000
    ok "$3" wait_for 'sql "SELECT why FROM verdicts WHERE job = $job" |
        grep -q .'
    kill -TERM "$runner"
    end
    is "$status" 143 '... until it is ended'
    run hector why "$job"
    like "$T/out" ": 30 phases, $2\$" '... a policy sees which'
    run hector replay "$job" --policy "$T/phases.so:at=30"
    is "$status|$(out)" "0|$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job")" '... the same in the record'
}

phases pcontrol '3 different ones' 'phases by level'
phases tag '3 different ones' 'by the text of tags, whose markers count'
phases tag:sum '1 different ones' 'by one text'
phases MPI_Allreduce:100 '1 different ones, not known' 'by a call'
done_testing
