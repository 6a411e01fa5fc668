# intake.sh - jobs of tests/apps/intake.c, which reads standard input: what their tests
# wait for, and how they end. $runner is such a job's hector-run, $T/job.out and
# $T/job.err what that says, $T/copy.RANK what a task has read.
# shellcheck shell=sh disable=SC2154 # those are the test's

has_read()      # RANK BYTES
{
    wait_for "grep -q '^[a-z]* $1 $2\$' '$T/job.out'"
}
finish()        # DESCRIPTION WANTED RANK...: the job ends well, and these have all of it
{
    tap_d=$1 tap_want=$2
    shift 2
    status=0
    wait "$runner" || status=$?
    for tap_r; do
        cmp "$T/copy.$tap_r" "$tap_want" >&2 || status="$status, not that of $tap_r"
    done
    is "$status" 0 "$tap_d"
    cat "$T/job.err" >&2
}
