# A job that is ended because it hangs, of a hector-run that has its slave to itself:
# the slave ends with the job, so the slice of the task that is to blame is made
# before, and kept. The job waits for it, and for no longer than it may take.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3

mpicc -O2 -g -DFAULT=7 -o "$T/ring" "$top/tests/eval/slices/halo.c"
line=$(grep -n '/\*! 7 ' "$top/tests/eval/slices/halo.c" | cut -d : -f 1)
job=0
begin()         # job $job, which is to be ended
{
    job=$((job + 1))
    hector-run -n 4 --oversubscribe --on-hang kill "$T/ring" >"$T/run.out" \
        2>"$T/run.err" </dev/null &
    runner=$!
}
lines()         # how many times the slice of job $job has the line with the fault
{
    sql "SELECT count(*) FROM slices WHERE job = $job AND line = $line
        AND file LIKE '%/halo.c'"
}

begin
wait $runner
ok 'a job is ended, as it hangs' [ $? != 0 ]
is "$(lines)" 1 '... and the lines that decide that are kept'
run hector why $job --slice
is "$status" 0 '... and shown'
like "$T/out" "halo\\.c:$line " '... with the one that is wrong'

# --------------------------------------- it is not ended before the slice is made
mkdir "$T/copy"
cp -r "$build/bin" "$build/lib" "$T/copy"
mv "$T/copy/bin/hector-slice" "$T/copy/bin/slice"
cat >"$T/copy/bin/hector-slice" <<END
#!/bin/sh
echo \$\$ >"$T/slices.new"
mv "$T/slices.new" "$T/slices"
[ ! -e "$T/never" ] || exec sleep 1000
while [ ! -e "$T/go" ]; do sleep 0.05; done
exec "$T/copy/bin/slice" "\$@"
END
chmod +x "$T/copy/bin/hector-slice"
PATH=$T/copy/bin:$PATH
begin
wait_for '[ -e "$T/slices" ]'
is "$(sql "SELECT ended_ns IS NULL FROM jobs WHERE job = $job")" 1 \
    'while the slice is made the job is there'
: >"$T/go"
wait $runner
ok '... and then it is ended' [ $? != 0 ]
is "$(lines)" 1 '... with the slice kept'

# ------------------------------------------------------- one that is never done
rm "$T/slices"
: >"$T/never"
begin
wait $runner
ok 'a slice that is never done: the job is ended all the same' [ $? != 0 ]
is "$(lines)" 0 '... without it'
ok '... which was begun' [ -e "$T/slices" ]
wait_for '! kill -0 "$(cat "$T/slices")" 2>/dev/null'
done_testing
