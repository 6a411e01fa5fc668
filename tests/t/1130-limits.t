# More than the page has room for, an MPI library that is not known, a page of
# another version: one sentence each, and the job is as it ever was.
# limit: 120
. "${0%/*}/../lib/t.sh"

says()          # KIND SENTENCE: exhausts that, is told so, and nothing else
{
    run hector-run -n 2 --oversubscribe "$APPS/exhaust" "$1"
    is "$status $(out)" '0 exhaust: ok' "too many $1: the program is right"
    is "$(grep -c . "$T/err") $(grep -c "$2" "$T/err")" '1 1' \
        "... one sentence says so"
}

says comms 'more than [0-9]* communicators, windows and files at once: [0-9]'
says requests 'more than some [0-9]* unfinished requests at once: [0-9]'
says sites 'more than some [0-9]* call sites: [0-9]'
says edges 'more than some [0-9]* pairs of call sites: [0-9]'
says threads 'more than [0-9]* threads call MPI: [0-9]'
run hector-run -n 3 --oversubscribe "$APPS/exhaust"
is "$status $(out)" '0 exhaust: ok' 'all of them together'
is "$(grep -c . "$T/err")" 5 '... five sentences'

# A library behind ours that says it is another MPI.
cat >tool.c <<'END'
#include <string.h>
int MPI_Get_library_version(char *version, int *bytes)
{
    strcpy(version, "Nobody's MPI 1.0");
    *bytes = (int)strlen(version);
    return 0;
}
END
if cc -shared -fPIC -o tool.so tool.c; then
    export LD_PRELOAD="$PWD/tool.so"
    run hector-run -n 2 "$APPS/comms" "$T"
    unset LD_PRELOAD
    is "$status" 0 'an MPI library that is not known: the program is right'
    is "$(grep -c . "$T/err") $(grep -c 'MPI library is not known' "$T/err")" \
        '1 1' '... one sentence says what is not recorded'
    is "$(sql 'SELECT count(*) FROM tasks WHERE job = (SELECT max(job) FROM
        jobs) AND mpi_calls > 100 AND in_mpi_ns > 0')" 2 '... calls are'
else
    skip 'an MPI library that is not known' 'no compiler here'
fi
done_testing
