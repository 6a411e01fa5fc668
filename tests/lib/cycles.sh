# cycles.sh - for tests of hector diff: runs of apps/cycle, and what is said first.
# Sourced behind t.sh.
# shellcheck shell=sh disable=SC2154 # $status is t.sh's

# Time to compute is short where other tests run, and there is a task more than
# processors; to sleep is not.
CYCLE_SLEEP=1
export CYCLE_SLEEP

job=0
cycle()         # [OPTION...] ROUNDS SIZE: the next job, of four tasks
{
    job=$((job + 1))
    run hector-run -n 4 --oversubscribe "$@"
    [ "$status" -eq 0 ] || cat "$T/err" >&2
}
# diff JOB [JOB]: its status, then what is said first, without the cost
first()
{
    run hector diff "$@"
    echo "$status $(sed -En \
        '/COST DIFFERENCE/{n;s/^ *(-|-?[0-9.]+ [mun]*s|-?[0-9]+m[0-9]+s) //;p;}' \
        "$T/out")"
}
line_of()       # TEXT: where it stands in cycle.c
{
    grep -n "$1" "$top/tests/apps/cycle.c" | head -n 1 | cut -d : -f 1
}
