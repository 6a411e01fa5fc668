# --notify: a command is told of each hang, once, as one JSON object; nothing of the
# job waits for it, the exit 10 s at most. Jobs and commands are an ordinary user's.
# limit: 180
# shellcheck disable=SC2086 # $nobody is words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/nobody.sh"
nobody_rather

none_told()     # ... so far; the command is not root's
{
    fresh told
    chmod 666 "$T/told"
}
hung='rank=2,call=MPI_*send,after=1,fault=drop'
hang()          # OPTION...: of a job that deadlocks
{
    none_told
    run $nobody hector-run -n 4 --oversubscribe --inject "$hung" "$@" "$APPS/stencil" 32 600
    job=$(sql 'SELECT max(job) FROM jobs')
}
of()            # EXPRESSION of json_extract(j, '$...') of what was told
{
    sqlite3 :memory: "SELECT $1 FROM (SELECT CAST(readfile('$T/told') AS TEXT) AS j)"
}
p() { printf "json_extract(j, '\$.%s')" "$1"; }

# In an allocation, by a stand-in that says in the environment when it ends.
now=$(date +%s)
here=$(uname -n)
export SLURM_JOB_NODELIST="$here" SLURM_JOB_START_TIME="$now" \
    SLURM_JOB_END_TIME=$((now + 7200)) SLURM_JOB_CPUS_PER_NODE=4
hang --on-hang kill --name 'a "name" \ of 9' --notify "cat >>'$T/told'"
unset SLURM_JOB_NODELIST SLURM_JOB_START_TIME SLURM_JOB_END_TIME SLURM_JOB_CPUS_PER_NODE
is "$status $(wc -l <"$T/told") $(of 'json_valid(j)')" '123 1 1' \
    'a deadlock is told once, in one line of JSON'
is "$(of "$(p job.job), $(p job.name), $(p job.ntasks), $(p job.batch), $(p job.exit_code)")" \
    "$job|a \"name\" \\ of 9|4|Slurm|123" 'the job, and how it has ended'
is "$(of "$(p verdict.policy), $(p verdict.kind), $(p verdict.phase), $(p verdict.ranks),
    0.0 + $(p verdict.score)")" \
    "$(sql "SELECT policy, kind, phase, ranks, score FROM verdicts
        WHERE job = $job AND kind = 'deadlock'")" 'the verdict, as in the view verdicts'
is "$(of "$(p 'where[0].rank'), $(p 'where[0].node'), $(p 'where[0].function'),
    $(p 'where[0].file'), $(p 'where[0].line') > 9")" "0|$here|exchange|stencil.c|1" \
    'where the task is that waits'
is "$(of "json_array_length(j, '\$.where'), $(p 'where[1].rank')")" '2|2' \
    '... and the other one'
near="max(abs($(p saved.node_hours) - ($(sql "SELECT saved_node_hours FROM jobs
        WHERE job = $job"))), abs($(p saved.core_hours) - ($(sql "SELECT saved_core_hours
        FROM jobs WHERE job = $job")))) < 1e-6 AND $(p saved.core_hours) > 0"
is "$(of "$near")" 1 'what is saved, as in the view jobs'
ok '... which is nearly all' [ "$(of "$(p saved.percent) > 90")" = 1 ]

# Where the job goes on it is told at once, and the job may go on meanwhile.
none_told
fresh out err
$nobody hector-run -n 4 --oversubscribe --inject "$hung" \
    --notify "cat >>'$T/told'; echo out; echo err >&2; exit 7" "$APPS/stencil" 32 600 \
    >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for 'grep -q "command ended" "$T/err"'
job=$(sql 'SELECT max(job) FROM jobs')
$nobody hector kill "$job" >&2
status=0
wait $runner || status=$?
is "$status $(of "ifnull($(p job.exit_code), 'runs'), ifnull($(p saved), 'nothing')")" \
    '143 runs|nothing' 'of a job that is only reported'
is "$(grep -o '^hector: notify: .*' "$T/err" | sort | xargs)" \
    'hector: notify: err hector: notify: out' 'what the command says is on stderr'
is "$(grep -c '^hector: --notify: the command ended with status 7$' "$T/err") $(out)" '1 ' \
    '... and that it fails, in a sentence'

# One that hangs, and what it has started, is killed; the job's status is its own.
hang --on-hang kill --notify "sleep 1000 & echo \$! >'$T/told'; wait"
is "$status" 123 'a command that does not end'
like "$T/err" '^hector: --notify: the command took longer than 10 s, and was killed$' \
    '... is killed'
ok '... with all of it' wait_for '! kill -0 "$(cat "$T/told")" 2>/dev/null'
hang --on-hang kill --notify "exec '$T/not there'"
is "$status $(grep -c '^hector: --notify: the command ended with status 127$' "$T/err")" \
    '123 1' 'one that cannot be run'

run $nobody hector-run -n 2 --notify mail "$APPS/hello"
is "$status $(out)" '2 ' 'mail without a batch system: refused'
like "$T/err" "^hector: --notify mail: we are in no batch system, that knows whom to write to; " \
    '... in a sentence'
export SLURM_JOB_NODELIST="$here"
run $nobody env PATH="$BIN" hector-run -n 2 --notify mail "$APPS/hello"
unset SLURM_JOB_NODELIST
is "$status $(head -n 1 "$T/err")" '2 hector: --notify mail: there is no mailx in PATH' \
    '... and without a mailx'

none_told
run $nobody hector-run -n 2 --notify "cat >'$T/told'" "$APPS/hello"
is "$status $(cat "$T/told")" '0 ' 'a job that does not hang: nothing is told'

none_told
cat >"$T/wait.c" <<'END'
#include <mpi.h>
int main(void)
{
    int rank, x = 0;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
mpicc -g -o "$T/wait" "$T/wait.c"
run $nobody hector-run --adopt --on-hang kill --notify "cat >>'$T/told'" -- \
    mpirun --oversubscribe -n 2 "$T/wait"
is "$status $(of "$(p verdict.kind), $(p job.exit_code)")" '123 deadlock|123' \
    'a job of mpirun that is adopted'
done_testing
