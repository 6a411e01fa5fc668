# Faults: each strikes the call and the task it was told, in the call or after
# it, and the event in the database and the line in the log say so.
# limit: 80
. "${0%/*}/../lib/t.sh"
export HECTOR_INJECT_LOG="$T/log"

# ring makes 4 calls before its rounds, and 4 in each: MPI_Irecv, MPI_Isend,
# MPI_Waitall, MPI_Barrier. With three tasks.
rounds=40               # most strike in the first ones
inject()        # DESCRIPTION [OPTION...]: ring with a fault
{
    in_what=$1
    shift
    : >"$T/log"
    KERNEL_ROUNDS=$rounds run hector-run -n 3 --oversubscribe --inject "$in_what" "$@" \
        "$APPS/ring" 10
}
until=true
ended()         # DESCRIPTION TASKS PROGRAM...: that hangs by the fault, and is
{               # ended when it has struck and $until is true
    in_what=$1 in_tasks=$2
    shift 2
    : >"$T/log"
    hector-run -n "$in_tasks" --oversubscribe --inject "$in_what" "$@" \
        >"$T/out" 2>"$T/err" </dev/null &
    in_runner=$!
    wait_for '[ -s "$T/log" ]'
    wait_for "$until"
    kill -TERM $in_runner
    status=0
    wait $in_runner || status=$?
    until=true
}
job() { sql 'SELECT max(job) FROM jobs'; }
events()        # COLUMNS [CONDITION]: of the faults in the last job
{
    sql "SELECT $1 FROM events WHERE job = $(job) AND label LIKE 'injected:%'
        AND ${2:-1} ORDER BY rank" | tr '\n' ' ' | sed 's/ $//'
}
calls()         # RANK: how many calls it made
{
    sql "SELECT mpi_calls FROM tasks WHERE job = $(job) AND rank = $1"
}
struck()        # STATUS RANK MARKER CALL TEXT WHAT: the last job, by this only
{
    is "$status" "$1" "$6: status"
    is "$(events 'rank, marker, call, label')" "$2|$3|$4|injected: $5" \
        "$6: the event"
    is "$(sed 's/.* rank \([0-9]*\) .*: injected: /\1 /' "$T/log")" "$2 $5" \
        "$6: the log agrees"
}
took()          # NS-FROM NS-TO WHAT: how long the call lasted
{
    is "$(events "exit_ns - enter_ns BETWEEN $1 AND $2")" 1 "$3"
}

# ------------------------------------------------------------------ hangs
ended rank=2,call=MPI_Barrier:120,fault=hang 3 "$APPS/ring" 10
struck 143 2 3 MPI_Barrier 'hang in MPI_Barrier call 120' 'hang'
is "$(calls 2)" 484 'hang: this was the call'
is "$(events 'exit_ns IS NULL')" 1 'hang: it never returned'

out_of_mpi()    # RANK NS: it has been that for so long
{
    [ "$(sql "SELECT out_mpi_ns > $2 FROM tasks WHERE job = $(job) AND
        rank = $1")" = 1 ]
}
until='out_of_mpi 2 1e9'
ended rank=2,call=MPI_Barrier:120,fault=hang-after 3 "$APPS/ring" 10
struck 143 2 3 MPI_Barrier 'hang after MPI_Barrier call 120' 'hang after'
is "$(calls 2)" 484 'hang after: this was the call'
is "$(events 'exit_ns >= enter_ns')" 1 'hang after: the call returned'
ok 'hang after: it is out of MPI' out_of_mpi 2 1e9

ended 'rank=1,call=MPI_*:300,fault=hang' 3 "$APPS/ring" 10
struck 143 1 3 MPI_Barrier 'hang in MPI_Barrier call 300 of MPI_*' \
    'a call of any kind'
is "$(calls 1)" 300 'a call of any kind: this was it'

