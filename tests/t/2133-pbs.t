# The contract of PBS, of which no real one can be had: the script of hector-batch(7)
# with what PBS says to a job, pbs_tmrsh, pbsdsh and qstat by stand-ins that do what their
# manuals say: no standard input, and no host but those of PBS_NODEFILE.
# limit: 120
# shellcheck disable=SC2094 # names of scripts
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/manual.sh"
hosts 2
mkdir bin
cat >bin/pbs_tmrsh <<'END'
#!/bin/sh
grep -qx "$1" "$PBS_NODEFILE" || { echo "pbs_tmrsh: $1 is not of this job" >&2; exit 254; }
echo "$1" >>"$T/started"
exec sh "$AGENT" "$@" </dev/null
END
cat >bin/pbsdsh <<'END'
#!/bin/sh
[ "$1" = -h ] || exit 2
shift
exec pbs_tmrsh "$@"
END
chmod 755 bin/*
ln -s "$APPS/skew" tide
qsub()          # SCRIPT: run it on n1, as PBS would, with what its #PBS lines ask for
{
    fresh out err started
    walltime=$(sed -n 's/^#PBS .*walltime=\([0-9]*\):00:00.*/\1/p' "$1")
    # shellcheck disable=SC2016 # for the shell there
    sh "$AGENT" n1 setsid env PATH="$T/bin:$PATH" PBS_ENVIRONMENT=PBS_BATCH \
        PBS_JOBID="${number:-7}.login" PBS_O_WORKDIR="$T" PBS_NODEFILE="${nodefile:-$T/nodes}" \
        ${walltime:+PBS_WALLTIME=$((walltime * 3600))} sh -c 'cd / && exec sh "$0"' "$1" \
        >"$T/out" 2>"$T/err" </dev/null &
    pbs=$!
}
over() { status=0; wait "$pbs" || status=$?; job=$(sql 'SELECT max(job) FROM jobs'); }

printf 'n2\nn1\nn2\nn1\n' >nodes        # repeated, and in no order
touch april.in
manual_script "$top/redirector/hector-batch.7" pbs.sh >pbs.sh
qsub "$T/pbs.sh"
over
is "$status $(grep -c '^rank' tide.out)$(cat "$T/err")" '0 4' \
    'the script of the manual'
is "$(sql "SELECT node, count(*) FROM tasks WHERE job = $job GROUP BY node" | xargs)" \
    'n1|2 n2|2' '... two tasks on each node, as the file of nodes has them'
is "$(sort -u started)" n2 '... the slave of the other one comes by pbs_tmrsh'
is "$(sql "SELECT batch, (limit_ns - started_ns) / 60000000000 BETWEEN 238 AND 240
    FROM jobs WHERE job = $job")" 'PBS 7.login|1' '... and when it ends is known'

cat >hangs <<'END'
#!/bin/sh
#PBS -l walltime=2:00:00
exec hector-run --launch-agent 'pbsdsh -h' --on-hang kill \
    --inject 'rank=2,call=MPI_*send,after=1,fault=drop' "$APPS/stencil" 32 600
END
qsub "$T/hangs"
over
is "$status $(sql "SELECT saved_node_hours > 3.8, saved_core_hours > 7.6, saved_percent > 95
    FROM jobs WHERE job = $job")" '123 1|1|1' 'a hang, and what is saved, of two nodes'
is "$(sort -u started)" n2 '... by pbsdsh'

# OpenPBS does not say how long a job may be: qstat does, where it is PBS's. Grid
# Engine's, which comes first in PATH, is none.
sed '/^#PBS/d' hangs >open
printf '#!/bin/sh\nexit 127\n' >bin/qstat      # the machine may have one of its own
chmod 755 bin/qstat
qsub "$T/open"
over
is "$status $(sql "SELECT limit_ns IS NULL, saved_node_hours IS NULL FROM jobs
    WHERE job = $job")" '123 1|1' 'without PBS_WALLTIME, and without qstat, nothing is known'
