# hector why --slice of programs of other kinds than gcc makes by itself: one by
# clang at a fixed address, in which the line that is wrong is found as well, and one
# that waits in a library of its own, of which a sentence says that it is not seen.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc

cat >"$T/solver.c" <<'END'
#include <mpi.h>
void solve(int from)
{
    int x;

    MPI_Recv(&x, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
END
cat >"$T/app.c" <<'END'
#include <mpi.h>
void solve(int from);
int main(int argc, char **argv)
{
    int rank, from;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    from = 1 - rank;
    solve(from);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O0 -shared -fPIC -o "$T/libsolver.so" "$T/solver.c"
mpicc -g -O0 -o "$T/app" "$T/app.c" -L "$T" -lsolver -Wl,-rpath,"$T"

. "$top/tests/lib/hanging.sh"

hang 1 2 "$T/app"
run hector why 1 --slice 1
is "$status" 0 'a task that waits in a library'
like "$T/out" 'app\.c:10 .*is here, in solve' '... is where the program calls it'
like "$T/out" 'app\.c:9 ' '... and what it is given there is found'
like "$T/out" '^Not seen: .*nor what solve does, which is of a library' \
    '... and a sentence says what is not seen'
end 1

if command -v clang >/dev/null; then
    OMPI_CC=clang mpicc -O2 -g -fno-pie -no-pie -DFAULT=7 -o "$T/ring" \
        "$top/tests/eval/slices/halo.c"
    line=$(grep -n '/\*! 7 ' "$top/tests/eval/slices/halo.c" | cut -d : -f 1)
    hang 2 4 "$T/ring"
    run hector why 2 --slice
    is "$status" 0 'a program by clang at a fixed address'
    like "$T/out" "halo\\.c:$line " '... has the line with the fault'
    end 2
fi
done_testing
