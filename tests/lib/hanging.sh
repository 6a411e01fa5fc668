# hanging.sh - jobs that hang in the background, for tests of what is said of them.
# shellcheck shell=sh disable=SC2034,SC2154 # $T is that of who reads it
hang()          # N TASKS COMMAND...: job N hangs, and is named
{
    hang_job=$1 hang_n=$2
    shift 2
    hector-run -n "$hang_n" --oversubscribe "$@" >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
    wait_for "[ -e \"\$HECTOR_DB\" ] && [ -n \"\$(sql \"SELECT 1 FROM verdicts WHERE
        job = $hang_job AND kind IN ('hang', 'deadlock')\" 2>/dev/null)\" ]"
}
end()           # N: it is killed, and recorded as ended
{
    hector kill "$1" >/dev/null
    wait "$runner"
    wait_for "[ \"\$(sql 'SELECT ended_ns IS NULL FROM jobs WHERE job = $1')\" = 0 ]"
}
