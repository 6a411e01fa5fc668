# Call trees of what is left: 64 tasks of which 5 end while they are looked at,
# and 64 processes of which 5 are killed; a kernel that refuses ptrace, and a
# person who may not look; a process that becomes another program all the time.
# limit: 60
# shellcheck disable=SC2016,SC2154
. "${0%/*}/../lib/t.sh"
need gcc

cat >"$T/p.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int go = 1;
__attribute__((noinline)) static void stay(void) { while (go) pause(); }
__attribute__((noinline)) static void leave(const char *when)
{
    while (access(when, F_OK))
        usleep(1000);
}
/* p WHEN UP: ranks 3, 17, 31, 47 and 63 end when there is a file WHEN. */
int main(int argc, char **argv)
{
    const char *rank = getenv("HECTOR_RANK");
    char up[200];
    FILE *f;
    snprintf(up, sizeof(up), "%s.%s", argv[2], rank ? rank : "x");
    f = fopen(up, "w");
    if (f)
        fclose(f);
    if (argc > 2 && rank && strstr(",3,17,31,47,63,", rank) &&
        (!strcmp(rank, "3") || strlen(rank) == 2))
        leave(argv[1]);
    else
        stay();
    return 0;
}
END
gcc -g -O1 -o "$T/p" "$T/p.c"

note()          # RANKS: what is said of just these
{
    sqlite3 :memory: "SELECT json_extract(n.value, '\$.text')
        FROM json_each(CAST(readfile('$T/out') AS TEXT), '\$.notes') n
        WHERE json_extract(n.value, '\$.ranks') = '$1'"
}
of()            # FUNCTION COLUMN: of the nodes with that name
{
    sqlite3 :memory: "SELECT json_extract(n.value, '\$.$2')
        FROM json_each(CAST(readfile('$T/out') AS TEXT), '\$.nodes') n
        WHERE json_extract(n.value, '\$.function') = '$1'"
}
# One reads just now: of another test perhaps, and then the five end a little
# earlier, which changes nothing in what is looked at.
unwinder() { grep -qsx hector-unwind /proc/[0-9]*/comm; }
sampling()      # WORD...: hector stack with many samples, in the background
{
    hector stack -j --samples 30 --interval 100 "$@" >"$T/out" 2>"$T/err" &
    asked=$!
    wait_only unwinder 1      # where all is slow they end before, not after
}

# ------------------------------------------------------------------ losses
hector-run --oversubscribe -n 64 "$T/p" "$T/when" "$T/up" >"$T/run.out" \
    2>"$T/run.err" </dev/null &
runner=$!
ok '64 tasks run' wait_for '[ "$(ls up.* 2>/dev/null | wc -l)" = 64 ]'
settled() { hector stack 1 --folded >"$T/out" 2>&1 &&
    [ "$(grep -Ec '^main;(stay|leave)' "$T/out")" = \
      "$(grep -c . "$T/out")" ]; }
wait_for settled
sampling 1
: >"$T/when"
wait $asked
is "$?" 0 'five of them end while they are sampled: there is a tree'
is "$(of stay ranks)" 0-2,4-16,18-30,32-46,48-62 '... of the rest'
# Where there is no processor for it, a task may miss a sample.
ok '... to the last sample' [ "$(of stay 'traces[29]')" -ge 40 ]
is "$(note 3,17,31,47,63)" 'there is no such process any more' \
    '... with a note about the five'
is "$(sql 'SELECT state FROM jobs')" running '... and the job runs on'
run hector stack 1 --last -j
is "$(of stay ranks)" 0-2,4-16,18-30,32-46,48-62 '... and so it is kept'
hector kill 1 >/dev/null
wait $runner

rm -f "$T"/up.* "$T/when"
pids=
i=0
while [ $i -lt 64 ]; do
    start "p$i" "$T/p" "$T/when" "$T/up.$i"
    pids=$pids${pids:+,}$started
    [ $((i % 13)) -gt 0 ] || victims="${victims:+$victims }$started"
    i=$((i + 1))
done
wait_for '[ "$(ls up.*.x 2>/dev/null | wc -l)" = 64 ]'
sampling --pid "$pids"
# shellcheck disable=SC2086
kill -KILL $victims
wait $asked
is "$?" 0 'five of 64 processes are killed meanwhile'
ok '... and the rest is there to the end' [ "$(of stay 'traces[29]')" -ge 40 ]
like "$T/out" '"there is no such process any more"' '... the five are named'
for i in $(echo "$pids" | tr , ' '); do kill "$i" 2>/dev/null; done

# ------------------------------------------------------------------ refused
gcc -o "$T/noptrace" "$top/tests/lib/noptrace.c"
if "$T/noptrace" true; then
    rm -f "$T/mark"
    "$T/noptrace" hector-run -n 4 --oversubscribe "$APPS/stuck" 1 "$T/mark" \
        >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
    wait_for '[ -e "$T/mark" ]'
    job=$(sql 'SELECT max(job) FROM jobs')
    told() { run hector stack "$job" --lines &&
        grep -Eq '2 +\[0,3\] +main .* > MPI_Barrier' "$T/out"; }
    ok 'a kernel that refuses ptrace: the tasks tell their stacks' \
        wait_for told
    like "$T/out" '^\[0-3\]: ptrace is not permitted: the task has told its stack itself' \
        '... which is said'
    like "$T/out" 'main > do_send_or_stall \(stuck.c:[0-9]+\)' '... with lines'
    hector kill "$job" >/dev/null
    wait $runner
    start alone sleep 300
    run "$T/noptrace" hector stack --pid "$started"
    is "$status" 1 'a process without the wrapper library'
    like "$T/out" "^\[$started\]: ptrace is not permitted, and the task has no wrapper library" \
        '... says what is missing'
    kill "$started"
else
    skip 'a kernel that refuses ptrace' 'no seccomp here'
fi
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if [ "$(id -u)" = 0 ] && nobody hector --version >/dev/null 2>&1; then
    start roots sleep 300
    run nobody hector stack --pid "$started"
    is "$status" 1 "somebody else's process"
    like "$T/out" "^\[$started\]: we may not look at it: it is another user's" \
        '... is said to be that'
    kill "$started"
else
    skip "somebody else's process" 'not root, or no setpriv'
fi

# ------------------------------------------------------------------- execs
cat >"$T/again" <<'END'
sleep 0.02
[ -e "$1" ] || exec sh "$0" "$1"
END
start again sh "$T/again" "$T/over"
n=0
while [ $n -lt 5 ]; do
    hector stack --pid "$started" --samples 10 --interval 7 >"$T/out" 2>"$T/err"
    case $? in
    0) ;;
    1) grep -Eq 'another program|could not be followed|has ended|no such process' \
           "$T/out" "$T/err" || break ;;
    *) break ;;
    esac
    n=$((n + 1))
done
is $n 5 'a process that becomes another program all the time'
: >"$T/over"
done_testing
