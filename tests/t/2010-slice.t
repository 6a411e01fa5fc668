# hector why --slice: a ring of tasks in which one message has a wrong tag hangs;
# the slice of the task that the verdict blames has the line that is wrong, while
# the job hangs and when it is gone. Where there is no slice, a sentence says why.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3 strip

mpicc -O2 -g -DFAULT=7 -o "$T/ring" "$top/tests/eval/slices/halo.c"
line=$(grep -n '/\*! 7 ' "$top/tests/eval/slices/halo.c" | cut -d : -f 1)

. "$top/tests/lib/hanging.sh"

hang 1 4 "$T/ring"
run hector why 1 --slice
is "$status" 0 'a slice of the task that is blamed'
like "$T/out" '^job 1: what decides that task [0-3] gets to and stays in MPI_' \
    '... says of whom, and where it is'
like "$T/out" "halo\\.c:$line " '... and has the line with the fault'
like "$T/out" 'is here, in MPI_' '... begins where the task is'
is "$(awk '$2 ~ /^halo/ { print $2 }' "$T/out" | sort | uniq -d)" '' \
    '... and has each line once'
like "$T/out" '^Not seen: .*other tasks' '... and says what it cannot see'
run hector why 1 --slice 2 -k 1
is "$(grep -c 'halo\.c:' "$T/out")" 2 '-k 1: the head and one line'
like "$T/out" 'lines more, farther away' '... and how many there are'
run hector why 1.2 --slice -j
ok 'as JSON' sh -c "perl -MJSON::PP -e 'local \$/; \$a = decode_json(<STDIN>);
    exit !(\$a->[0]{rank} == 2 && \$a->[0]{place} == 1 && \$a->[0]{line})' <'$T/out'"
wait_for '[ -n "$(sql "SELECT 1 FROM slices WHERE rank = 2 AND place = 0")" ]'
is "$(sql "SELECT count(*) > 0 FROM slices WHERE file LIKE '%/halo.c'
    AND line = $line AND reason <> ''")" 1 'it is in the view slices'

run hector why 1 --slice 9
is "$status" 1 'a task that there is not'
like "$T/err" 'job 1 has 4 tasks: there is no task 9' '... is said'
run hector why 1.0-1 --slice
is "$status" 2 'two tasks at once'
like "$T/err" 'a slice is of one task' '... are refused'
run hector why 1 --slice x
is "$status" 2 'what is no rank'
run hector why 1 -n 3
is "$status" 2 '-n without --slice'
end 1

run hector why 1 --slice 2
is "$status" 0 'the job is gone'
like "$T/out" '^job 1 at .*: what decides that task 2' \
    '... what was found before is shown, and when that was'
lines=$(sql "SELECT count(DISTINCT place) FROM slices WHERE job = 1
    AND rank = 2 AND place > 0")
ok 'a slice of more than 28 lines' [ "$lines" -gt 28 ]
for path in 37:20 70:28 1000:$lines; do
    sqlite3 -cmd '.timeout 9000' "$HECTOR_DB" "UPDATE slice SET reason =
        'the functions on the path have ${path%:*}'
        WHERE job = 1 AND rank = 2 AND place = 0"
    run hector why 1 --slice 2
    is "$(grep -c 'halo\.c:[0-9]* ' "$T/out")" "${path#*:}" \
        "... of which 40 % of ${path%:*} are shown, 20 at least, and no more than there are"
done
for rank in 0 1 2 3; do
    [ -n "$(sql "SELECT 1 FROM slices WHERE job = 1 AND rank = $rank")" ] && continue
    run hector why 1 --slice $rank
    is "$status" 1 "task $rank, that nobody has asked about"
    like "$T/err" "has ended, and no slice of task $rank is kept" '... is said'
done
run hector why 7 --slice
like "$T/err" 'there is no job 7' 'a job that there is not'

strip -o "$T/stripped" "$T/ring"
hang 2 4 "$T/stripped"
run hector why 2 --slice 0
is "$status" 1 'a program that is stripped'
like "$T/err" 'task 0: no slice: .*is stripped' '... is said'
end 2

# Built anew while it runs: what was loaded is read.
cp "$T/ring" "$T/again"
hang 3 4 "$T/again"
cp "$T/stripped" "$T/new"
mv "$T/new" "$T/again"
run hector why 3 --slice 0
is "$status" 0 'a program that was built anew meanwhile'
like "$T/out" 'built anew, or removed, since it was started' '... is said'
like "$T/out" 'halo\.c:' '... and what was loaded is shown'
rm "$T/again"
run hector why 3 --slice 1
is "$status" 0 'a program that is not there any more'
like "$T/out" 'halo\.c:' '... what was loaded is shown'
end 3

# The first thing that is computed outside of the program is up the stack.
cat >"$T/sleeper.c" <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = rank * 1000;
    if (rank == 1)
        while (n > 0)
            usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -O0 -g -o "$T/sleeper" "$T/sleeper.c"
fresh out err
hector-run -n 2 --oversubscribe --policy none "$T/sleeper" >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job = 4 AND mpi_calls > 1")" = 2 ]'
run hector why 4 --slice
is "$status" 1 'nobody is blamed yet'
like "$T/err" 'say of which one' '... a rank has to be named'
wait_for 'hector why 4 --slice 1 2>"$T/null" | grep -q "is here, in usleep"'
run hector why 4 --slice 1
like "$T/out" 'sleeper\.c:11 .*is here, in usleep' 'a task in a library'
like "$T/out" 'sleeper\.c:8 .*sets' '... and what keeps it there'
end 4

cat >"$T/gone.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (atoi(getenv("HECTOR_RANK")) == 1)
        return 0;
    pause();
    return 0;
}
END
cc -O0 -g -o "$T/gone" "$T/gone.c"
fresh out err
hector-run -n 2 --oversubscribe "$T/gone" >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT state FROM tasks WHERE job = 5 AND rank = 1")" = exited ]'
run hector why 5 --slice 1
is "$status" 1 'a task that has ended while its job runs'
like "$T/err" 'task 1: there is no such process any more' '... is said'
if may_trace; then
    wait_for 'hector why 5 --slice 0 2>"$T/null" | grep -q "is here, in pause"'
    run hector why 5 --slice 0
    like "$T/out" 'gone\.c:7 .*is here, in pause' '... and the others have theirs'
else
    skip '... and the others have theirs' 'the kernel refuses ptrace here'
fi
end 5
done_testing
