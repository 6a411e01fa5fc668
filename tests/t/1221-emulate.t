# hector-emulate: 64 slaves in trees of one, two and three levels give the same
# merged tree; slaves that die, are silent or late; models; samples and events in
# virtual time; accounts of a kernel that are as asked for; bad input.
# limit: 60
# shellcheck disable=SC2086,SC2154
. "${0%/*}/../lib/t.sh"

field()         # NAME: a number of the JSON answer
{
    sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" "$T/out"
}
E='hector-emulate -D 64 -n 16 -i 1'

for levels in 1 2 3; do
    run $E -j -d $levels
    is "$status" 0 "$levels levels"
    is "$(field levels)" $levels '... they are'
    is "$(field found_tasks),$(field missing)" 1024,0 '... every task is in it'
    sed 's/.*"found_tasks"/"found_tasks"/' "$T/out" >"$T/result.$levels"
done
ok 'one level and two give the same' cmp "$T/result.1" "$T/result.2"
ok '... and three' cmp "$T/result.2" "$T/result.3"
like "$T/result.1" '"found_classes":\[.*"count":204,.*"count":205,' \
    '... five classes of 1,024 tasks'
run $E -e 0 -m 9 -j
is "$status,$(cat "$T/err")" 0, 'all tasks differ'
is "$(field found_tasks)" 1024 '... and are there'
ok '... in many classes' \
    [ "$(grep -o '"representative"' "$T/out" | wc -l)" -gt 900 ]
run $E -U
like "$T/out" '^  205 tasks, for example 0$' 'representatives only'
run $E -n 128
like "$T/out" '^  1639 tasks, for example 0: 0,5,10' 'and all ranks'

# 64 slaves, fan-out 8: those at the top have seven below them.
run $E -f 8 -i 0 --fault 8:die --fault 17:die
is "$status" 0 'two slaves die'
like "$T/out" '^result +992 of 1024 tasks, .* 2 daemons missing' \
    '... only their tasks are missing'
like "$T/out" 'missing e000[0-9]*, ranks [0-9]*-[0-9]*: .*closed' \
    '... with names and ranks'
run $E -f 8 -i 0 --wait 6s --fault 9:silent -j
is "$(field found_tasks),$(field missing)" 1008,1 'a silent one is left out'
ok '... when the time is over, not later' \
    [ "$(field asked_ns)" -lt 60000000000 ]
run $E -f 8 -i 0 --wait 30s --fault 8:late=300ms -j
is "$(field found_tasks),$(field missing)" 1024,0 'a late one is waited for'
ok '... so long' [ "$(sed 's/.*"first":{"asked_ns":\([0-9]*\).*/\1/' \
    "$T/out")" -gt 250000000 ]

# What a question costs the master does not grow with the slaves: eight at the top
# are asked, say that they are there, once a second, answer and are told the end.
for daemons in 64 128 512; do
    run hector-emulate -D $daemons -n 2 -i 1 -f 8 --wait 60s --no-end -j
    is "$(field found_tasks),$(field missing)" $((daemons * 2)),0 \
        "$daemons slaves"
    seconds=$(($(sed 's/.*"first":{"asked_ns":\([0-9]*\).*/\1/' "$T/out") / 1000000000))
    messages=$(sed 's/.*"messages":\([0-9]*\)},"least.*/\1/' "$T/out")
    ok '... a question takes the master 32 messages, and 8 a second' \
        [ "$messages" -ge 32 -a "$messages" -le $((32 + 8 * seconds)) ]
done

# Parts that are wrong do not get in, and hinder nobody.
run $E -f 8 -i 1 --fault 10:noise --fault 11:lie
is "$status" 0 'a slave tells noise, another one lies'
like "$T/out" '^result +992 of 1024 tasks, .* 2 daemons missing' \
    '... only their tasks are missing'
like "$T/out" 'missing e00010, ranks [0-9]*-[0-9]*: .*no call tree$' '... the noise is named'
like "$T/out" 'missing e00011, ranks [0-9]*-[0-9]*: a call tree over 32 tasks in place of 16$' \
    '... and the lie'

