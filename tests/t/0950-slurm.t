# Inside real allocations of a real Slurm, with salloc and sbatch, of an ordinary user:
# the tasks of a job are one world, wherever their nodes are, and streams, exit status
# and orders are as outside.
# limit: 60
# shellcheck disable=SC2086 # $as and $nobody are words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_rather
where()         # host of each rank, in order
{
    sed -n 's/^rank [0-9]* on \([^ ]*\) .*/\1/p' "$T/out" | tr '\n' ' '
}
hello() { sort "$T/out" | tr '\n' ' '; }

alloc -N1 -n2 hector-run "$APPS/hello"
is "$status $(hello)" '0 task 0 of 2 task 1 of 2 ' 'one node, two tasks'
alloc -N2 -n3 hector-run "$APPS/where"
is "$status $(where)" '0 n1 n1 n2 ' 'two nodes, three tasks, where Slurm says'
alloc -N3 -n6 hector-run "$APPS/hello"
is "$status $(sed -n 's/^task \([0-5]\) of 6$/\1/p' "$T/out" | sort | xargs)" \
    '0 0 1 2 3 4 5' 'three nodes, six tasks'
alloc -N2 -n2 env OMPI_MCA_schizo=slurm hector-run "$APPS/hello"
is "$status $(hello)" '0 task 0 of 2 task 1 of 2 ' \
    'a setting of the user does not divide them'
alloc -N2 -n4 hector-run -n 2 "$APPS/hello"
is "$status $(hello)" '0 task 0 of 2 task 1 of 2 ' 'fewer tasks than granted'

alloc -N2 -n4 srun -N1 -n1 hector-run "$APPS/hello"
is "$status $(hello)" '0 task 0 of 1 ' 'in a step of it: what the step has'

# srun runs it twice, and the job is started once. Where hosts are named, two are.
alloc -N2 -n2 srun -n2 hector-run "$APPS/hello"
is "$status $(hello)" '2 task 0 of 2 task 1 of 2 ' \
    'in a step of two tasks: the first one starts the job, the other is refused'
is "$(grep -c '^hector: srun runs this 2 times, and only task 0 of its step' \
    "$T/err")" 1 '... with a sentence'
alloc -N2 -n2 srun -n2 sh -c 'exec hector-run -H "$(uname -n)" "$APPS/hello"'
is "$status $(hello)" '0 task 0 of 1 task 0 of 1 ' \
    '... but each that is told where starts a job of its own'

batch -N3 -n3 <<'END'
hector-run "$APPS/where"
END
is "$status $(where)" '0 n1 n2 n3 ' 'a batch script'
batch -N2 --ntasks-per-node=2 <<'END'
seq 1000 | hector-run --stdin all cat | sort -n | uniq -c | awk '$1 == 4' | wc -l
END
is "$status $(out)" '0 1000' '... stdin to tasks on two nodes, and stdout'
# What is said in the end depends on the number of rounds alone. They are in these
# after some calls.
enough=$PWD/enough
export enough
batch -N2 --ntasks-per-node=2 <<'END'
hector-run --migratable --oversubscribe "$APPS/skew" "$enough" 7 &
job="SELECT max(job) FROM jobs"
until [ "$(sqlite3 "$HECTOR_DB" "SELECT count(*) FROM tasks WHERE mpi_calls > 60 AND
    job = ($job)")" = 4 ]; do kill -0 $! || exit 9; done
n=$(sqlite3 "$HECTOR_DB" "$job")
hector migrate "$n.1" n2 && hector migrate "$n.3" n1 && echo moved
sqlite3 "$HECTOR_DB" "SELECT node FROM tasks WHERE job = $n ORDER BY rank" | xargs
: >"$enough"
wait $!
END
is "$status $(grep -c '^moved' "$T/out") $(grep '^n[12] ' "$T/out")$(
    sed -n 's/.*nothing was moved/ &/p' "$T/err")" '0 1 n1 n2 n2 n1' \
    'tasks move to the other node and from there'
