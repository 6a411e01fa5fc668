# A job that is ended because it hangs: the slice of its task was begun before, and
# is kept, where the slave outlives the job.
# limit: 60
# shellcheck disable=SC2086,SC2154 # $R is several words; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3

mpicc -O2 -g -DFAULT=7 -o "$T/ring" "$top/tests/eval/slices/halo.c"
line=$(grep -n '/\*! 7 ' "$top/tests/eval/slices/halo.c" | cut -d : -f 1)
start_master
start_slave n1
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 1 ]'
R="hector-run --master $master"
run $R -n 4 --oversubscribe --on-hang kill "$T/ring"
ok 'a job is ended, as it hangs' [ "$status" != 0 ]
wait_for '[ -n "$(sql "SELECT 1 FROM slices WHERE place = 0")" ]'
is "$(sql "SELECT count(*) > 0 FROM slices WHERE job = 1 AND line = $line")" 1 \
    '... and the lines that decide that are kept'
run hector why 1 --slice
is "$status" 0 '... and shown'
done_testing
