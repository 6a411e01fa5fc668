# Limits on what a process may have: tasks that can be moved begin, move and are made
# again under a limit on data (ulimit -d) and on address space (ulimit -v); and what
# the kernel counts as promised (vm.overcommit_memory=2) does not grow with a move.
# limit: 60
# shellcheck disable=SC2016,SC2034,SC2154 # words of other shells; by rounds.sh; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3
. "$top/tests/lib/rounds.sh"

run_of()        # WORD...: what starts jobs
{
    R="$* --launch-agent $AGENT -H n1:2,n2:2 --oversubscribe --map-by node"
}
moved()         # DESCRIPTION RANKS NODE
{
    run hector migrate "$job.$2" "$3"
    is "$status $(sql "SELECT DISTINCT node FROM tasks WHERE job = $job AND
        rank IN ($2)")" "0 $3" "$1"
    cat "$T/err" >&2
}
promised()      # PID: kB that count and that it cannot write to, as it has once
{
    awk '/^[0-9a-f]+-/ { kb = 0 } /^Size:/ { kb = $2 }
        /^VmFlags:/ && / ac/ && !/ wr/ { sum += kb } END { print sum + 0 }' \
        "/proc/$1/smaps"
}
limited()       # NAME LIMIT...: a script that sets it for what it runs
{
    tap_name=$T/$1
    shift
    printf '#!/bin/sh\nulimit %s\nexec "$@"\n' "$*" >"$tap_name"
    chmod +x "$tap_name"
}

tasks=2
run_of hector-run
begin --migratable
before=$(promised "$(pid_of 1)")
moved 'a task moves' 1 n1
after=$(promised "$(pid_of 1)")
moved '... and back' 1 n2
again=$(promised "$(pid_of 1)")
ok "what is promised is not more: $before kB, then $after, then $again" \
    [ $((after < again ? again : after)) -le $((before + 1024)) ]
whole '... and goes on'

for limit in 'd 200000' 'v 1000000'; do
    limited "limit-${limit%% *}" "-$limit"
    run_of "$T/limit-${limit%% *}" hector-run
    begin --migratable
    like "/proc/$(pid_of 1)/limits" "Max (data size|address space) +[0-9]+0 " \
        "a job begins under ulimit -$limit"
    moved '... moves' 1 n1
    moved '... and back' 1 n2
    whole '... and goes on'
    begin --checkpoint-dir "$T/saved-${limit%% *}"
    run hector checkpoint "$job"
    is $status 0 '... is saved'
    cat "$T/err" >&2
    kill -9 "$(pid_of 1)"
    launched 2
    whole '... and made again'
done
done_testing