# Models in place of trees: 256 steps of each task.
for levels in 1 2 3; do
    run $E -j -d $levels --gather model --sites 8
    is "$(field found_tasks),$(field missing),$(field found_steps)" \
        1024,0,262144 "models, $levels levels: every step of every task"
    is "$(field found_states),$(field found_edges)" 8,31 \
        '... from each site to the next, and farther; in two phases'
done
run $E -f 8 -i 1 --fault 10:noise --fault 11:lie --gather model
like "$T/out" '^result +992 of 1024 tasks, 32 states, 253952 steps .* 2 daemons' \
    '... noise and a lie do not get in'
like "$T/out" 'missing e00010, .*: .*no model$' '... the noise is named'
like "$T/out" 'missing e00011, .*: a model of 32 tasks in place of 16$' \
    '... and the lie'
# ---------------------------------------------------------------- outliers
# The load of all differs by 20 per cent, one takes half as long again in one step.
for levels in 1 2 3; do
    run $E -j -d $levels --gather outliers --spread 20 --odd 1.5 --seed 5
    like "$T/out" '"polish":1,"step":true' "$levels levels: the task that is odd, and its step"
    like "$T/out" '"found_tasks":1024,' '... of all of them'
done
run $E --gather outliers --odd 1 --seed 5
like "$T/out" 'by polish 0\.' 'nobody is where none is odd'
run $E -f 8 -i 1 --fault 10:noise --gather outliers
like "$T/out" 'missing .* 1[0-9]' 'a slave that answers noise is left out, with a reason'
# ---------------------------------------------------------------- progress
for levels in 1 2 3; do
    run $E -j -d $levels --gather progress --seed 5
    is "$(sed 's/.*"places":\([0-9]*\),"late":\([0-9]*\),"behind":\(-*[0-9]*\).*/\1 \3 \2/' \
        "$T/out" | awk '{ print $1, $2 == $3 }')" '40 1' \
        "$levels levels: the task that is behind, by what all models say"
    like "$T/out" '"found_tasks":1024,' '... and all have said where they are'
done
run $E -f 8 -i 1 --seed 5 --gather progress --fault 10:noise --fault 11:lie --fault 12:die
like "$T/out" '^result +976 of 1024 tasks at 40 places, 3 daemons missing; task ([0-9]+) is '\
'behind: all wait for task ' 'noise, a lie and a slave that dies do not get in'
is "$(sed -n 's/.*task \([0-9]*\) is behind: all wait for task \([0-9]*\)$/\1 \2/p' "$T/out" |
    awk '{ print $1 == $2 }')" 1 '... and who is behind is known without them'
like "$T/out" 'missing e00010, .*: this is not where tasks are$' '... the noise is named'
like "$T/out" 'missing e00011, .*: whereabouts that make no sense$' '... and the lie'
for wrong in --odd=3 --spread=5; do
    run hector-emulate "$wrong"
    is "$status,$(wc -l <"$T/err")" 2,1 "refused: $wrong without --gather outliers"
done
run hector-emulate --gather nothing
is "$status,$(wc -l <"$T/err")" 2,1 'nothing else can be gathered'

run $E -i 0 --seconds 1 --speed 20 --events 500 --batch 10 -j
is "$status" 0 'samples and events in virtual time'
ok '... 10,000 a second' [ "$(field run_events)" -gt 2000 ]

start_tcp_master
run $E --master "tcp:127.0.0.1:$port" -i 1 -f 8 -j
is "$(field found_tasks),$(field missing)" 1024,0 'a master that runs, over TCP'
is "$(sql 'SELECT state, ntasks FROM jobs')" 'killed|1024' '... has the job'
is "$(sql 'SELECT count(*) FROM tasks WHERE state = '\''killed'\''')" 1024 \
    '... and the end of its tasks'

# The operator's tools see a job that is played.
$E --master "tcp:127.0.0.1:$port" -i 0 --seconds 15 >"$T/play" 2>&1 &
play=$!
ok 'a job is played' wait_for '[ "$(sql "SELECT state FROM jobs
    WHERE job = 2")" = running ]'
