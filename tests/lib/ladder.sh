# ladder.sh - for tests of --on-deadline act: a standing master, slaves on few processors,
# and jobs in rounds (apps/beat). Sourced behind t.sh.
# shellcheck shell=sh disable=SC2016,SC2034,SC2086,SC2120,SC2154 # words; $status is t.sh's

first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
# A slave that may not give a weight back; and before what else runs on this machine.
drop='setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice'
[ "$(id -u)" = 0 ] || drop=
ahead=
[ "$(id -u)" = 0 ] && nice -n -15 true 2>/dev/null && ahead='nice -n -15'
slave()         # NAME PROCESSORS [COMMAND...]; its guard is in $started
{
    l_name=$1 l_cpus=$2
    shift 2
    start "slave-$l_name" $ahead taskset -c "$l_cpus" "$@" hector-slave -d -v \
        --master "$master" --name "$l_name"
}

order() { echo "$2" >"$T/$1.new" && mv "$T/$1.new" "$T/$1"; }
number() { sql "SELECT ifnull(max(job), 0) FROM jobs WHERE name = '$1'" 2>/dev/null || echo 0; }
running()       # NAME
{
    sql "SELECT 1 FROM jobs WHERE job = $(number "$1") AND state = 'running'" 2>/dev/null |
        grep -q 1
}
# NAME CPU_MS ALL_MS OPTION...: two tasks or more in rounds, until order NAME end
wrap=
begin()
{
    b_name=$1 b_cpu=$2 b_all=$3
    shift 3
    fresh "$b_name.out" "$b_name.err"
    rm -f "$T/$b_name"
    hector-run --master "$master" --name "$b_name" --oversubscribe --policy none "$@" \
        $wrap "$APPS/beat" 20 "$T/$b_name" "$b_cpu" "$b_all" \
        >"$T/$b_name.out" 2>"$T/$b_name.err" </dev/null &
    eval "pid_$b_name=\$!"
    wait_for "running $b_name"
    eval "job_$b_name=\$(number $b_name)"
}
ends()          # NAME: its status and what it says, in $ended
{
    order "$1" end
    eval "ends_pid=\$pid_$1"
    ends_is=0
    wait "$ends_pid" || ends_is=$?
    ended="$ends_is $(cat "$T/$1.out")"
}
steps()         # CONDITION: how many
{
    sql "SELECT count(*) FROM ladder WHERE $1" 2>/dev/null || echo 0
}
held()          # JOB: how many of its tasks are suspended
{
    sql "SELECT count(*) FROM tasks WHERE job = $1 AND hold = 'suspended'"
}
instances()     # JOB
{
    sql "SELECT count(*) FROM deadlines WHERE job = $1" 2>/dev/null || echo 0
}
# 100 ms of the processor in each round, of 400: alone it is in time, beside four
# others it is not.
rt()            # [MORE [OPTION...]]
{
    l_more=${1-}
    [ $# -eq 0 ] || shift
    begin rt 100 0 -n 2 --policy deadline --deadline "in..out<=400ms$l_more" \
        --on-deadline act "$@"
}
late()          # [OPTION...]: it is late, whatever is done about it
{
    begin rt 100 0 -n 2 --policy deadline --deadline 'in..out<=100ms,firm' \
        --on-deadline act "$@"
}
crowd() { begin crowd 0 20 -n 4 --priority -1 "$@"; }
stands()        # until the crowd is suspended
{
    wait_for '[ "$(steps "job = $job_rt AND state = '\''done'\''")" -ge 1 ] &&
        [ "$(held "$job_crowd")" = 4 ]'
}
goes_on() { wait_for '[ "$(held "$job_crowd")" = 0 ]'; }
