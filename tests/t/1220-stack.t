# hector stack on a job: the ring program of the STAT paper with one task
# stuck before its send, 16 tasks on 4 hosts; in C, Fortran and with OpenMP;
# once and over several samples; tasks that die, stop and exec meanwhile;
# without ptrace, without the wrapper library; bad input.
# limit: 60
. "${0%/*}/../lib/t.sh"
hosts 4

run_job()       # OPTION... PROGRAM: on four hosts; waits until rank 5 is stuck
{
    rm -f "$T/mark"
    job=$((job + 1))
    hector-run --launch-agent "$AGENT" -H n1:4,n2:4,n3:4,n4:4 -n 16 "$@" \
        >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
}
stuck() { run_job "$APPS/$1" 5 "$T/mark"; wait_for '[ -e "$T/mark" ]'; }
finish() { kill -TERM "$runner"; wait "$runner"; }
job=0

# A class for each place; what a task that is on its way to it shows first is
# not what is looked for.
classes()       # the classes of -j: "RANKS FUNCTION LINE" of the last own frame
{
    sqlite3 -separator ' ' :memory: "
    WITH d(j) AS (SELECT CAST(readfile('$T/out') AS TEXT)),
    n AS (SELECT json_extract(value, '\$.id') id,
                 json_extract(value, '\$.parent') parent,
                 json_extract(value, '\$.function') f,
                 json_extract(value, '\$.line') line,
                 json_extract(value, '\$.in_mpi') mpi
          FROM d, json_each(j, '\$.nodes')),
    c AS (SELECT json_extract(value, '\$.ranks') ranks, key,
                 json_extract(value, '\$.leaves[0]') leaf
          FROM d, json_each(j, '\$.classes'))
    SELECT ranks, (SELECT f FROM n WHERE id = leaf),
        coalesce((SELECT line FROM n WHERE id = leaf AND NOT mpi),
            (SELECT line FROM n WHERE id =
                (SELECT parent FROM n WHERE id = leaf)))
    FROM c ORDER BY key"
}
line_of() { grep -n "$2" "$top/tests/apps/$1" | head -n 1 | cut -d : -f 1; }
three()         # all have come where they stay
{
    hector stack "$job" "$@" -j >"$T/out" 2>"$T/err" &&
        [ "$(classes | wc -l)" = 3 ] &&
        classes | grep -Eq '^0-4,7-15 (MPI_Barrier|mpi_barrier)'
}

traces()        # in the barrier, of each sample
{
    sqlite3 :memory: "SELECT json_extract(n.value, '\$.traces')
        FROM json_each(CAST(readfile('$T/out') AS TEXT), '\$.nodes') n
        WHERE lower(json_extract(n.value, '\$.function')) = 'mpi_barrier'"
}
three_3d() { three --lines --samples 4 --interval 20 && [ -s "$T/out" ]; }
# A task that has just entered a function may have one frame less.
three_times_14() { three_3d && [ "$(traces)" = '[14,14,14,14]' ]; }
over_samples()  # NAME of the program: the tree over space and time
{
    wait_for 'three --lines'
    flat=$(classes | tail -n 2)
    ok "$1: three classes over four samples" wait_for three_3d
    is "$(classes | sed 's/ [^ ]* [0-9]*$//' | tr '\n' ' ')" \
        '5 6 0-4,7-15 ' '... with their ranks'
    is "$(classes | tail -n 2)" "$flat" '... functions and lines'
    ok '... and the traces of each' wait_for three_times_14
}

for p in stuck stuck_omp; do
    stuck $p
    ok "$p: three classes" wait_for 'three --lines'
    is "$(classes | sed 's/ [^ ]* [0-9]*$//' | tr '\n' ' ')" \
        '5 6 0-4,7-15 ' '... the outliers first, with their ranks'
    is "$(classes | tail -n 2)" "6 MPI_Waitall $(line_of stuck.c 'MPI_Waitall(')
0-4,7-15 MPI_Barrier $(line_of stuck.c 'MPI_Barrier(')" \
        '... their functions and lines'
    run hector stack "$job" --lines
    like "$T/out" "^ +1  \[5\] +main > do_send_or_stall \(stuck.c:$(line_of \
        stuck.c 'usleep(')\)" '... and the stuck one at its line'
    if [ $p = stuck_omp ]; then
        run hector stack "$job" --threads
        like "$T/out" 'lib(g)?omp' 'OpenMP: all threads'
        over_samples OpenMP
    fi
    finish
done

# The program of before again: the tree over space and time, and in shapes.
stuck stuck
over_samples C
# Who gets no processor for half a second is not in a tree.
in_main()
{
    run hector stack "$job" --samples 4 --interval 20 -j
    sqlite3 :memory: "SELECT json_extract(n.value, '\$.ranks')
        FROM json_each(CAST(readfile('$T/out') AS TEXT), '\$.nodes') n
        WHERE json_extract(n.value, '\$.function') = 'main'"
}
ok 'load addresses of four hosts merge: one main' \
    wait_for '[ "$(in_main)" = 0-15 ]'
