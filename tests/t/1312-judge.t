# Policies in processes of their own: one that ends, or is ended, in whatever way is
# named, started again, and goes on with what it knew; neither the job nor other
# jobs and policies wait for one that thinks. With the master everything ends.
# limit: 110
# shellcheck disable=SC2086 # several words
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o odd.so "$top/tests/lib/odd_policy.c"
mkdir -p "$T/conf/hector"
conf() { printf '[master]\n%s\n' "$@" >"$T/conf/hector/hector.conf"; }
R="hector-run -n 2 --policy none"
waits="while [ ! -e $T/go ]; do sleep 0.05; done"
judges()        # PID...: of these masters
{
    for p in "$@"; do
        tr ' ' '\n' <"/proc/$p/task/$p/children" 2>/dev/null
    done | while read -r p; do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != hector-judge ] || echo "$p"
    done
}
master_of()     # PID of hector-run: its private master
{
    tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r p; do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != hector-master ] || echo "$p"
    done
}
begin()         # SPEC...: a job of its own master that waits for the file go
{
    rm -f "$T/go"
    specs=
    for s in "$@"; do specs="$specs --policy $s"; done
    fresh out err
    XDG_CONFIG_HOME=$T/conf $R $specs sh -c "$waits" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for '[ -n "$(master_of $runner)" ]'
    master=$(master_of $runner)
}
end()
{
    touch "$T/go"
    status=0
    wait $runner || status=$?
    is "$status" 0 '... and the job ends well'
    job=$(sql 'SELECT max(job) FROM jobs')
}
named() { grep -Eq "^hector: policy odd: $1" "$T/err"; }

# What ends its process is named each time, and is off after the last time.
# It takes as long as it takes, where there is no time to be over.
conf 'judge_restarts = 1' 'judge_step = 60s' 'judge_memory = 64M'
bad()           # MODE WORDS WHAT
{
    begin "$T/odd.so:mode=$1,at=3,tagged=0"
    ok "$3: named, and started again" \
        wait_for "named '$2.*, it is started again\$'"
    ok '... the second time it is off' \
        wait_for "named '$2.*, it does not watch the job any more\$'"
    end
    is "$(sql "SELECT group_concat(action || ' ' || by, ', ') FROM actions
        WHERE job = $job")" 'warn odd, switch off odd' '... both recorded'
}
bad 6 'it was ended by signal 11' 'a wild pointer'
bad 10 'it ended its process, with status 7' 'exit()'
bad 11 'it was ended by signal 31: it may not start or touch a process' 'fork()'
bad 12 'it was ended by signal (6|11).*' 'one that fills its memory'
bad 14 'it was ended by signal [0-9]+' 'one that writes all over its memory'
conf 'judge_restarts = 1' 'judge_step = 1s' 'judge_memory = 64M'
bad 13 'a step took more than 3 s' 'one that sleeps'

# What it has learned stays: of one that counts its looks and dies at the thirtieth
# the next process does not count from one.
conf 'judge_restarts = 3'
begin "$T/odd.so:mode=15,at=30,every=0.05,tagged=0"
ok 'one that dies once goes on with its state' \
    wait_for 'grep -q "^hector: job .* hangs.*: nobody moves" "$T/err"'
ok '... having been started again once' \
    [ "$(grep -c '^hector: policy odd: .*, it is started again$' "$T/err")" = 1 ]
end
ok '... and lost one look' \
    [ "$(sql "SELECT max(seq) FROM verdict WHERE job = $job")" -le 35 ]

# Somebody kills it in the middle of a look, which takes a second of a processor.
conf 'judge_restarts = 3' 'judge_step = 300s'
begin "$T/odd.so:mode=16,at=10,every=0.1,tagged=0"
ok 'a process for the policy' wait_for '[ -n "$(judges $master)" ]'
judge=$(judges $master)
ok '... that thinks' wait_for "[ \"\$(awk '{ print \$3 }' /proc/$judge/stat)\" = R ]"
for sig in HUP INT QUIT TERM USR1 USR2; do      # as a batch system may send to all
    kill -"$sig" "$judge"
done
kill -KILL "$judge"
ok '... and is killed: named, and by nothing else' \
    wait_for "named 'it was ended by signal 9, it is started again\$'"
ok '... and the verdict comes nevertheless' \
    wait_for 'grep -q "^hector: job .* hangs.*: nobody moves" "$T/err"'
end

# The master is killed while a policy thinks: nothing is left of it. The job's new
# master asks it again.
conf 'judge_step = 60s'
begin "$T/odd.so:mode=5,at=3,tagged=0"
wait_for '[ -n "$(judges $master)" ]'
judge=$(judges $master)
ok 'a policy that never comes back' \
    wait_for "[ \"\$(awk '{ print \$3 }' /proc/$judge/stat)\" = R ]"
kill -KILL "$master"
ok '... ends with its master' wait_for "[ ! -e /proc/$judge ]"
touch "$T/go"
wait $runner || true

# Its first step does not end. Another policy of the same job is asked as often
# as it likes, and its verdict comes; another job of the same master comes and
# goes, and is in the database.
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njudge_step = 600s\n' "$master" \
    "$HECTOR_DB" >"$T/master.conf"
launch_master master
start_slave n1
wait_for 'sql "SELECT state FROM nodes" 2>/dev/null | grep -q up'
cp odd.so slow.so
M="hector-run --master $master --oversubscribe --policy none"
rm -f "$T/go"
fresh out err
$M -n 2 --policy "$T/slow.so:mode=5,at=1,tagged=0" \
    --policy "$T/odd.so:mode=9,at=20,every=0.1,tagged=0" \
    sh -c "$waits" >"$T/out" 2>"$T/err" </dev/null &
runner=$!
slow()          # its process, while it thinks
{
    for p in $(judges $master_pid); do
        ! grep -aq 'slow\.so' "/proc/$p/cmdline" ||
            awk '$3 == "R" { print $1 }' "/proc/$p/stat"
    done
}
ok 'beside one that thinks for ever' wait_for 'slow=$(slow) && [ -n "$slow" ]'
run $M -n 1 true
is "$status" 0 '... another job runs'
ok '... the other policy has its looks' \
    wait_for 'grep -q "hangs.*: nobody moves" "$T/err"'
ok '... all while it is in its first step' wait_for '[ "$(slow)" = "$slow" ]'
touch "$T/go"
wait $runner || true
ok '... and nothing of them is left' wait_for '[ -z "$(judges $master_pid)" ]'
done_testing
