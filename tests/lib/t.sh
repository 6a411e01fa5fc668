# t.sh - what a system test needs; a test starts with
#
#     . "${0%/*}/../lib/t.sh"
#
# and ends with `done_testing`. It gets a private directory ($T, also the
# current one), a private home, TMPDIR and database, and the built programs in
# PATH ($BIN, $APPS). TAP goes to stdout, everything else to stderr.
#
# At the end it is checked that nothing was left behind: no process that
# descends from the test, no file in /dev/shm, nothing in TMPDIR.
#
# Simulated hosts (network, name, /dev/shm and TMPDIR of their own, a bridge
# between them): call `hosts N` first thing; see there.
# shellcheck shell=sh disable=SC2031

set -u
top=$(cd "${0%/*}/../.." && pwd)
t_self=$(cd "${0%/*}" && pwd)/${0##*/}
build=${HECTOR_BUILD:-$top/build}
BIN=$build/bin APPS=$build/apps
export BIN APPS

# ---------------------------------------------------------------- TAP
tap_n=0
tap_failed=0
tap_well=                       # it has come to its end, and nothing failed

ok()            # DESCRIPTION COMMAND...: passes if the command does
{
    tap_what=$1
    shift
    if "$@"; then pass "$tap_what"; else fail "$tap_what" "failed: $*"; fi
}

is()            # GOT WANTED DESCRIPTION
{
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3" "got:    $1" "wanted: $2"
    fi
}

like()          # FILE EXTENDED-REGEXP DESCRIPTION
{
    if grep -Eq -- "$2" "$1"; then
        pass "$3"
    else
        fail "$3" "no line matches: $2" "$(head -n 20 "$1")"
    fi
}

pass()
{
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1"
}

fail()          # DESCRIPTION [EXPLANATION...]
{
    tap_n=$((tap_n + 1))
    tap_failed=$((tap_failed + 1))
    echo "not ok $tap_n - $1"
    shift
    for tap_line in "$@"; do
        printf '%s\n' "$tap_line" | sed 's/^/#   /'
    done
}

skip()          # DESCRIPTION REASON: one test that cannot be made here
{
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1 # SKIP $2"
}

skip_all()      # REASON: nothing of this file can be tested here
{
    echo "1..0 # SKIP $1"
    tap_well=1
    trap - EXIT
    t_cleanup
    exit 0
}

need()          # PROGRAM...: skip the file if one is missing
{
    for tap_p in "$@"; do
        command -v "$tap_p" >/dev/null 2>&1 || skip_all "no $tap_p here"
    done
}

open_mpi_5()    # is that the Open MPI here?
{
    mpirun --version 2>/dev/null | grep -q '(Open MPI) 5'
}

tasks_move()    # can they, of the Open MPI that this was built with?
{
    [ -e "$build/lib/hector/libmpi.so.40" ]
}

need_moves()    # skip the file where they cannot
{
    tasks_move || skip_all 'tasks of this Open MPI cannot be moved'
}

done_testing()
{
    t_stop_started
    t_check_processes
    t_check_shm
    t_check_tmp
    [ ! -s "$t_vain" ] || fail 'nothing is waited for in vain' "$(cat "$t_vain")"
    echo "1..$tap_n"
    [ "$tap_failed" -eq 0 ] && tap_well=1
    exit
}

# ------------------------------------------------- the private directory
T=${T_KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/hct-XXXXXX")} || exit 1
export T HOME="$T/home" TMPDIR="$T/tmp" HECTOR_DB="$T/hector.db"
t_vain=$T/vain                  # of all lanes
export HECTOR_T="$T"            # marks every process that descends from us
mkdir -p "$HOME" "$TMPDIR"
unset XDG_RUNTIME_DIR XDG_STATE_HOME XDG_CONFIG_HOME HECTOR_MASTER \
    HECTOR_KEY_FILE SLURM_JOB_ID FLUX_URI
# Programs that only have to be there leave the processors to other tests; campaigns and
# benchmarks measure, and let them run.
case $t_self in */t/*.t) export KERNEL_NAP="${KERNEL_NAP-1}" ;; esac
# A job that nobody ends leaves its call stacks in the test's output, as what waits for it
# has given up (wait_for) and before the test is ended (one.sh).
export MPIEXEC_TIMEOUT=$((${T_LIMIT:-120} * 4))
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# This machine's network is nothing that tests ask for, and Open MPI 5 speaks of one that
# it does not like; simulated hosts have theirs.
if [ -z "${T_INSIDE:-}" ]; then
    export OMPI_MCA_btl_tcp_if_include=lo
else
    unset OMPI_MCA_btl_tcp_if_include
fi
# With SANITIZE=address: leaks are looked for in the unit tests; in a daemon
# the leak checker stumbles over PMIx's thread and finds what PMIx leaves.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
# With SANITIZE=undefined a daemon would say it to a log that nobody reads.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export PATH="$BIN:$PATH:/usr/sbin:/sbin"
cd "$T" || exit 1
# Tests put $APPS into words, of mpirun and others too; $BIN stays as it is.
case $build in
*' '*)
    ln -sfn "$build/apps" "$T/apps"
    APPS=$T/apps
    ;;
esac
t_shm()         # what we have in /dev/shm
{
    find /dev/shm -mindepth 1 -maxdepth 1 -user "$(id -u)" 2>/dev/null
}
t_shm >"$T/.shm"

t_why()         # of a test that failed: what it knows, for who sees only its log
{
    if [ -s "$HECTOR_DB" ]; then
        echo 'jobs and verdicts:'
        sql 'SELECT job, state, exit_code, reason FROM jobs ORDER BY job DESC LIMIT 6'
        sql 'SELECT job, policy, kind, ranks, score, why FROM verdicts
            ORDER BY job DESC, at_ns DESC LIMIT 6'
        echo 'steps for deadlines, and actions:'
        sql 'SELECT job, number, kind, target, state, result, why FROM ladder
            ORDER BY at_ns DESC LIMIT 6'
        sql 'SELECT job, action, ranks, result, why FROM actions
            ORDER BY at_ns DESC LIMIT 12'
        echo 'the last transitions, seconds before the last one:'
        sql "SELECT round((SELECT max(at_ns) FROM transition) / 1e9 - at_ns / 1e9, 3),
            job, machine, state_from || ' -' || event || '-> ' || state_to
            FROM transition ORDER BY at_ns DESC LIMIT 24"
    fi
    find "$T" -maxdepth 2 \( -name '*.log' -o -name '*.err' -o -name err \) -size +0 |
        sort | head -n 24 | while read -r tap_f; do
            echo "the end of ${tap_f#"$T/"}:"
            tail -n 8 "$tap_f" | cut -c 1-300
        done
} >&2

t_cleanup()
{
    t_stop_started
    [ -n "$tap_well" ] || t_why
    for tap_p in ${t_lanes:-}; do
        kill -KILL "${tap_p#*:}" 2>/dev/null
    done
    for tap_p in $(t_processes) ${t_holders:-}; do
        kill -KILL "$tap_p" 2>/dev/null
    done
    cd / && rm -rf "$T"
}
trap t_cleanup EXIT
trap 'exit 143' TERM
trap 'exit 141' PIPE
trap 'exit 130' INT
trap 'exit 129' HUP

# ------------------------------------------------------------- running
status=0
run()           # COMMAND...: output in $T/out and $T/err, $status
{
    status=0
    "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
}

out() { cat "$T/out"; }

may_trace()     # the kernel does not refuse ptrace
{
    "$APPS/may_trace" >/dev/null
}

ends_told()     # GOT WANTED DESCRIPTION: as `is`, of how tasks of other launchers
{               # have ended, which the kernel tells since Linux 6.15
    if [ "$(uname -r | awk -F. '{ print ($1 * 100 + $2 >= 615) }')" = 1 ]; then
        is "$@"
    else
        skip "$3" 'the kernel is too old to tell'
    fi
}

sql_by() { :; }                 # words before it; nobody.sh has some
sql()           # QUERY: rows, columns separated by |
{
    $(sql_by) sqlite3 -readonly -cmd '.timeout 5000' "$HECTOR_DB" "$1"
}

t_patience=$((${T_LIMIT:-120} * 3))
wait_for()      # CONDITION: evaluated until true, for three times as long as the test says
{               # that it takes; if it never is, the test has failed
    wait_only "$1" $t_patience && return
    echo "$1" >>"$t_vain"
    return 1
}

wait_only()     # CONDITION SECONDS: the same, for what may never come true. What takes
{               # long is looked at less often: a look is several processes
    tap_until=$(($(date +%s) + $2)) tap_looks=0
    until eval "$1"; do
        if [ "$(date +%s)" -ge "$tap_until" ]; then
            echo "wait_for: not within $2 s: $1" >&2
            return 1
        fi
        tap_looks=$((tap_looks + 1))
        if [ $tap_looks -lt 10 ]; then sleep 0.05; elif [ $tap_looks -lt 30 ]
        then sleep 0.1; else sleep 0.2; fi
    done
}

job_runs()      # until a job runs that was begun in the background; $job
{
    wait_for 'sql "SELECT max(job) FROM jobs WHERE state = '\''running'\''" 2>/dev/null |
        grep -q "[1-9]"'
    # shellcheck disable=SC2034 # for who reads it
    job=$(sql 'SELECT max(job) FROM jobs')
}

pieces()        # of the tape of $job, of ten seconds each: how many there are
{
    # shellcheck disable=SC2154 # who asks has it
    sql "SELECT count(*) FROM look WHERE job = $job" 2>/dev/null || echo 0
}

looks()         # at $job that are in the record
{
    sql "SELECT ifnull(max(seq), 0) FROM look WHERE job = $job" 2>/dev/null || echo 0
}

after_looks()   # until the record has those of ten seconds more: what the policies have
{               # not said by then they do not say
    tap_seen=$(pieces)
    wait_for '[ "$(pieces)" -gt "$tap_seen" ]'
}

before_others() # $now before a command: what else runs does not hold it up, where one
{               # may have that
    now='chrt -f 50'
    $now true 2>/dev/null || now=
}

fresh()         # NAME...: files in $T, empty before a command in the background
{               # has come to empty them itself, that nothing old is found there
    for tap_f; do
        : >"$T/$tap_f"
    done
}

mortal()        # COMMAND...: in the background: is ended when this shell has, of
{               # whatever that dies
    exec setpriv --pdeathsig TERM "$@"
}

t_started=
start()         # NAME COMMAND...: in the background, output in $T/NAME.log;
{               # its pid is in $started; stopped at the end
    tap_name=$1
    shift
    "$@" >"$T/$tap_name.log" 2>&1 </dev/null &
    started=$!
    t_started="$t_started $started"
}

t_stop_started()
{
    for tap_p in $t_started; do
        kill -TERM "$tap_p" 2>/dev/null
    done
    for tap_p in $t_started; do
        wait_only "! kill -0 $tap_p 2>/dev/null" 60 ||
            kill -KILL "$tap_p" 2>/dev/null
    done
    t_started=
}

# By $T/master.conf, below any name that no other log has; back when it listens.
launch_master() # NAME [OPTION...]: its pid is in $master_pid
{
    tap_name=$1
    shift
    rm -f "$T/$tap_name.log"    # a master before may have had the same
    start "$tap_name" hector-master -d -v "$@" -f "$T/master.conf"
    master_pid=$started
    wait_for "grep -q 'listening on' '$T/$tap_name.log'"
}

master_port()   # of the TCP address in $T/master.log
{
    sed -n 's/.*listening on .*tcp:[^ ]*:\([0-9]*\), database.*/\1/p' \
        "$T/master.log"
}

# A standing master on a private socket, and on the addresses named.
start_master()  # [ADDRESS...]
{
    master=unix:$T/master.sock
    printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 30s\n' \
        "$(echo "$master" "$@" | tr ' ' ',')" "$HECTOR_DB" >"$T/master.conf"
    launch_master master
}

start_tcp_master()      # also on TCP, at $port, with a key of its own
{
    HECTOR_KEY_FILE=$T/key
    export HECTOR_KEY_FILE
    start_master tcp:127.0.0.1:0
    port=$(master_port)
}

start_nodes()   # a master that simulated hosts reach, and the slaves of n1 to n3, whose
{               # guards are $guard_n1 ...; it is at $master_at, also started again;
                # $lesser, if it is set, are the GLIBC_TUNABLES of that of n3
    HECTOR_KEY_FILE=$T/key
    export HECTOR_KEY_FILE
    master_at=tcp:10.66.0.254:7119
    start_master $master_at
    for tap_h in n1 n2 n3; do
        tap_e=
        [ $tap_h != n3 ] || tap_e=${lesser:+GLIBC_TUNABLES=$lesser}
        start "slave-$tap_h" sh "$AGENT" $tap_h env ${tap_e:+"$tap_e"} hector-slave -d -v \
            --master $master_at --name $tap_h
        eval "guard_$tap_h=\$started"
    done
    nodes_joined master
}
nodes_joined()  # NAME: of that master's log: all three have
{
    tap_log=$T/$1.log
    # One may have come twice.
    wait_for '[ "$(grep -o "node n[123] joined" "$tap_log" | sort -u | wc -l)" = 3 ]'
}

slave_on()      # HOST: the pid of its slave, which the guard has started
{
    for tap_p in $(t_processes); do
        [ "$(cat "/proc/$tap_p/comm")" = hector-slave ] &&
            grep -q hector-slave "/proc/$(awk '/^PPid/ { print $2 }' \
                "/proc/$tap_p/status")/comm" &&
            [ "$(nsenter -t "$tap_p" -u hostname)" = "$1" ] && echo "$tap_p"
    done 2>/dev/null | tail -n 1
}
processes_of()  # HOST: all that run there, whoever has started them
{
    tap_p=$(cat "$T/hosts/$1")
    tap_ns=$(readlink "/proc/$tap_p/ns/net" | sed 's/[][]/\\&/g')
    find /proc/[0-9]*/ns/net -maxdepth 0 -lname "$tap_ns" 2>/dev/null | cut -d/ -f3 |
        grep -vx "$tap_p" || :
}
# A machine that loses its power: nobody there records the end of another. Processes die
# one after the other, so the database is held meanwhile, and who kills is not held up.
# (They may not be stopped first: to groups that lose their parents the kernel sends
# SIGHUP then.) Also what starts meanwhile dies.
kill_all_on()   # HOST
{
    hold_database
    before_others
    while tap_gone=$(processes_of "$1") && [ -n "$tap_gone" ]; do
        # shellcheck disable=SC2086 # several
        $now env kill -KILL $tap_gone 2>/dev/null || :
    done
    release_database
}
hold_database() # no other process writes to it until release_database
{
    tap_holder=
    [ -s "$HECTOR_DB" ] && command -v sqlite3 >/dev/null || return 0
    rm -f "$T/.hold"
    mkfifo "$T/.hold"
    $(sql_by) sqlite3 -cmd '.timeout 60000' "$HECTOR_DB" <"$T/.hold" >"$T/.held" &
    tap_holder=$!
    exec 9>"$T/.hold"
    echo "BEGIN IMMEDIATE; SELECT 'held';" >&9
    wait_for 'grep -q held "$T/.held"'
}
release_database()
{
    [ -n "$tap_holder" ] || return 0
    exec 9>&-
    wait "$tap_holder"
}

start_slave()   # NAME [ARGUMENT...]
{
    tap_node=$1
    shift
    start "slave-$tap_node" hector-slave -d --master "$master" \
        --name "$tap_node" "$@"
    slave_pid=$started
}

# --------------------------------------------------------- several at a time
# What mostly waits does so beside what else waits: `lane NAME COMMAND` runs a function
# or a script that says TAP in the background, with $T and a database of its own;
# `lanes` waits for all of them, and their tests are then this file's, in the order in
# which they were begun.
t_lanes=
# shellcheck disable=SC2030 # they are meant to be the subshell's own
lane()          # NAME COMMAND...
{
    tap_lane=$1
    shift
    mkdir "$T/$tap_lane"
    (
        T=$T/$tap_lane t_started='' t_lanes=''
        HECTOR_T=$T HECTOR_DB=$T/hector.db
        cd "$T" || exit 1
        if [ -d ../hosts ]; then
            ln -s ../hosts .    # for the agent
        else
            TMPDIR=$TMPDIR/$tap_lane
            mkdir "$TMPDIR"
        fi
        "$@" || exit
        t_stop_started
        echo "# $tap_lane is through"
    ) >"$T/$tap_lane.tap" 2>"$T/$tap_lane.words" </dev/null &
    t_lanes="$t_lanes $tap_lane:$!"
}

lanes()
{
    for tap_name in $t_lanes; do
        wait "${tap_name#*:}"
        tap_name=${tap_name%%:*}
        rmdir "$TMPDIR/$tap_name" 2>/dev/null   # stays if anything is left in it
        tap_name=$T/$tap_name
        while IFS= read -r tap_line; do
            case $tap_line in
            'ok '*) pass "${tap_line#* - }" ;;
            'not ok '*) fail "${tap_line#* - }" ;;
            1..*) ;;
            *) printf '%s\n' "$tap_line" ;;
            esac
        done <"$tap_name.tap"
        tail -n 1 "$tap_name.tap" | grep -q '^# .* is through$' ||
            fail "${tap_name##*/} has come to its end"
        cat "$tap_name.words" >&2
    done
    t_lanes=
}

