# An owner whose programs take processors: by /proc/stat, as a container has it of its own
# processes; tasks, and what they start, are no sign of him.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
. "$top/tests/lib/owner.sh"

# What the processes in $T/pids have used so far, as the first line of /proc/stat has it;
# of those that have ended what was seen of it last. Without a fork, so that it is new at
# each look.
account()
{
    used=0
    while read -r p at; do
        if read -r line 2>/dev/null <"/proc/$p/stat"; then
            # shellcheck disable=SC2046 # words
            set -- ${line##*)}
            eval "used_$p=$((${12} + ${13} - at))"
        fi
        eval "used=\$((used + \${used_$p-0}))"
    done <"$T/pids"
    printf 'cpu  %012d 0 0 0 0 0 0 0 0 0\n' $((used + 100)) 1<>"$T/stat"
}
counts()        # PID: from now on
{
    now=$(sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }')
    echo "$1 $now" >>"$T/pids"
}
: >"$T/pids"
account
( while :; do account; sleep 0.1; done ) &
accountant=$!
trap 'kill $accountant 2>/dev/null; t_cleanup' EXIT
on n1 mount --bind "$T/stat" /proc/stat
conf()          # LIMIT: of n1
{
    printf '[slave]\nowner = load\nowner_load = %s\nowner_idle = 2s\nowner_look = 1s\n' $1 \
        >"$T/n1.conf"
}
conf 0.3
owner_nodes
R="hector-run --master $master --oversubscribe"
wait_for '[ "$(owner_of n1)" = gone ]'
is "$(owner_of n1)" gone 'nothing else runs'

# A task whose child takes a processor, under a shell that waits for it.
fresh burn.out
$R -H n1 -n 1 sh -c 'sh -c "while :; do :; done" & echo $!; wait' \
    >"$T/burn.out" 2>"$T/burn.err" &
runner=$!
wait_for 'grep -q . "$T/burn.out"'
counts "$(cat "$T/burn.out")"
looked() { sql "SELECT seen_ns / 1000000000 FROM nodes WHERE node = 'n1'"; }
from=$(looked)
wait_for '[ $(looked) -ge $((from + 5)) ]'
is "$(owner_of n1) $(takes n1)" 'gone 0|' "a child of a task is none of the owner's"
kill $runner
wait $runner || :

# ------------------------------------------------------------------- of somebody else
kill -KILL "$(slave_on n1)"
wait_for '[ "$(sql "SELECT state FROM nodes WHERE node = '"'n1'"'")" != up ]'
conf 0.02
owner_slave n1
wait_for '[ "$(grep -c "node n1 joined" "$T/master.log")" = 2 ]'
fresh idle.out idle.err
$R -H n1 -n 1 sh -c 'echo begun; exec sleep 100000' >"$T/idle.out" 2>"$T/idle.err" &
runner=$!
wait_for 'grep -q begun "$T/idle.out"'
start burner on n1 sh -c 'echo $$; while :; do :; done'
wait_for 'grep -q . "$T/burner.log"'
burner=$(cat "$T/burner.log")
counts "$burner"
wait_for '[ "$(takes n1)" = "1|owner" ]'
is "$(takes n1) $(owner_of n1)" '1|owner here' 'a program of somebody else is a sign'
wait_for 'grep -q "cannot" "$T/idle.err"'
like "$T/idle.err" \
    '^hector: the owner of n1 is back \(other programs take .* processors\), and job 2 cannot' \
    '... which is said'
kill "$burner"
wait_for '[ "$(takes n1)" = "0|" ]'
is "$(takes n1) $(owner_of n1)" '0| gone' 'and when it has ended the node takes tasks'
kill $runner
wait $runner || :
done_testing
