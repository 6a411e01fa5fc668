# Inside real allocations of a real Slurm, with salloc and sbatch: the tasks of
# a job are one world, wherever their nodes are, and streams, exit status and
# orders are as outside.
# limit: 240
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
slurm 3
alloc()         # ARGUMENT...: of salloc, and the command
{
    run salloc -Q "$@"
}
batch()         # ARGUMENT...: of sbatch, and a script from stdin; $status is
{               # the script's, its output in $T/out and $T/err
    { echo '#!/bin/sh'; cat; } >"$T/script"
    status=0
    sbatch -Q --wait -o "$T/out" -e "$T/err" "$@" "$T/script" >/dev/null ||
        status=$?
}
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

batch -N3 -n3 <<'END'
hector-run "$APPS/where"
END
is "$status $(where)" '0 n1 n2 n3 ' 'a batch script'
batch -N2 --ntasks-per-node=2 <<'END'
seq 1000 | hector-run --stdin all cat | sort -n | uniq -c | awk '$1 == 4' | wc -l
END
is "$status $(out)" '0 1000' '... stdin to tasks on two nodes, and stdout'
batch -N2 -n2 <<'END'
hector-run "$APPS/exits" 1 exit 7
END
is "$status" 7 '... exit status of the task that failed'
like "$T/err" '^hector: task 1 on n2 exited with code 7' '... named with its node'

is "$(sql "SELECT count(*) FROM jobs WHERE state NOT IN ('done', 'failed')")" 0 \
    'the database knows how all of them ended'
slurm_clear 'nothing of them is left'
done_testing
