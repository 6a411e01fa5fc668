# gridengine.sh - a real Grid Engine over the simulated hosts of t.sh, for a test
# that says
#
#     . "${0%/*}/../lib/t.sh"
#     . "$top/tests/lib/gridengine.sh"
#     gridengine N
#
# first thing: as after `hosts N`, but n1..nN run an execd each, `login`, where the
# test is, the qmaster, and qsub, qrsh, qstat and qdel work. Each node has four slots
# and the parallel environments `fill`, which fills one node after the other, and
# `round`, which deals the tasks out. Everything is in $T and in the hosts' own
# network, and ends with the test. Where there is no Grid Engine, or no root, the file
# is skipped.
# shellcheck shell=sh disable=SC2154 # $T is t.sh's

gridengine()    # N
{
    [ "$(id -u)" = 0 ] || skip_all "Grid Engine's daemons are root's here"
    need sge_qmaster sge_execd sge_shepherd qsub qrsh qconf qstat qdel
    [ -d /var/spool/gridengine/spooldb ] ||
        skip_all 'Grid Engine was installed without a database of its own'
    # shellcheck disable=SC2046 # names
    unset $(env | sed -n 's/^\(SGE_[A-Z0-9_]*\|PE_HOSTFILE\|PE\|NSLOTS\)=.*/\1/p')
    hosts "$1"
    ge_dir=$T/ge
    mkdir -p "$ge_dir/qmaster" "$ge_dir/execd"
    export SGE_ROOT="$ge_dir/root" SGE_CELL=default SGE_QMASTER_PORT=6444 \
        SGE_EXECD_PORT=6445 SGE_ND=true
    cp -a /var/lib/gridengine "$SGE_ROOT"
    cp -a /var/spool/gridengine/spooldb "$ge_dir/spooldb"
    echo login >"$SGE_ROOT/default/common/act_qmaster"
    sed -i "s|^admin_user.*|admin_user none|
        s|^qmaster_spool_dir.*|qmaster_spool_dir $ge_dir/qmaster|
        s|^ignore_fqdn.*|ignore_fqdn true|
        s|^spooling_params.*|spooling_params $ge_dir/spooldb|" \
        "$SGE_ROOT/default/common/bootstrap"
    start qmaster sge_qmaster
    wait_for 'qconf -sh >/dev/null 2>&1' || ge_fail 'no qmaster'
    ge_configure >"$ge_dir/log" 2>&1
    for ge_h in $t_hosts; do
        start "execd-$ge_h" sh "$AGENT" "$ge_h" sge_execd
    done
    wait_for "[ \"\$(qstat -f 2>/dev/null | grep -c '^all.q@.*amd64 *\$')\" = $1 ]" ||
        ge_fail 'the nodes do not come up'
}

ge_fail()       # WHY: a Grid Engine that does not start is no reason to skip
{
    { cat "$ge_dir/log" "$T/qmaster.log"; qstat -f; } >&2
    fail "a real Grid Engine: $1"
    exit 1
}

# qconf reads a whole description from a file, and changes it there
ge_change()     # HOW-TO-SHOW HOW-TO-SET FILE SED-SCRIPT
{
    # shellcheck disable=SC2086 # words
    qconf $1 | sed "$4" >"$ge_dir/$3" && (cd "$ge_dir" && qconf $2 "$3")
}

ge_configure()
{
    for ge_h in login $t_hosts; do
        qconf -ah "$ge_h"
        qconf -as "$ge_h"
    done
    # An execd kills whatever has the group of a job, also where it is of another cell:
    # each has numbers of its own.
    ge_group=$((100000 + $$ % 20000 * 100))
    ge_change '-sconf' '-Mconf' global "s|^execd_spool_dir.*|execd_spool_dir $ge_dir/execd|
        s|^gid_range.*|gid_range $ge_group-$((ge_group + 99))|
        s|^min_uid.*|min_uid 0|
        s|^min_gid.*|min_gid 0|
        s|^shell_start_mode.*|shell_start_mode unix_behavior|
        s|^load_report_time.*|load_report_time 0:0:1|"
    ge_change '-ssconf' '-Msconf' scheduler 's|^schedule_interval.*|schedule_interval 0:0:1|
        s|^flush_submit_sec.*|flush_submit_sec 1|
        s|^flush_finish_sec.*|flush_finish_sec 1|
        s|^load_adjustment_decay_time.*|load_adjustment_decay_time 0:0:0|'
    for ge_rule in fill_up round_robin; do
        cat >"$ge_dir/pe" <<END
pe_name            ${ge_rule%_*}
slots              99
user_lists         NONE
xuser_lists        NONE
start_proc_args    NONE
stop_proc_args     NONE
allocation_rule    \$$ge_rule
control_slaves     TRUE
job_is_first_task  FALSE
urgency_slots      min
accounting_summary FALSE
qsort_args         NONE
END
        qconf -Ap "$ge_dir/pe"
    done
    # Jobs of other cells of the machine have the same numbers, and files in /tmp.
    mkdir "$ge_dir/job"
    chmod 1777 "$ge_dir/job"
    ge_change '-sq' '-Aq' queue "s|^qname.*|qname all.q|
        s|^tmpdir.*|tmpdir $ge_dir/job|
        s|^hostlist.*|hostlist ${t_hosts# }|
        s|^pe_list.*|pe_list fill round|
        s|^slots.*|slots 4|
        s|^load_thresholds.*|load_thresholds NONE|
        s|^shell .*|shell /bin/sh|
        s|^shell_start_mode.*|shell_start_mode unix_behavior|"
}

# Jobs get what they need of the environment, and not all of it: TMPDIR is Grid
# Engine's own.
ge_submit_by()  # PREFIX ARGUMENT...: of qsub
{
    ge_prefix=$1
    shift
    # shellcheck disable=SC2086 # words
    $ge_prefix qsub -cwd -S /bin/sh -v "PATH,HOME,APPS,T,HECTOR_T,HECTOR_DB,$(
        )OMPI_ALLOW_RUN_AS_ROOT,OMPI_ALLOW_RUN_AS_ROOT_CONFIRM,ASAN_OPTIONS" "$@"
}

ge_submit()     # ARGUMENT...: of qsub
{
    ge_submit_by '' "$@"
}

ge_over()       # back when no job is known any more, whosever it is
{
    wait_for '[ -z "$(qstat -u "*")" ]'
}

ge_left()       # processes of jobs: all of the test that are not daemons of its own
{
    for ge_p in $(t_processes); do
        case $(cat "/proc/$ge_p/comm" 2>/dev/null) in
        hector-* | rounds | sge_shepherd) cat "/proc/$ge_p/comm" ;;
        esac
    done 2>/dev/null
}

ge_end_left()   # hector-run's that Grid Engine has forgotten
{
    for ge_p in $(t_processes); do
        [ "$(cat "/proc/$ge_p/comm" 2>/dev/null)" != hector-run ] || kill "$ge_p"
    done 2>/dev/null
}

ge_slaves()     # how many slaves each host has that have come from its execd
{
    for ge_p in $(t_processes); do
        [ "$(cat "/proc/$ge_p/comm" 2>/dev/null)" = hector-slave ] || continue
        ge_parent=$(awk '{ print $4 }' "/proc/$ge_p/stat")
        case $(cat "/proc/$ge_parent/comm") in
        qrsh_starter | hector-run) ;;
        *) continue ;;          # of another slave
        esac
        tr '\0' '\n' <"/proc/$ge_p/cmdline" | sed -n '/^--name$/{n;p;}'
    done 2>/dev/null | sort | uniq -c | awk '{ print $2, $1 }'
}
