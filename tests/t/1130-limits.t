# More than the page has room for, an MPI library that is not known, a page of
# another version, a task that writes all over its page: one sentence each, and
# the job is as it ever was.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
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

# A task of another version: no page, and everything else.
export HELLO="$APPS/hello" LIAR="$APPS/register"
: >"$T/there"
run hector-run -n 2 sh -c '"$LIAR" $HECTOR_RANK 2 "$T/there" 99; exec "$HELLO"'
is "$status" 0 'a page of another version: the program is right'
is "$(grep -c '^refused: .*version' "$T/out") $(grep -c '^refused' "$T/out")" \
    '2 2' '... each is told in words'

# Whatever a task writes there, neither it nor anybody else is harmed.
start_master
start_slave n1
start other hector-run -q --master "$master" -H n1:8 -n 2 "$APPS/hello" \
    --wait-for "$T/go" --say "$T/ready"
other=$started
wait_for '[ -e "$T/ready" ]'
jobs=$(sql 'SELECT max(job) FROM jobs')
for n in 1 2 3; do
    run hector-run -q --master "$master" -H n1:8 -n $n "$APPS/scribble" 40
    is "$status $(out)" '0 scribble: ok' "$n tasks that scribble are right"
    run hector report "$((jobs + n))"
    is "$status" 0 '... there is a report, whatever it says'
done
sort "$T/slave-n1.log" | sed -n 's/.* watch: \(.*\) job=.*/\1/p' |
    sed 's/[0-9]//g' | sort | uniq -c | awk '$1 > 3' >"$T/often"
is "$(cat "$T/often")" '' '... a sentence each a job is the most that is said'
run hector-run -q --master "$master" -n 2 --oversubscribe "$APPS/ring"
is "$status $(out)" '0 ring: ok' '... the slave takes the next job'
: >"$T/go"
wait "$other"
is "$?" 0 '... and the one beside them knows nothing of it'
is "$(sql "SELECT count(*), sum(mpi_calls BETWEEN 4 AND 1000) FROM tasks
    WHERE job = $jobs")" '2|2' '... nor does what is recorded of it'
ok '... the slave is the same' kill -0 "$slave_pid"
done_testing