if command -v dot >/dev/null; then
    drawn() { run hector stack "$job" --lines --dot &&
        dot -Tsvg -o "$T/dot.svg" "$T/out" && grep -q '>14:\[' "$T/dot.svg"; }
    ok 'Graphviz draws it' wait_for drawn
    like "$T/dot.svg" '14:\[0.*4,7.*15\]' '... with labels on the edges'
    run hector stack "$job" -a --dot
    ok '... also the inside of MPI' dot -Tsvg -o "$T/dot.svg" "$T/out"
else
    skip 'Graphviz draws it' 'no dot here'
fi
folded() { hector stack "$job" --folded >"$T/out" && grep -q ';MPI_Barrier 14$' "$T/out"; }
ok 'folded' wait_for folded
some() { hector stack "$job.4-6" | grep -q "^job $job.4-6: 3 tasks, 3 classes"; }
ok 'some ranks' wait_for some
run hector stack "$job" --html --lines
like "$T/out" 'do_send_or_stall' 'HTML'

# One stops: it has a stack, and stays stopped. One dies: the job ends.
pid=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 9")
kill -STOP "$pid"
stopped()
{
    hector stack "$job" >"$T/out"
    grep -q ' 14 *.0-4,7-15. *MPI_Barrier' "$T/out" &&
        grep -q '^\[9\]: it is stopped' "$T/out"
}
ok 'a stopped task is in the tree' wait_for stopped
like "$T/out" '^\[9\]: it is stopped by a signal' '... and said to be stopped'
kill -CONT "$pid"
run hector stack "$job.16"
is "$status" 1 'no such rank'
like "$T/err" 'has 16 tasks: there is no task 16' '... in words'
finish
run hector stack "$job"
is "$status" 1 'a job that has ended'
like "$T/err" 'has ended' '... in words'
run hector stack 99
is "$status" 1 'no such job'
like "$T/err" 'no such job' '... in words'

stuck fstuck
ok 'Fortran: three classes' wait_for 'three --lines'
# It goes round in a loop that calls execute_nothing(), of which it may be in either.
is "$(classes | sed 's/ [0-9]*$//; s/::execute_nothing$/::do_send_or_stall/' | tr '\n' '|')" \
    '5 ring_parts::do_send_or_stall|6 mpi_waitall|0-4,7-15 mpi_barrier|' \
    '... with names of the source'
is "$(classes | tail -n 2 | sed 's/.* //' | tr '\n' ' ')" \
    "$(line_of fstuck.f90 'MPI_Waitall') $(line_of fstuck.f90 'MPI_Barrier') " \
    '... and lines'
over_samples Fortran
finish

# Tasks that exec and end all the time, without MPI and wrapper library.
cat >"$T/restless" <<'END'
case ${1:-0}${HECTOR_RANK:-0} in
40*) exit 0 ;;
[0-3][0-4]|[0-3]?[0-4]) sleep 0.2; exit 0 ;;
esac
sleep 0.02
exec sh "$0" $((${1:-0} + 1))
END
run_job --map-by node sh "$T/restless"
wait_for 'sql "SELECT state FROM jobs WHERE job = $job" | grep -q running'
n=0
while kill -0 "$runner" 2>/dev/null && [ $n -lt 6 ]; do
    run hector stack "$job" --samples 5 --interval 10
    [ "$status" = 0 ] || wait_for '! kill -0 "$runner" 2>/dev/null' ||
        fail 'restless tasks: a tree of those that are there' "$(cat "$T/err")"
    n=$((n + 1))
done
ok '... was asked for' test $n -gt 0
wait "$runner"
is "$?" 0 '... and they end well'

# Without ptrace each task tells its stack itself.
printf '[master]\nlisten = unix:%s/m.sock,tcp:10.66.0.254:7117\ndatabase = %s\n' \
    "$T" "$HECTOR_DB" >"$T/master.conf"
printf '[slave]\nptrace = no\n' >"$T/s.conf"
launch_master master
start slave hector-slave -d -f "$T/s.conf" --master "unix:$T/m.sock" --name one
rm -f "$T/mark"
hector-run --master "unix:$T/m.sock" -n 4 "$APPS/stuck" 2 "$T/mark" \
    >"$T/run.out" 2>"$T/run.err" </dev/null &
runner=$!
wait_for '[ -e "$T/mark" ]'
job=$(sql 'SELECT max(job) FROM jobs')
told()
{
    run hector stack "$job" --lines && grep -q '0-1' "$T/out" &&
        grep -Eq '2 +\[0-1\] +main .* > MPI_Barrier' "$T/out"
}
ok 'without ptrace' wait_for told
like "$T/out" '\[0-3\]: .*has told its stack itself' '... which is said'
like "$T/out" 'main > do_send_or_stall \(stuck.c:[0-9]+\)' '... with lines'
run hector stack "$job" --threads
like "$T/out" '\[0-3\]: .*: only its main thread has told its stack$' \
    '... and of how many threads'
run hector stack --pid "$(sql "SELECT pid FROM tasks
    WHERE job = $job AND rank = 3")"
like "$T/out" 'MPI_Waitall' 'the same by --pid'
finish
done_testing