# On the stack a hang inside is in MPI, one after it is in the program.
traced()        # is the stack of task 1 in $T/stack, and as it is to be?
{
    gdb -p "$pid" -batch -ex bt >"$T/stack" 2>/dev/null </dev/null
    $there
}
stack()         # FAULT FUNCTION: the names on the stack of task 1, when it holds
{
    there=$2
    : >"$T/log"
    start "$1" hector-run -n 2 --inject "rank=1,call=MPI_Barrier:9,fault=$1" \
        "$APPS/ring"
    wait_for '[ -s "$T/log" ]'
    pid=$(sed -n 's/.* pid \([0-9]*\) .*/\1/p' "$T/log")
    wait_for "grep -q ^S /proc/$pid/wchan || grep -q 'State:.S' /proc/$pid/status"
    wait_for traced
    kill -TERM "$started"
    wait "$started" 2>/dev/null
}
if command -v gdb >/dev/null && gdb -p $$ -batch 2>&1 | grep -q 'detached'; then
    in_mpi() { grep -q ' MPI_Barrier ' "$T/stack"; }
    stack hang in_mpi
    like "$T/stack" ' MPI_Barrier ' 'hang: MPI is on the stack'
    returned() { grep -q ' in main ' "$T/stack" && ! grep -qiE 'MPI_|libmpi' "$T/stack"; }
    stack hang-after returned
    like "$T/stack" ' in main ' 'hang after: the program is on the stack'
    ok 'hang after: MPI is not' sh -c "! grep -iE 'MPI_|libmpi' '$T/stack' >&2"
else
    skip 'stacks of hanging tasks' 'no gdb here, or it may not attach'
fi

for f in spin:10 probe:11; do
    until='[ "$(calls 1)" -gt 1000 ]'
    ended "rank=1,call=MPI_Waitall:5,fault=${f%:*}" 3 "$APPS/ring" 10
    struck 143 1 "${f#*:}" MPI_Waitall "${f%:*} after MPI_Waitall call 5" \
        "${f%:*}"
    ok "${f%:*}: it polls" [ "$(calls 1)" -gt 1000 ]
done

# ------------------------------------------------------------ lost messages
until='[ "$(calls 1) $(calls 2)" = "204 203" ]'
ended rank=1,call=MPI_Isend:50,fault=drop 3 "$APPS/ring" 10
struck 143 1 6 MPI_Isend 'drop in MPI_Isend call 50 to rank 2' 'drop'
is "$(calls 1) $(calls 2)" '204 203' \
    'drop: the sender has gone on, the receiver waits'
# Without the others' barrier the program sees that a message is missing.
ended rank=0,call=MPI_Send:2,fault=drop 2 "$APPS/wavefront"
struck 143 0 6 MPI_Send 'drop in MPI_Send call 2 to rank 1' 'drop, blocking'

# A send to nobody cannot be lost: it does not count.
ended rank=1,call=MPI_Send,fault=drop 2 "$APPS/edge" 5
struck 143 1 6 MPI_Send 'drop in MPI_Send call 1 to rank 0' 'drop at an edge'
run hector-run -n 2 --oversubscribe --inject rank=1,call=MPI_Send:4,fault=drop "$APPS/edge" 3
is "$status $(out) $(events 'count(*)')" '0 3 messages 0' \
    'drop: of six sends three are to somebody, and there is no fourth'

# ------------------------------------------------------- time and processor
inject rank=0,call=MPI_Waitall:7,fault=stall,time=700ms
struck 0 0 4 MPI_Waitall 'stall in MPI_Waitall call 7' 'stall'
took 700000000 600000000000 'stall: as long as it was told'
inject rank=0,call=MPI_Waitall:7,fault=stall-after,time=4s
struck 0 0 4 MPI_Waitall 'stall after MPI_Waitall call 7' 'stall after'
took 1 3900000000 'stall after: the call returned'
is "$(sql "SELECT out_mpi_ns > 4000000000 FROM tasks WHERE job = $(job) AND
    rank = 0")" 1 'stall after: it is out of MPI'