# ----------------------------------------------------- nothing left behind
t_processes()   # pids of our descendants, also of those that were orphaned
{
    tap_self=$(tr '\0' ' ' <"/proc/$$/cmdline")
    # shellcheck disable=SC2013 # words are wanted: numbers
    for tap_q in $(grep -lszE "^HECTOR_T=$T(/.*)?\$" /proc/[0-9]*/environ |
                   sed 's|/proc/\([0-9]*\)/.*|\1|'); do
        case " $$ ${t_holders:-} " in *" $tap_q "*) continue ;; esac
        tap_c=$(tr '\0' ' ' 2>/dev/null <"/proc/$tap_q/cmdline") || continue
        # a zombie has no words, a subshell of this test has the test's
        [ -z "$tap_c" ] || [ "$tap_c" = "$tap_self" ] || echo "$tap_q"
    done 2>/dev/null
}

t_check_processes()
{
    if wait_only '[ -z "$(t_processes)" ]' $t_patience 2>/dev/null; then
        pass 'no process is left behind'
    else
        fail 'no process is left behind' "$(t_processes | while read -r tap_p
            do tr '\0' ' ' <"/proc/$tap_p/cmdline"; echo "(pid $tap_p)"; done)"
    fi
}

t_new_shm()
{
    t_shm | grep -vxFf "$T/.shm" | while read -r tap_f; do
        # not what another job of this user works with
        { cat /proc/[0-9]*/maps; ls -l /proc/[0-9]*/fd; } 2>/dev/null |
            grep -qF "$tap_f" || echo "$tap_f"
    done
}

