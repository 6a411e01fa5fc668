# libhector.so preloaded by hand, without Hector: every program gives the same
# output and status as without it, and programs without MPI notice nothing.
# limit: 60
. "${0%/*}/../lib/t.sh"
need mpirun
hector=$build/lib/libhector.so

same()          # DESCRIPTION N PROGRAM...: the same with and without
{
    same_what=$1 same_n=$2
    shift 2
    run mpirun --oversubscribe -n "$same_n" "$@"
    cp "$T/out" theirs
    same_status=$status
    run mpirun --oversubscribe -n "$same_n" -x LD_PRELOAD="$hector" "$@"
    is "$status" "$same_status" "$same_what: the same status"
    ok "$same_what: the same output" sh -c 'diff theirs out >&2'
}

same 'callbacks and jumps' 2 "$APPS/tag_nest"
same 'threads' 2 "$APPS/tag_threads" 4 2 20
same 'children' 2 "$APPS/tag_fork"
same 'mpif.h' 2 "$APPS/tag_mpif"
same 'use mpi' 2 "$APPS/tag_usempi"
same 'use mpi_f08' 2 "$APPS/tag_f08"

# An interpreter's module brings MPI along later, for itself alone.
cat >module.c <<'END'
#include <mpi.h>
#include <stdio.h>
int go(void);
int go(void)
{
    int tasks, one = 1, sum = 0;

    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (sum == tasks)
        puts("module: all are there");
    return MPI_Finalize();
}
END
cat >interpreter.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);

    return module ? ((int (*)(void))dlsym(module, "go"))() : 9;
}
END
if mpicc -shared -fPIC -o module.so module.c && cc -o interpreter interpreter.c -ldl; then
    same 'MPI loaded later' 2 ./interpreter
    like out 'all are there' 'MPI loaded later: it ran'
else
    skip 'MPI loaded later' 'no compiler here'
fi

# Another tool that wraps MPI and is preloaded behind us gets its turn.
cat >tool.c <<'END'
#include <mpi.h>
#include <unistd.h>
int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm)
{
    (void)!write(1, "tool: allreduce\n", 16);
    return PMPI_Allreduce(from, to, n, type, op, comm);
}
END
if mpicc -shared -fPIC -o tool.so tool.c; then
    run mpirun --oversubscribe -n 2 -x LD_PRELOAD="$hector:$PWD/tool.so" \
        "$APPS/tag_nest"
    is "$status $(grep -c 'tool: allreduce' out)" '0 2' \
        'another preloaded tool works behind ours'
fi

for bind in 0 1; do
    [ $bind = 0 ] || export LD_BIND_NOW=1
    is "$(LD_PRELOAD=$hector sh -c 'hostname; echo x | cat')" \
        "$(sh -c 'hostname; echo x | cat')" "no MPI: shell, LD_BIND_NOW=$bind"
    if command -v python3 >/dev/null; then
        is "$(LD_PRELOAD=$hector python3 -c 'import ctypes; print(1)')" 1 \
            "no MPI: python, LD_BIND_NOW=$bind"
    fi
done
unset LD_BIND_NOW

# A slave that is not there costs nothing but the question.
export HECTOR_SLAVE="$T/nobody"
same 'slave not there' 2 "$APPS/tag_mpif"
done_testing