rounds=200
inject rank=0,call=MPI_Irecv:101,fault=slow,time=4ms
struck 0 0 5 MPI_Irecv 'slow in MPI_Irecv call 101' 'slow'
is "$(sql "SELECT in_mpi_ns > 400000000 FROM tasks WHERE job = $(job) AND
    rank = 0")" 1 'slow: from then on'
inject rank=0,call=MPI_Irecv:101,fault=slow-after,time=4ms
struck 0 0 5 MPI_Irecv 'slow after MPI_Irecv call 101' 'slow after'
is "$(sql "SELECT out_mpi_ns > 400000000 FROM tasks WHERE job = $(job) AND
    rank = 0")" 1 'slow after: from then on'
rounds=40
inject rank=1,call=MPI_Isend:3,fault=cpu-after,time=600ms
struck 0 1 1 MPI_Isend 'cpu after MPI_Isend call 3' 'cpu after'
is "$(sql "SELECT out_mpi_ns > 600000000 AND cpu_out_mpi_ns > 0 FROM tasks
    WHERE job = $(job) AND rank = 1")" 1 'cpu after: it computes'
inject rank=1,call=MPI_Isend:3,fault=cpu,size=300
struck 0 1 1 MPI_Isend 'cpu in MPI_Isend call 3' 'cpu'
took 1000000 600000000000 'cpu: it takes its time'
inject rank=1,call=MPI_Isend:3,fault=mem,size=32M
struck 0 1 2 MPI_Isend 'mem in MPI_Isend call 3' 'mem'
took 1000000 600000000000 'mem: it takes its time'

# ------------------------------------------------------------------- deaths
inject rank=2,call=MPI_Irecv:33,fault=exit,code=7
struck 7 2 7 MPI_Irecv 'exit in MPI_Irecv call 33' 'exit'
is "$(calls 2)" 133 'exit: this was the call'
inject rank=2,call=MPI_Irecv:33,fault=exit-after
struck 1 2 7 MPI_Irecv 'exit after MPI_Irecv call 33' 'exit after'
inject rank=2,call=MPI_Irecv:33,fault=segv
struck 139 2 8 MPI_Irecv 'segv in MPI_Irecv call 33' 'segv'
inject rank=2,call=MPI_Irecv:33,fault=segv-after
struck 139 2 8 MPI_Irecv 'segv after MPI_Irecv call 33' 'segv after'
inject rank=2,call=MPI_Init,fault=kill
struck 137 2 9 MPI_Init 'kill in MPI_Init call 1' 'kill'
inject rank=2,call=MPI_Finalize,fault=kill-after
struck 137 2 9 MPI_Finalize 'kill after MPI_Finalize call 1' 'kill after'

# -------------------------------------------------------------------- where
inject 'rank=0,2,call=MPI_Isend:9,fault=stall,time=1ms'
is "$status $(events rank)" '0 0 2' 'several tasks'
inject 'rank=all,call=MPI_Isend:9,fault=stall,time=1ms'
is "$status $(events rank)" '0 0 1 2' 'all tasks'
inject 'rank=1,call=MPI_Isend:9,fault=stall,time=1ms' \
    --inject 'rank=0,call=MPI_Isend:9,fault=cpu,size=1' \
    --inject 'rank=1,call=MPI_I*:5,fault=mem,size=1k'
is "$status $(events 'rank, marker, call')" \
    '0 0|1|MPI_Isend 1|2|MPI_Isend 1|4|MPI_Isend' 'several faults'

rounds=200
random='rank=random,call=MPI_*:10-700,fault=stall,time=1ms'
inject "$random,seed=7"
first="$(events 'rank, label')"
inject "$random,seed=7"
is "$(events 'rank, label')" "$first" 'a seed chooses the same every time'
inject "$random,seed=8"
ok 'another one chooses differently' [ "$(events 'rank, label')" != "$first" ]

