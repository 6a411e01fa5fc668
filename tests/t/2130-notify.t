# --notify: a command is told of each hang, once, as one JSON object; nothing of the
# job waits for it, the exit 10 s at most.
# limit: 180
. "${0%/*}/../lib/t.sh"

hung='rank=2,call=MPI_*send,after=1,fault=drop'
hang()          # OPTION...: of a job that deadlocks
{
    fresh told
    run hector-run -n 4 --oversubscribe --inject "$hung" "$@" "$APPS/stencil" 32 600
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
is "$(of "round($(p saved.node_hours), 6), round($(p saved.core_hours), 6)")" \
    "$(sql "SELECT round(saved_node_hours, 6), round(saved_core_hours, 6) FROM jobs
        WHERE job = $job")" 'what is saved, as in the view jobs'
ok '... which is nearly all' [ "$(of "$(p saved.percent) > 90")" = 1 ]

# Where the job goes on it is told at once, and the job may go on meanwhile.
hang --timeout 20 --notify "cat >>'$T/told'; echo out; echo err >&2; exit 7"
is "$status $(of "ifnull($(p job.exit_code), 'runs'), ifnull($(p saved), 'nothing')")" \
    '124 runs|nothing' 'of a job that is only reported'
is "$(grep -o '^hector: notify: .*' "$T/err" | sort | xargs)" \
    'hector: notify: err hector: notify: out' 'what the command says is on stderr'
is "$(grep -c '^hector: --notify: the command ended with status 7$' "$T/err") $(out)" '1 ' \
    '... and that it fails, in a sentence'

# One that hangs, and what it has started, is killed; the job's status is its own.
hang --on-hang kill --notify "sleep 1000 & echo \$! >'$T/told'; wait"
is "$status" 123 'a command that does not end'
like "$T/err" '^hector: --notify: the command took longer than 10 s, and was killed$' \
    '... is killed'
ok '... with all of it' wait_for '! kill -0 "$(cat "$T/told")" 2>/dev/null' 10
hang --on-hang kill --notify "exec '$T/not there'"
is "$status $(grep -c '^hector: --notify: the command ended with status 127$' "$T/err")" \
    '123 1' 'one that cannot be run'

fresh told
run hector-run -n 2 --notify "cat >'$T/told'" "$APPS/hello"
is "$status $(cat "$T/told")" '0 ' 'a job that does not hang: nothing is told'

fresh told
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
run hector-run --adopt --on-hang kill --notify "cat >>'$T/told'" -- \
    mpirun --oversubscribe -n 2 "$T/wait"
is "$status $(of "$(p verdict.kind), $(p job.exit_code)")" '123 deadlock|123' \
    'a job of mpirun that is adopted'
done_testing