is "$(grep -c 'allocation are left' "$T/err")" 0 '... or said'
mkdir -p pbs/bin
cat >bin/qstat <<'END'
#!/bin/sh
echo 'SGE 8.1.9'
echo "qstat $*" >>"$T/asked"
END
cat >pbs/bin/qstat <<'END'
#!/bin/sh
[ "$*" = '-f 7.login' ] || exit 153
printf 'Job Id: %s\n    Job_Name = tide\n    job_state = %s\n' "$2" "$(cat "$T/state")"
printf '    Mail_Users = anna@b,carl\n'
printf '    Resource_List.walltime = 02:00:00\n    stime = %s\n    Variable_List = A=b,\n\tC=d\n' \
    "$(LC_ALL=C date -d @"$(cat "$T/began")" '+%a %b %e %H:%M:%S %Y')"
END
chmod 755 bin/qstat pbs/bin/qstat
printf 'PBS_SERVER=login\nPBS_EXEC=%s\n' "$T/pbs" >pbs.conf
export PBS_CONF_FILE="$T/pbs.conf"
echo R >state
date +%s >began
qsub "$T/open"
over
is "$status $(sql "SELECT saved_node_hours > 3.8, saved_core_hours > 7.6, saved_percent > 95
    FROM jobs WHERE job = $job")" '123 1|1|1' 'qstat -f says how long it is: what is saved'
is "$(cat asked 2>/dev/null)" '' '... and no other qstat is asked'
printf '#!/bin/sh\nprintf "%%s|" "$@" >"%s/told"\ncat >>"%s/told"\n' "$T" "$T" >bin/mailx
chmod 755 bin/mailx
fresh told
sed 's/hector-run/& --notify mail/' open >mails
qsub "$T/mails"
over
like "$T/told" '^-s\|PBS 7.login hangs\|anna@b\|carl\|\{"verdict":' 'its mail user is written to'

printf '#!/bin/sh\necho $$ >"$T/pid"\nexec hector-run --launch-agent pbs_tmrsh sleep 1000\n' >waits
qsub "$T/waits"
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" | grep -q running'
kill "$(cat pid)"
over
is "$status $(sql "SELECT state, exit_code, reason FROM jobs WHERE job = $job")" \
    '143 killed|143|' 'TERM, with which PBS ends a job'
for how in 'E cancelled' 'Q requeued'; do
    echo R >state
    qsub "$T/waits"
    wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" | grep -q running'
    echo "${how% *}" >state
    kill "$(cat pid)"
    over
    is "$status $(sql "SELECT state, exit_code, reason FROM jobs WHERE job = $job")" \
        "143 killed|143|${how#* }" "... in state ${how% *}"
done
# One that is begun again has the same number, and a file of nodes that is written anew:
# that is all that PBS says to it.
mkdir aux
number=8 nodefile=$T/aux/8.login
D=$T/saved
export D
cat >saves <<'END'
#!/bin/sh
exec hector-run --launch-agent pbs_tmrsh --checkpoint-dir "$D" "$APPS/rounds" "$T/enough"
END
cat nodes >"$nodefile"
qsub "$T/saves"
wait_for '[ "$(grep -c begun "$T/out")" = 4 ]'
is "$(cat "$T/err")" '' 'a run with nothing before it has nothing to say'
on n1 hector checkpoint "$(sql 'SELECT max(job) FROM jobs')" >>log 2>&1
kill_all_on n1                  # a node that dies with all there was
wait "$pbs"
ok 'the slave of another node ends its tasks' wait_for '[ -z "$(processes_of n2)" ]'
on n1 sh -c 'rm -rf "$TMPDIR"/* /dev/shm/hector-*'
cat nodes >"$nodefile"
qsub "$T/saves"
wait_for 'grep -q "goes on from checkpoint" "$T/err"'
like "$T/err" "^hector: PBS 8.login was begun before: the job goes on from checkpoint 1 in $D," \
    'a job that PBS has begun again goes on from its checkpoint'
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" | grep -q running'
echo 1 >"$T/enough"
over
run hector ps -a
is "$(grep -o 'PBS [78].login *[0-9]*' "$T/out" | awk '{ print $2, $3 }' | uniq -c | xargs)" \
    '8 7.login 1 1 8.login 1 1 8.login 2' '... hector ps shows both runs as one story'
# Somebody's own file of nodes is newer than the run, and says nothing of that.
cp aux/8.login "$T/nodes"
nodefile=$T/nodes
qsub "$T/hangs"
over
is "$(sql 'SELECT ifnull(restarts, 0) FROM job ORDER BY job DESC LIMIT 1')" 0 \
    '... and no other file does'
done_testing