: >"$T/log"
run hector-run -n 2 --inject rank=1,after=0.5s,fault=stall,time=1ms \
    "$APPS/ring" 10 3
is "$status" 0 'after a time: status'
is "$(events 'rank, enter_ns - (SELECT started_ns FROM jobs WHERE job = '\
"$(job)) > 500000000")" '1|1' 'after a time'

# A call that the program has tagged itself has both events; markers are from 0.
run hector-run -n 1 --inject rank=0,call=MPI_Iprobe:1234,fault=stall,time=1ms \
    "$APPS/tagloop" 5000
is "$status $(sql "SELECT t.marker, t.exit_ns - t.enter_ns > 1000000
    FROM events i JOIN events t ON t.job = i.job AND t.label = 'thread 0' AND
    i.enter_ns BETWEEN t.enter_ns AND t.exit_ns AND i.exit_ns <= t.exit_ns
    WHERE i.job = $(job) AND i.label LIKE 'injected:%'")" '0 1233|1' \
    'a tagged call: its own event and that of the fault'

# Threads, and Fortran's two ways.
: >"$T/log"
run hector-run -n 2 --oversubscribe \
    --inject rank=1,call=MPI_Sendrecv:20,fault=stall-after,time=10ms "$APPS/omp"
struck 0 1 4 MPI_Sendrecv 'stall after MPI_Sendrecv call 20' 'threads'
if [ -x "$APPS/heat" ]; then
    ended rank=1,call=MPI_Sendrecv:21,fault=drop 2 "$APPS/heat"
    struck 143 1 6 MPI_Sendrecv 'drop in MPI_Sendrecv call 21 to rank 0' 'mpif.h, drop'
    ended rank=0,call=MPI_Isend:22,fault=drop 2 "$APPS/jacobi"
    struck 143 0 6 MPI_Isend 'drop in MPI_Isend call 22 to rank 1' 'mpi_f08, drop'
    for p in heat:MPI_SENDRECV jacobi:MPI_WAITALL; do
        : >"$T/log"
        run hector-run -n 2 \
            --inject "rank=1,call=${p#*:}:9,fault=exit-after,code=5" \
            "$APPS/${p%:*}"
        is "$status $(events 'rank, marker')" '5 1|7' "${p%:*}, exit after"
    done
else
    skip 'Fortran' 'no Fortran compiler here'
fi

# ---------------------------------------------------------------- bad input
jobs=$(job)
for bad in fault=hang rank=0,call=MPI_Foo,fault=hang \
    rank=3,call=MPI_Send,fault=hang rank=0,call=MPI_Barrier,fault=drop \
    rank=0,call=MPI_Send:0,fault=hang 'rank=0,call=MPI_Send,fault=hang,x=1'; do
    inject "$bad"
    is "$status $(wc -l <"$T/err")" '2 1' "refused in one line: $bad"
done
is "$(job)" "$jobs" '... and nothing was started'
run hector-run -n 2 -x HECTOR_INJECT='hang on 1' "$APPS/hello"
is "$status $(grep -c 'nothing is injected' "$T/err")" '0 2' \
    'a variable that makes no sense: said by each task, which runs on'

if command -v mpirun >/dev/null; then
    : >"$T/log"
    ln -s "$build/lib/libhector-inject.so" "$T"     # a name without a blank
    HECTOR_INJECT='exit after 1 MPI_Barrier 3 3 0 0 0 0 9' run mpirun \
        --oversubscribe -n 2 \
        -x LD_PRELOAD="$T/libhector-inject.so" "$APPS/ring"
    is "$status" 9 'without Hector, by hand: status'
    like "$T/log" ' rank 1 .*: injected: exit after MPI_Barrier call 3$' \
        'without Hector: the log'
else
    skip 'without Hector' 'no mpirun here'
fi
done_testing