t_check_shm()
{
    if wait_only '[ -z "$(t_new_shm)" ]' $t_patience 2>/dev/null; then
        pass 'nothing is left in /dev/shm'
    else
        fail 'nothing is left in /dev/shm' "$(t_new_shm)"
    fi
}

left_nothing()  # DESCRIPTION: all of that, as one test, in the middle of a
{               # file; not for simulated hosts
    if wait_only '[ -z "$(t_left)" ]' $t_patience 2>/dev/null; then
        pass "$1"
    else
        fail "$1" "$(t_left)"
    fi
}

t_left()        # what is left behind just now, one a line
{
    for tap_p in $(t_processes); do
        echo "process $tap_p: $(tr '\0' ' ' 2>/dev/null \
            <"/proc/$tap_p/cmdline")"
    done
    t_new_shm
    find "$TMPDIR" -mindepth 1 -maxdepth 1
}

left_by_mpi()   # what mpirun that was killed, and a program that is started without
                # any launcher, leave in Open MPI 5 is not ours
{
    rm -rf "$TMPDIR"/ompi.* "$TMPDIR"/prterun.*
    # /dev/shm is the test's alone where one.sh could make it so
    [ -z "${T_OWN_SHM:-}" ] || rm -f /dev/shm/sm_segment.* /dev/shm/vader_segment.*
}

