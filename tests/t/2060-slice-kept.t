# Slices that nobody asks for: of the task that a hang is blamed on one is made by
# itself, beside all else, and hector why shows its first lines; -n takes the next
# of those that are behind; whoever waits for a message is told which call took the
# last one like it, and where its sender has sent last.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3

mpicc -O2 -g -DFAULT=7 -o "$T/ring" "$top/tests/eval/slices/halo.c"
line=$(grep -n '/\*! 7 ' "$top/tests/eval/slices/halo.c" | cut -d : -f 1)
job=0
begin()         # COMMAND...: job $job
{
    job=$((job + 1))
    fresh out err run.out run.err
    hector-run -n 4 --oversubscribe "$@" >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
}
found()         # KIND
{
    [ -n "$(sql "SELECT 1 FROM verdicts WHERE job = $job AND kind = '$1'
        AND ranks <> ''" 2>/dev/null)" ]
}
kept()
{
    [ -n "$(sql "SELECT 1 FROM slices WHERE job = $job AND place = 0" 2>/dev/null)" ]
}
end()
{
    hector kill $job >/dev/null
    wait $runner
    wait_for "[ \"\$(sql 'SELECT ended_ns IS NULL FROM jobs WHERE job = $job')\" = 0 ]"
}

# ------------------------------------------------------- by itself, and kept
begin "$T/ring"
wait_for kept
rank=$(sql "SELECT DISTINCT rank FROM slices WHERE job = $job")
ok 'a slice is made of the task that is blamed' [ "$rank" -ge 0 ]
is "$(sql "SELECT count(*) > 0 FROM slices WHERE job = $job AND line = $line
    AND file LIKE '%/halo.c'")" 1 '... and has the line with the fault'
run hector why $job
like "$T/out" "^the lines that decide that task $rank stays in MPI_[A-Za-z]+ \\(halo.c:[0-9]+\\), \
the nearest first:\$" 'hector why says so'
like "$T/out" "^  halo.c:[0-9]+ .*; all [0-9]+: hector why $job --slice $rank\$" \
    '... with the first lines, and where all are'
run hector why $job -j
ok '... in JSON, too' sh -c "perl -MJSON::PP -e 'local \$/; \$a = decode_json(<STDIN>);
    \$s = \$a->{slices}; exit !(\$s->[0]{rank} == $rank && \$s->[0]{place} == 1 &&
        \$s->[0]{lines} == @\$s && \$s->[-1]{reason})' <'$T/out'"
run hector why $job --slice -n 99
is "$status" 1 'nobody is so far behind'
like "$T/err" "verdicts blame [0-9]+ tasks? of job $job: who comes next is known where policy \
progress watches a job" '... is said'
run hector why $job --slice 1 -n 2
is "$status" 2 '-n with a rank'
run hector why $job -n 2
is "$status" 2 '-n without --slice'
run hector why $job -k 2
is "$status" 2 '-k without --slice and --outliers'
end
run hector why $job --slice
is "$status" 0 'the job is gone'
like "$T/out" "^job $job at .*: what decides that task $rank gets to" '... and the slice is shown'
like "$T/out" "halo\\.c:$line " '... with the line with the fault'

# ------------------------------------------- in the order of policy progress
KERNEL_ROUNDS=100000000
export KERNEL_ROUNDS
begin --policy none --policy hang --policy progress \
    --inject rank=2,call=MPI_Waitall:50,fault=hang-after "$APPS/stencil" 32
wait_for 'found progress'
points=$(sql "SELECT count(*) FROM progress WHERE job = $job")
is "$(sql "SELECT $points >= 2")" 1 'tasks stand at several points'
for n in 1 2; do
    of=$(sql "SELECT ranks FROM progress WHERE job = $job AND place = $n" |
        sed 's/[^0-9].*//')
    run hector why $job --slice -n $n
    is "$status" 0 "a slice of who is behind, number $n"
    like "$T/out" "^job $job: what decides that task $of " '... is of the right task'
done
run hector why $job --slice -n $((points + 1))
is "$status" 1 'one more than there are'
like "$T/err" "the tasks of job $job stand at $points points: there is no next one" '... is said'
end

# ------------------------------------------------------------- nothing waits
mkdir "$T/copy"
cp -r "$build/bin" "$build/lib" "$T/copy"
mv "$T/copy/bin/hector-slice" "$T/copy/bin/slice"
cat >"$T/copy/bin/hector-slice" <<END
#!/bin/sh
echo \$\$ >"$T/slices.new"
mv "$T/slices.new" "$T/slices"
while [ ! -e "$T/go" ]; do sleep 0.05; done
exec "$T/copy/bin/slice" "\$@"
END
chmod +x "$T/copy/bin/hector-slice"
PATH=$T/copy/bin:$PATH
begin "$T/ring"
wait_for '[ -e "$T/slices" ]'
wait_for 'grep -q "hector kill ends it" "$T/run.err"'
run hector stack $job
is "$status" 0 'while a slice is made, stacks are taken'
like "$T/out" 'MPI_' '... and shown'
ok '... before it is done' kill -0 "$(cat "$T/slices")"
is "$(sql "SELECT count(*) FROM slices WHERE job = $job")" 0 '... as it is kept later'
: >"$T/go"
wait_for kept
is "$(sql "SELECT count(*) > 0 FROM slices WHERE job = $job AND line = $line")" 1 \
    '... when it is done'
end

rm "$T/go" "$T/slices"
begin "$T/ring"
wait_for '[ -e "$T/slices" ]'
end
pass 'a job ends while a slice of its task is made'
wait_for '! kill -0 "$(cat "$T/slices")" 2>/dev/null'

rm "$T/slices"
mkdir -p "$T/conf/hector"
printf '[master]\nhang_slices = no\n' >"$T/conf/hector/hector.conf"
XDG_CONFIG_HOME=$T/conf
export XDG_CONFIG_HOME
begin "$T/ring"
wait_for 'grep -q "hector kill ends it" "$T/run.err"'
run hector stack $job
unset XDG_CONFIG_HOME
end
is "$(ls "$T/slices" 2>/dev/null)" '' 'hang_slices = no: none is begun'

# ------------------------------------------------- who took the last message
cat >"$T/taken.c" <<'END'
#include <mpi.h>
__attribute__((noinline)) static void ask(int *n)
{
    MPI_Recv(n, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void ask_all(int *n)
{
    MPI_Recv(n, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
    int rank, n = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        for (int i = 0; i < 2; i++)
            MPI_Send(&n, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    if (rank == 0) {
        ask(&n);
        if (argc > 1)
            ask_all(&n);
        else
            ask(&n);
        MPI_Irecv(&n, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -O2 -g -o "$T/taken" "$T/taken.c"
: >"$T/go"
begin "$T/taken"
wait_for 'found hang || found deadlock'
run hector why $job --slice 0
like "$T/out" 'ask +taken.c:4 +took the last message like the one that is awaited: MPI_Recv, '\
'from task 1 with tag 5, [0-9.]+ m?s ago' 'which call took the last message like it'
like "$T/out" 'main +taken.c:18 +task 1 sent to it last: MPI_Send to task 0 with tag 5, '\
'[0-9.]+ m?s ago' 'where its sender has sent last'
end
begin "$T/taken" any
wait_for 'found hang || found deadlock'
run hector why $job --slice 0
like "$T/out" 'ask_all +taken.c:8 +may have taken what is awaited: MPI_Recv, from any task '\
'with any tag' \
    'a call that takes any message'
end
done_testing
