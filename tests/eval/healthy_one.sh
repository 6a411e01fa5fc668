#!/bin/sh
# healthy_one.sh - one run of healthy.sh: a program that is right, over a
# transport, perhaps disturbed from outside; one row of the database.
#
# usage: healthy_one.sh BUILD DB SEED RUNS NUMBER BURNERS KIND PROGRAM TASKS \
#            TRANSPORT DISTURBANCE SECONDS
#
# DISTURBANCE, of one task, for so many seconds: stop (by a signal), freeze (its
# control group), gdb (attaches), nice (19, to the end); no: none. It begins when
# the tasks have begun, and half a second later.
set -u
build=$1 db=$2 seed=$3 runs=$4 number=$5 burners=$6 kind=$7 program=$8 tasks=$9
shift 9
transport=$1 disturb=$2 seconds=$3
dir=$(mktemp -d)
group=
end()
{
    [ -z "$group" ] || release
    rm -rf "$dir"
}
trap end EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

ask() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null || :; }

# Windows by remote access want what these two have not.
case $transport in
tcp)  export OMPI_MCA_btl=self,tcp OMPI_MCA_osc=^rdma ;;
none) export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_osc=^rdma ;;
esac
case $kind in
fine* | busy)
    words=$("$build/deadlocks/$kind" | awk -F'\t' -v n="$program" '$1 == n { print $3 }')
    what="env $words ./program $program"
    ln -s "$build/deadlocks/$kind" "$dir/program" ;;
app)
    ln -s "$build/apps/$program" "$dir/program"
    what="./program 16 4"
    case $program in
    comms) what="./program $dir" ;;
    mm) what="./program ${0%/*}/../apps/mm.small 2000" ;;
    esac ;;
hpcc)
    . "${0%/*}/../lib/inputs.sh"
    (cd "$dir" && hpl_input 200 32 2 $((tasks / 2)))
    what=hpcc ;;
lammps)
    . "${0%/*}/../lib/inputs.sh"
    (cd "$dir" && melt_input 12 400)
    what="lmp -in in.melt -log none" ;;
esac
cd "$dir" || exit 1

# ------------------------------------------------ what others do to a task
victim()        # the pid of one of its tasks, when all have begun
{
    tries=0
    while [ $tries -lt 600 ] && kill -0 "$runner" 2>/dev/null; do
        pid=$(ask "SELECT pid FROM tasks WHERE rank = $((number % tasks)) AND pid > 0
            AND mpi_calls > 0")
        [ -z "$pid" ] || return 0
        sleep 0.1
        tries=$((tries + 1))
    done
    return 1
}
freezer=/sys/fs/cgroup/freezer
release()
{
    echo THAWED >"$group/freezer.state"
    while read -r p; do echo "$p" >"$freezer/cgroup.procs"; done \
        <"$group/cgroup.procs" 2>/dev/null
    rmdir "$group" 2>/dev/null
    group=
}
disturb()
{
    victim || return
    sleep 0.5
    case $disturb in
    stop)
        kill -STOP "$pid" && sleep "$seconds"
        kill -CONT "$pid" ;;
    freeze)
        group=$freezer/healthy.$$
        mkdir "$group" 2>/dev/null || { group=''; return; }
        echo "$pid" >"$group/cgroup.procs" && echo FROZEN >"$group/freezer.state" &&
            sleep "$seconds"
        release ;;
    gdb)
        timeout -k 5 60 gdb -q -batch -nx -p "$pid" -ex "shell sleep $seconds" \
            -ex detach ;;
    nice)
        renice -n 19 -p "$pid" ;;
    esac
} >/dev/null 2>&1

began=$(date +%s%N)
# shellcheck disable=SC2086 # words
timeout -k 20 900 "$build/bin/hector-run" -n "$tasks" --oversubscribe \
    --on-hang kill $what >"$dir/out" 2>"$dir/err" </dev/null &
runner=$!
[ "$disturb" = no ] || disturb
status=0
wait $runner || status=$?
took=$((($(date +%s%N) - began) / 1000000))

values=$(ask "SELECT coalesce(sum(kind = 'deadlock'), 0),
    coalesce(sum(kind = 'hang' AND score > 0), 0),
    coalesce(sum(kind = 'hang' AND score = 0), 0),
    coalesce(sum(kind = 'notice'), 0),
    (SELECT count(*) FROM actions WHERE action = 'kill' AND by = 'hang'),
    quote(min(iif(kind IN ('hang', 'deadlock'), why, NULL)))
    FROM verdicts" | tr '\n|' ' ,')
[ -n "$values" ] || values="0,0,0,0,0,'no record'"
sqlite3 -cmd '.timeout 60000' "$db" "INSERT INTO run VALUES($seed, $number,
    $burners, datetime(), '$kind', '$program', $tasks, '$transport',
    '$(echo "$disturb $seconds" | sed 's/^no .*/no/')',
    $(cut -d' ' -f1 /proc/loadavg), $status, $took / 1000.0, $values)"
case $status,$values in
0,0,0,0,*) ;;
*)  mkdir -p "$KEEP/$seed.$burners.$number"
    cp "$dir"/run.db* "$dir/out" "$dir/err" "$KEEP/$seed.$burners.$number/" ;;
esac
[ ! -t 2 ] || sqlite3 -cmd '.timeout 60000' "$db" "SELECT char(13) ||
    printf('healthy: %d of $runs beside $burners, %d proofs or verdicts, %d bad ends ',
    count(*), sum(proofs + verdicts + loops > 0), sum(status <> 0)) FROM run
    WHERE seed = $seed AND burners = $burners" | tr -d '\n' >&2