t_check_tmp()
{
    tap_left=$(ls -A "$TMPDIR")
    for tap_h in ${t_hosts:-}; do
        tap_left=$tap_left$(on "$tap_h" ls -A "$TMPDIR" /dev/shm | grep -v ':$')
    done
    is "$tap_left" '' 'no directory is left behind'
}

# --------------------------------------------------------- simulated hosts
# hosts N: this test and what it starts move to a machine called `login` with
# a network of its own, and N hosts n1..nN are joined to it by a bridge. As
# an ordinary user this needs user namespaces. Then
#
#     on n2 COMMAND...          runs a command there
#     hector-run --launch-agent "$AGENT" -H n1,n2 ...
#
# All of it ends with the test, whatever happens.
AGENT=$T/agent          # --launch-agent takes words: no blanks from $top
export AGENT

hosts()
{
    if [ -z "${T_INSIDE:-}" ]; then
        need unshare nsenter ip
        tap_flags=-nmu
        [ "$(id -u)" = 0 ] || tap_flags=-Urnmu
        unshare $tap_flags true 2>/dev/null ||
            skip_all "simulated hosts need root or user namespaces"
        trap - EXIT
        export T_INSIDE=1 T_KEEP="$T"
        exec unshare $tap_flags sh "$t_self"
    fi
    t_hosts=
    t_holders=
    mkdir -p "$T/hosts"
    cp "$top/tests/lib/agent.sh" "$AGENT"
    hostname login
    ip link set lo up
    if ! ip link add lan type bridge; then
        skip_all "no bridge between simulated hosts: see the line above"
    fi
    ip addr add 10.66.0.254/24 dev lan
    ip link set lan up
    : >"$T/resolv.conf"
    echo '127.0.0.1 localhost' >"$T/etc-hosts"
    echo '10.66.0.254 login' >>"$T/etc-hosts"
    tap_i=1
    while [ $tap_i -le "$1" ]; do
        echo "10.66.0.$tap_i n$tap_i" >>"$T/etc-hosts"
        tap_i=$((tap_i + 1))
    done
    mount --bind "$T/etc-hosts" /etc/hosts
    mount --bind "$T/resolv.conf" /etc/resolv.conf 2>/dev/null
    tap_i=1
    while [ $tap_i -le "$1" ]; do
        host_up "n$tap_i" "10.66.0.$tap_i"
        tap_i=$((tap_i + 1))
    done
}

host_up()       # NAME ADDRESS: a process that holds the host's namespaces
{
    rm -f "$T/hosts/$1"
    T_UP="$T/hosts/$1" exec setpriv --pdeathsig KILL unshare -num sh -c '
        hostname "$1" && mount -t tmpfs shm /dev/shm &&
        mount -t tmpfs tmp "$TMPDIR" && echo $$ >"$T_UP.new" &&
        mv "$T_UP.new" "$T_UP" && exec sleep 100000' - "$1" &
    t_holders="$t_holders $!"
    wait_for "[ -s '$T/hosts/$1' ]" || exit 1
    tap_pid=$(cat "$T/hosts/$1")
    ip link add "v$1" type veth peer name eth0 netns "$tap_pid"
    ip link set "v$1" master lan up
    on "$1" sh -c "ip link set lo up; ip link set eth0 up;
        ip addr add $2/24 dev eth0; ip route add default via 10.66.0.254"
    t_hosts="$t_hosts $1"
}

on()            # HOST COMMAND...
{
    sh "$AGENT" "$@"
}