run hector stack 2 -j
is "$(sqlite3 :memory: "SELECT json_extract(j, '\$.tasks'),
    json_extract(j, '\$.samples'), json_extract(j, '\$.classes[4].count'),
    json_extract(j, '\$.stops.ptrace') FROM (SELECT
    CAST(readfile('$T/out') AS TEXT) AS j)")" '1024|3|205|3072' \
    '... hector stack shows where its tasks are'
run hector model 2 -j
is "$(sqlite3 :memory: "SELECT sum(json_extract(value, '\$.count')),
    count(DISTINCT json_extract(value, '\$.ranks')) FROM json_each(
    CAST(readfile('$T/out') AS TEXT), '\$.edges')")" '262144|1' \
    '... hector model how they move'
run hector tree 2
like "$T/out" '^64 slaves, .* 0 missing' '... hector tree its slaves'
wait $play
is "$?" 0 '... to its end'

# A kernel of four sites, which take 1, 2, 3 and 4 tenths of 50 virtual seconds
# and make a call each 10 ms; rank 15 of 16 computes twice as long at the last.
near()          # WHAT WANTED PERCENT: a number that SQL answers, so far off
{
    ok "$3" awk "BEGIN { exit !($1 > 0.${4:-9} * $2 && $1 < 1.${5:-1} * $2) }"
}
job=$(($(sql 'SELECT max(job) FROM jobs') + 1))
run hector-emulate --master "tcp:127.0.0.1:$port" -D 4 -n 4 -i 0 --sites 4 \
    --seconds 1 --speed 50 --interval 5s --outliers 6.25 -j
is "$status" 0 'accounts of calls'
is "$(sql "SELECT count(*), count(DISTINCT site), count(DISTINCT rank) FROM sites
    WHERE job = $job")" '64|4|16' '... of each site and task'
is "$(sql "SELECT call, place, count(*) FROM sites WHERE job = $job
    GROUP BY site ORDER BY place" | tr '\n' ' ')" \
    'MPI_Allreduce|phase_0 solver.c:100|16 MPI_Isend|phase_0 solver.c:101|16 '\
'MPI_Irecv|phase_0 solver.c:102|16 MPI_Waitall|phase_0 solver.c:103|16 ' \
    '... with names'
is "$(sql "SELECT DISTINCT place FROM callers WHERE depth > 0 AND site IN
    (SELECT site FROM sites WHERE job = $job) ORDER BY depth" | tr '\n' ' ' |
    sed 's/+0x[0-9a-f]*//')" 'step solver.c:20 main solver.c:8 solver ' \
    '... and callers'
is "$(sql "SELECT count(*) FROM sites WHERE job = $job AND bytes <> calls *
    CASE call WHEN 'MPI_Allreduce' THEN 1024 WHEN 'MPI_Isend' THEN 2048
    WHEN 'MPI_Irecv' THEN 3072 ELSE 0 END")" 0 '... bytes as calls'
is "$(sql "SELECT count(*) FROM (SELECT t.mpi_calls <> sum(c.calls) OR
    t.in_mpi_ns <> sum(c.in_ns) OR t.out_mpi_ns < sum(c.out_ns) AS odd
    FROM tasks t JOIN sites c USING (job, rank) WHERE job = $job GROUP BY rank)
    WHERE odd")" 0 '... sums are those of the tasks, to the last call'
is "$(sql "SELECT count(*) FROM sites WHERE job = $job AND (max_ns > in_ns OR
    max_ns * calls < in_ns)")" 0 '... the longest call is above the mean'
near "$(sql "SELECT sum(in_mpi_ns + out_mpi_ns) / 1e6 / sum(mpi_calls)
    FROM tasks WHERE job = $job")" 10 '... a call each 10 ms'
for site in 1 2 3 4; do
    near "$(sql "SELECT 1.0 * sum(in_ns + out_ns) / (SELECT sum(in_mpi_ns +
        out_mpi_ns) FROM tasks WHERE job = $job) FROM sites WHERE job = $job AND
        line = 99 + $site")" "0.$site" "... $site tenths of the time at site $site"
    near "$(sql "SELECT 4.0 * sum(calls) / (SELECT sum(mpi_calls) FROM tasks WHERE
        job = $job) FROM sites WHERE job = $job AND line = 99 + $site")" 1 \
        '... a quarter of the calls'
