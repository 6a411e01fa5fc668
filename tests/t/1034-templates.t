# Names of C++ templates are as long as a person reads, with -a as they are.
. "${0%/*}/../lib/t.sh"
need mpicxx

cat >"$T/prog.cc" <<'EOF'
#include <map>
#include <mpi.h>
#include <string>
#include <vector>

typedef std::vector<std::string> some;
typedef std::map<std::string, std::vector<std::map<std::string, double>>> many;
static volatile int sum;

template <class T, class U> struct solver {
    __attribute__((noinline)) int step(const T &t, const U &)
    {
        MPI_Barrier(MPI_COMM_WORLD);
        return (int)t.size() + sum++;
    }
};

int main(int argc, char **argv)
{
    some s;
    many m;

    MPI_Init(&argc, &argv);
    solver<some, int>().step(s, 0);                             /* some */
    solver<many, std::vector<many>>().step(m, {});              /* many */
    MPI_Finalize();
    return 0;
}
EOF
mpicxx -O1 -g -o "$T/prog" "$T/prog.cc" 2>"$T/err" ||
    skip_all 'programs in C++ cannot be built here'
run hector-run -n 1 "$T/prog"
is "$status" 0 'a program with long names'
run hector report 1
is "$(grep -c 'solver<\.\.\.>::step(.*) prog.cc:13$' "$T/out")" 2 \
    'arguments are left out'
is "$(awk 'length > 250' "$T/out" | wc -l)" 0 '... so that lines can be read'
run hector report -a 1
like "$T/out" 'solver<std::vector<.*, int>::step\(.*\) prog.cc:13$' \
    '-a has all of them'
done_testing