grep '^rank' "$T/out" | sort >moved
n=$(sed -n '1s/.* rounds \([0-9]*\) .*/\1/p' moved)
[ "${n:-0}" -gt 0 ] || n=1
alloc -N2 -n4 hector-run --oversubscribe "$APPS/skew" "$n" 7
is "$(wc -l <moved) $(sort "$T/out")" "4 $(cat moved)" '... and say the same'
batch -N2 -n2 <<'END'
hector-run "$APPS/exits" 1 exit 7
END
is "$status" 7 '... exit status of the task that failed'
like "$T/err" '^hector: task 1 on n2 exited with code 7' '... named with its node'

# Those whom others start are seen, too; those that srun does not connect know
# nothing of each other, which is said.
alloc -N2 -n3 hector-run --adopt -- srun --mpi=pmix "$APPS/hello"
is "$status $(hello)" '0 task 0 of 3 task 1 of 3 task 2 of 3 ' 'a job of srun'
is "$(cat "$T/err")" '' '... of which there is nothing to say'
if mpicc.mpich -O2 -std=gnu11 -o "$T/mpich" "$top/tests/apps/hello.c"; then
    alloc -N2 -n3 hector-run --adopt -- srun --mpi=none "$T/mpich"
    is "$status $(hello)" '0 task 0 of 1 task 0 of 1 task 0 of 1 ' \
        'a job that srun starts without telling the tasks of each other'
    # Of those that were there half a second after the first.
    like "$T/err" \
        'not one MPI program: tasks? [0-2,-]+ (are each|is) rank 0 of 1 in MPI' \
        '... is noticed'
    alloc -N2 -n2 hector-run "$T/mpich"
    is "$status" 125 'a program of MPICH that hector-run starts: 125'
else
    skip 'programs of MPICH' 'no mpicc.mpich here'
fi

seq 3 >"$T/in"
slurm_over
status=0
$as salloc -Q -N2 -n2 hector-run cat <"$T/in" >"$T/out" 2>"$T/err" || status=$?
is "$status $(xargs <"$T/out")$(cat "$T/err")" '0 1 2 3' \
    'stdin of salloc goes to rank 0; not a word on stderr'

# ----------------------------------------------------------------- from outside
submit -N2 -n2 <<'END'
exec hector-run sleep 1000
END
$nobody scancel "$id"
like "$T/script" sleep 'a job that is cancelled'
is "$(ended '')" 'CANCELLED killed|143' \
    '... is known by both to have been'
slurm_clear '... and nothing is left of it'
is "$(grep 'hector: master:' "$T/err")" '' '... the master is quiet about it'

# Slurm sends it to the steps, so to the slave of the other node only, or to the
# tasks besides, by how it keeps track of processes: they may get it twice.
submit -N2 -n3 <<'END'
exec hector-run sh -c 'trap "echo got $PMIX_RANK; exit 0" USR1; echo up
    while :; do sleep 0.1; done'
END
wait_for '[ "$(grep -c up "$T/out")" = 3 ]'
$nobody scancel -s USR1 "$id"
is "$(ended '')" 'COMPLETED done|0' 'USR1 to the steps: the job lives, its tasks get it'
is "$(grep got "$T/out" | sort -u | xargs)" 'got 0 got 1 got 2' '... all of them'

# ------------------------------------------------------------------------- root
slurm_over
run env HOME="$T/home" HECTOR_DB="$T/hector.db" salloc -Q -N3 -n3 hector-run "$APPS/where"
is "$status $(where)$(cat "$T/err")" '0 n1 n2 n3 ' 'a job of root'

is "$(sql "SELECT job, state, command FROM jobs WHERE state NOT IN
    ('done', 'failed', 'killed')")" '' \
    'the database knows how all of them ended'
slurm_clear 'nothing of them is left'
done_testing