done
near "$(sql "SELECT avg(out_mpi_ns * 1.0 / (in_mpi_ns + out_mpi_ns)) FROM tasks
    WHERE job = $job AND rank < 15")" 0.4 '... two fifths are computation' 95 05
near "$(sql "SELECT (SELECT out_ns / 1.0 / calls FROM sites WHERE job = $job AND
    rank = 15 AND line = 103) / (SELECT avg(out_ns / 1.0 / calls) FROM sites
    WHERE job = $job AND rank < 15 AND line = 103)")" 2 \
    '... one task computes twice as long before one site' 97 03
near "$(sql "SELECT (SELECT out_ns / 1.0 / calls FROM sites WHERE job = $job AND
    rank = 15 AND line = 102) / (SELECT avg(out_ns / 1.0 / calls) FROM sites
    WHERE job = $job AND rank < 15 AND line = 102)")" 1 '... and as others elsewhere' \
    97 03
ok '... told on the way and at the end, in pieces' \
    [ "$(field statements)" -gt 20 ]
run hector report "$job"
# Mean of 15 that compute 0.4 and one 0.4 * 1.4: 0.41; the most is 0.56.
near "$(sed -n 's/^Load imbalance \([0-9.]*\) %: .*(task 15)$/\1/p' "$T/out")" 36.6 \
    'hector report: the load, and who has most'
is "$(awk '/^TASK/ { on = 1 } on { print $1 } /^ all/ { exit }' "$T/out" |
    tr '\n' ' ')" 'TASK 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 all ' '... the tasks'
like "$T/out" '^Waitall .* 0 ' '... the calls'
like "$T/out" '^ *1 Waitall .* phase_0 solver.c:103$' '... the sites, costliest first'

# One that tells of a task it does not have is sent away, and loses nothing.
run hector-emulate --master "tcp:127.0.0.1:$port" -D 1 -n 16 -i 0 --sites 12 \
    --seconds 2 --speed 10 --interval 4s --fault 0:forge
is "$status" 0 'a slave forges costs'
ok '... the master says so' grep -q 'costs of rank 4294967295, which is not on' \
    "$T/master.log"
is "$(sql "SELECT count(*), sum(t.mpi_calls <> c.n), sum(t.in_mpi_ns <> c.ns)
    FROM tasks t LEFT JOIN (SELECT job, rank, sum(calls) AS n, sum(in_ns) AS ns
    FROM sites GROUP BY 1, 2) c USING (job, rank)
    WHERE job = $((job + 1))")" '16|0|0' '... all costs are there in the end'
is "$(sql "SELECT count(DISTINCT place), sum(function IS NULL) FROM sites
    WHERE job = $((job + 1))")" '12|0' '... and names that only it has told'

wrong()         # SENTENCE OPTION...
{
    tap_why=$1
    shift
    run hector-emulate "$@"
    is "$status,$(cat "$T/err")" "2,hector-emulate: $tap_why" "$*"
}
wrong '-D: "x" is not a number' -D x
wrong '-D, -n: 1024 daemons of 2000 tasks are more than 1048576 tasks' \
    -D 1024 -n 2000
wrong '-f, -d: give the fan-out or the levels, the other follows from it' \
    -f 2 -d 2
wrong '--events: needs --seconds' --events 5
wrong '--interval: needs --sites' --interval 5s
wrong '--outliers: needs --sites' --outliers 5
wrong '--call-time: is less than 1us' --call-time 0
wrong '--fault: "64:die" does not begin with the number of a daemon, 0 to 63' \
    --fault 64:die
wrong '--fault: "sick" is no fault; there are die, silent, late=DURATION, noise, lie and forge' \
    --fault 3:sick
wrong 'now: nothing is expected behind the options' now
run hector-emulate --master "unix:$T/nobody" -D 1
is "$status" 1 'no master there'
ulimit -n 128
run hector-emulate -D 1000
like "$T/err" 'daemons need [0-9]* descriptors in a process, 128 are allowed' \
    'too few descriptors'
done_testing
