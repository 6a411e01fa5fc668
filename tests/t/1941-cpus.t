# Hosts whose processors differ: the tasks of a job that is started on both kinds are
# told to do without what the lesser ones have not, and move both ways; those of a job
# that was started on the better ones alone stay there, and it is said why before
# anything is stopped. One host's slave is told by its operator to be a lesser one.
# limit: 60
# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3 cc
grep -qw avx2 /proc/cpuinfo || skip_all 'this processor has no AVX2 to do without'
. "$top/tests/lib/rounds.sh"

wide=
! grep -qw avx512f /proc/cpuinfo || wide=yes
lesser=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ
start_nodes
R="hector-run --master $master"
tasks=4

variable()      # RANK NAME: of the environment that the task was started with, in which
                # the C library divides tunables by 0
{
    tr '\0' '\n' <"/proc/$(pid_of $1)/environ" | awk -v name="$2=" '
        index($0, name) == 1 { text = substr($0, length(name) + 1); next }
        text && /^glibc\./ { text = text ":" $0; next }
        text { exit }
        END { print text }'
}
moved()         # DESCRIPTION TARGET NODE
{
    run hector migrate $2 $3
    is "$status $(grep -c "on $3 now" "$T/out")" '0 1' "$1"
    cat "$T/err" >&2
}
refused()       # DESCRIPTION SENTENCE TARGET NODE
{
    run hector migrate $3 $4
    is "$status $(grep -Ec -- "$2" "$T/err")" '1 1' "$1"
    cat "$T/err" >&2
}
stops()         # how often anything was stopped for a move of the job
{
    sql "SELECT count(*) FROM transition WHERE job = $job AND machine = 'move'"
}

# ------------------------------------------------------------------- both kinds
user=glibc.malloc.perturb=0:glibc.cpu.hwcaps=-RTM:glibc.malloc.check=0
begin -H n1:2,n3:2 --oversubscribe --migratable -x GLIBC_TUNABLES=$user
told=$(variable 0 GLIBC_TUNABLES)
is "$(for r in 0 1 2 3; do variable $r GLIBC_TUNABLES; done | sort -u | wc -l)" 1 \
    'all tasks are told the same, on either host'
ok '... to do without what one host has not' sh -c 'case $1 in
    glibc.cpu.hwcaps=-RTM,*-AVX2,*) ;; *) false ;; esac' - "$told"
ok '... besides what the user told them' sh -c 'case $1 in
    *:glibc.malloc.perturb=0:glibc.malloc.check=0) ;; *) false ;; esac' - "$told"
is "$(variable 0 LD_BIND_NOW)" "${wide:+1}" '... and where vectors differ, to bind all at once'
moved 'to the lesser host' $job.0 n3
moved '... and back' $job.0 n1
moved 'to another one of the better kind' $job.2 n2
moved '... and to the lesser one again' $job.2 n3
moved 'all of the lesser host' $job.2-3 n1
whole 'nothing is lost'

# ------------------------------------------------------------------ one kind
begin -H n1:2,n2:2 --oversubscribe --migratable
is "$(variable 0 GLIBC_TUNABLES)$(variable 3 LD_BIND_NOW)" '' \
    'where all hosts are alike nobody is told anything'
refused 'they do not move to a lesser one' \
    "n3 has no .*AVX2.*, which tasks of job $job may use: .* from the start" $job.1 n3
is "$(stops)" 0 '... and nothing was stopped'
moved '... but to one like theirs' $job.1 n2
run hector drain n2 --wait
is "$status $(sql "SELECT group_concat(DISTINCT node) FROM tasks WHERE job = $job")" '0 n1' \
    'who empties a host does not send them to a lesser one'
run hector drain n1
ok '... also where there is no other' grep -q 'node n3 has no .*AVX2' "$T/out" "$T/err"
cat "$T/out" "$T/err" >&2
hector undrain n1 >"$T/out"
hector undrain n2 >"$T/out"
whole 'nothing is lost of them'

# ---------------------------------------------------------------------- in files
tasks=2
begin -H n1:1,n2:1 --oversubscribe --checkpoint-dir "$T/saved"
hector checkpoint $job >"$T/out" 2>"$T/err"
finish
rm -f "$T/enough"
run $R -H n3:2 --oversubscribe --restart "$T/saved" </dev/null
is "$status $(grep -c 'node n3 has no .*AVX2.*, which tasks of job .* may use' "$T/err")" \
    '125 1' 'saved tasks are not made again on a lesser host'
cat "$T/err" >&2

# ---------------------------------------------------------------- the lesser kind
begin -H n3:2 --oversubscribe --migratable
if [ $wide ]; then
    refused 'those of lesser hosts alone do not move to one with wider registers' \
        "node n1 has wider registers than tasks of job $job were started for" $job.1 n1
else
    moved 'those of lesser hosts alone move to a better one' $job.1 n1
fi
whole '... and go on'

# ------------------------------------------------------------ what that changes
cat >"$T/copies.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    Dl_info in;

    dladdr((void *)copy, &in);
    printf("memcpy at %lx\n", (long)((char *)copy - (char *)in.dli_fbase));
    return 0;
}
END
cc -O1 -fno-builtin -o "$T/copies" "$T/copies.c" -ldl || exit 1
copies()        # HOSTS: which function copies memory
{
    $R -H $1 --migratable -n 2 "$T/copies" </dev/null | sort -u
}
if [ $wide ]; then
    alike=$(copies n1:1,n2:1) mixed=$(copies n1:1,n3:1)
    is "$(echo "$mixed" | wc -l)" 1 'the C library copies in one way on both kinds of hosts'
    ok '... which is another one than where all are alike' [ "$alike" != "$mixed" ]
fi
done_testing
