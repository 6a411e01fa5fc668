# Three hosts, each with its own network, name and slave: 12 tasks by block
# and by turns, shared memory inside and TCP between, two jobs at once, and
# host lists in every form.
# limit: 60
# shellcheck disable=SC2086 # $R is several words
. "${0%/*}/../lib/t.sh"
hosts 3

R="hector-run --launch-agent $AGENT"
where()         # host of each rank, in order
{
    sed -n 's/^rank [0-9]* on \([^ ]*\) .*/\1/p' "$T/out" | tr '\n' ' '
}

run $R -H n1:4,n2:4,n3:4 -n 12 "$APPS/where"
is "$status" 0 '12 tasks by block'
is "$(where)" 'n1 n1 n1 n1 n2 n2 n2 n2 n3 n3 n3 n3 ' '... four on each'
is "$(sed -n 's/.* shares memory with //p' "$T/out" | uniq | tr '\n' ' ')" \
    '0,1,2,3 4,5,6,7 8,9,10,11 ' '... which share memory'
is "$(cat "$T/err")" '' '... without a word'
run $R -H n1:4,n2:4,n3:4 -n 12 --map-by node "$APPS/where"
is "$status" 0 '12 tasks in turn'
is "$(where)" 'n1 n2 n3 n1 n2 n3 n1 n2 n3 n1 n2 n3 ' '... one after the other'
is "$(sed -n 's/.* shares memory with //p' "$T/out" | sort -u | tr '\n' ' ')" \
    '0,3,6,9 1,4,7,10 2,5,8,11 ' '... which share memory'
is "$(sql "SELECT node, count(*) FROM tasks WHERE job = 1 GROUP BY node" |
    tr '\n' ' ')" 'n1|4 n2|4 n3|4 ' 'the database knows the nodes'

# Open MPI of Debian does one-sided communication over TCP only when asked,
# and without threads; so it is under mpirun.
osc='-x OMPI_MCA_osc=pt2pt'
! open_mpi_5 || osc=            # it has none of these
run $R $osc -H n1,n2,n3 -n 3 "$APPS/comms" "$T" single
is "$status" 0 'a walk through MPI between hosts'
run $R $osc -H n1:2,n2:2 -n 4 --map-by node "$APPS/comms" "$T" single
is "$status" 0 '... with two on each'
run $R -H n1,n2 -n 2 "$APPS/names"
is "$status" 0 'name service between hosts'
run $R -H n3,n1 -n 2 --stdtim=- "$APPS/tagloop" 10000
is "$(grep -c '^Task [01] E' "$T/out")" 40000 'stdtim of both hosts'
is "$(sql "SELECT rank, node, count(*) FROM events WHERE job =
    (SELECT max(job) FROM jobs) GROUP BY rank" | tr '\n' ' ')" \
    '0|n3|10000 1|n1|10000 ' 'events of both hosts, in the order of -H'

seq 20000 >"$T/data"
$R -H n1,n2 -n 2 --stdin all cat <"$T/data" >"$T/out" 2>"$T/err"
is "$(sort -n "$T/out" | uniq -c | awk '$1 != 2' | wc -l)" 0 \
    'stdin to tasks on two hosts'
run $R -H n1,n2,n3 -N 1 hostname
is "$(sort "$T/out" | tr '\n' ' ')" 'n1 n2 n3 ' '-N 1: one on each'
run $R -H 'n[1-3]:4' -N 2 -n 5 --oversubscribe hostname
is "$(sort "$T/out" | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 1 ' \
    '-N 2: at most two'

# ---------------------------------------------------------------- host files
file()          # DESCRIPTION; the file comes from stdin
{
    cat >"$T/hostfile"
    run $R --hostfile "$T/hostfile" -n 5 "$APPS/where"
    is "$(where)" 'n1 n1 n2 n2 n3 ' "host file: $1"
}
file 'slots=N' <<'END'
# three of them
n1 slots=2
n2   slots=2     # the second

n3 slots=2
END
file 'host:N' <<'END'
n1:2
n2:2
n3:2
END
file 'a range' <<'END'
n[1-3]:2
END
file 'a range with slots=' <<'END'
n[1,2-3] slots=2
END
file 'one line a slot' <<'END'
n1
n1
n2
n2
n3
END
printf 'n2 slots=2\r\nn1 slots=1 max_slots=1\r\n' >"$T/hostfile"
run $R --machinefile "$T/hostfile" -n 3 "$APPS/where"
is "$(where)" 'n2 n2 n1 ' 'host file: DOS line ends, max_slots, its own order'
printf 'n1 slots=two\n' >"$T/hostfile"
run $R --hostfile "$T/hostfile" -n 1 true
is "$status" 2 'a mistake in a host file: status 2'
like "$T/err" 'hostfile:1' '... names the line'

# ------------------------------------------------------------ two jobs, errors
$R -H n1:2,n2:2 -n 4 "$APPS/tagloop" 5000 --text one >/dev/null 2>"$T/1" &
a=$!
$R -H n2:2,n3:2 -n 4 "$APPS/tagloop" 5000 --text two >/dev/null 2>"$T/2" &
b=$!
wait $a
is "$?$(cat "$T/1")" 0 'two jobs at once that share a host: the first'
wait $b
is "$?$(cat "$T/2")" 0 '... the second'
is "$(sql "SELECT label, count(*) FROM events WHERE label IN ('one', 'two')
    GROUP BY label" | tr '\n' ' ')" 'one|20000 two|20000 ' \
    '... and both sets of events'

$R -H n1,n2,n3 -n 3 sh -c "while [ ! -e '$T/compared' ]; do sleep 0.05; done" &
runner=$!
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q running'
ok 'the clocks of the nodes are compared' \
    wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE node LIKE '\''n_'\''
        AND abs(clock_offset_ns) < 1e7 AND clock_error_ns < 1e7")" = 3 ]'
touch "$T/compared"
wait $runner

run timeout 60 $R -H n1,n9 -n 2 "$APPS/hello"
ok 'a host that is not there: the run fails' \
    [ "$status" -ne 0 -a "$status" -ne 124 ]
like "$T/err" '^hector: .*n9' '... and names it'
run $R -H n1,n2 -n 2 "$APPS/exits" 1 signal 11
is "$status" 139 'a crash on another host'
like "$T/err" 'task 1 on n2 was killed by signal 11' '... is named'
run $R -H n1,n2 -n 2 "$APPS/exits" 1 abort 17
is "$status" 17 'MPI_Abort from another host'

# A host disappears in the middle.
$R -H n1,n2 -n 2 sleep 100 >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q running'
ip link set vn2 down
status=0
wait $runner || status=$?
ok 'a host is cut off: the job fails' [ "$status" -ne 0 ]
like "$T/err" '^hector: .*n2' '... and names it'
ip link set vn2 up
wait_for '[ -z "$(t_processes)" ]'
done_testing
