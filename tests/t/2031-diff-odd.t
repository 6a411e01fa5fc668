# hector diff where something is missing: usage, unknown jobs, the same job, jobs
# without a model, one that runs, one that failed, one of another program, models
# that a version before made, and databases of versions before.
# limit: 60
# shellcheck disable=SC2016,SC2154 # conditions are evaluated later; $status is set
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/older.sh"
. "$top/tests/lib/cycles.sh"
need sqlite3

says()          # STATUS SENTENCE WHAT WORD...
{
    tap_status=$1 tap_says=$2 tap_name=$3
    shift 3
    run hector diff "$@"
    is "$status $(cat "$T/err")" "$tap_status hector: $tap_says" "$tap_name"
}

cycle "$APPS/cycle" 20 100
says 2 'diff wants a JOB, or two' 'no job'
says 2 'diff wants a JOB, or two' 'three jobs' 1 2 3
says 2 '1 is the same job as 1: there is nothing to compare' 'with itself' 1 1
says 2 '1.2: jobs are compared as a whole' 'a task' 1.2
says 1 'there is no job 99' 'no such job' 99
says 1 'there is no job 98' '... to compare with' 1 98
says 1 'no run of the same program went well before job 1: say what it is to be compared with' \
    'the first run of all' 1
run hector diff x
is "$status" 2 'no number'

# shellcheck disable=SC2034 # cycle counts
cycle true
none='its tasks have not called MPI, or not by way of the wrapper library, or it is'
says 1 "job 2 has no model: $none not kept any more" \
    'a job without MPI' 2
says 1 "job 2 has no model: $none not kept any more" \
    '... to compare with' 1 2

CYCLE_HOLD=$T/go hector-run -n 4 --oversubscribe "$APPS/cycle" 20 100 \
    >run.out 2>run.err &
runner=$!
wait_for 'hector model 3 2>/dev/null | grep -q Finalize'
run hector diff 3 1
like "$T/out" '^job 3 has not ended: what there is of it so far is compared$' \
    'one that runs'
run hector diff 3
like "$T/out" '^job 3 against job 1, the last good run of the same program' \
    '... and what it is a run of is known'
touch go
wait "$runner"

job=3
status=0
hector-run -n 4 --oversubscribe --inject rank=1,call=MPI_Allreduce:10,fault=exit,code=3 \
    "$APPS/cycle" 20 100 >/dev/null 2>&1 || status=$?
run hector diff 4
like "$T/out" '^job 4 failed: ' 'one that failed'
like "$T/out" 'is called .* in job 4, .* in job 3$' '... is compared all the same'
CYCLE_MORE=1 hector-run -n 4 --oversubscribe "$APPS/cycle" 20 100 >/dev/null
run hector diff 5
like "$T/out" '^job 5 against job 3, ' '... and is no good run for others'

KERNEL_ROUNDS=5 hector-run -n 4 --oversubscribe "$APPS/ring" >/dev/null 2>&1
run hector diff 6 1
is "$status $(grep -c 'job 1 is of another program: what both have is compared' "$T/out")" \
    '3 1' 'of another program'
like "$T/out" '^ +- program: .*/ring, was .*/cycle 20 100$' '... which is said first'

# A model without spreads is what an earlier version kept.
sqlite3 "$HECTOR_DB" 'UPDATE task SET waited_ns = NULL'
run hector diff 3 1
is "$status" 0 'where it is not known how long tasks had no processor'
sqlite3 "$HECTOR_DB" "UPDATE model SET model = x'ffff' WHERE job = 1"
run hector diff 3 1
is "$status $(grep -c '^hector: job 1 has no model' "$T/err")" '1 1' \
    'a model that is none'
older 13 || fail 'a file with schema 13 is made'
says 1 'this database is of a version that did not keep what can be compared' \
    'an older database' 3 1
run hector why 3
is "$status" 0 '... of which hector why knows the rest'
cycle "$APPS/cycle" 20 100
is "$(sql 'SELECT count(*) FROM run')" 1 '... and that goes on with the next job'
done_testing
