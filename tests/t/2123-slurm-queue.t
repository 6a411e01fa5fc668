# A dozen jobs of an ordinary user through the queue of a real Slurm, some cancelled
# at random moments, munged and slurmctld begun again in the middle: the database has
# each once, with the right end. tests/eval/queue.sh does it with a hundred.
# limit: 300
# shellcheck disable=SC2086 # $t_hosts is several names
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
. "$top/tests/lib/queue.sh"
jobs=${JOBS:-12} seed=${SEED:-$(date +%s)}
# A job that slurmctld has not sent off when it stops runs nowhere, which it finds out
# when nodes report: every 20 times that it asks, a third of this time apart.
slurm_more=SlurmdTimeout=30
slurm 3
nobody_only
mkdir "$T/jobs"
chmod 777 "$T/jobs"

queue_run "$jobs" "$seed" || fail 'jobs are submitted'
is "$(queue_wrong)" '' "of $jobs jobs the database has each once, with the right end"
is "$(wc -l <"$T/ends") $(queue_gone)" "$jobs $jobs" '... and the queue is empty'
is "$(sql 'SELECT count(*) FROM jobs WHERE ended_ns IS NULL')" 0 '... no run is open'
awk '{ n[$2 " " ($3 ? $3 : "no run")]++ }
    END { for (i in n) print "# " n[i] " " i }' "$T/ends" | sort
[ -z "$(queue_wrong)" ] || tail -n 5 "$T"/jobs/*.err >&2
wait_for '[ -z "$(slurm_strays $t_hosts)" ]'
is "$(slurm_strays $t_hosts)" '' 'nothing of them is left on any node'
slurm_clear '... nor anywhere else'
done_testing
