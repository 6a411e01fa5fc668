# Databases that cannot be written: on a full disk, locked, read-only, no
# database at all. The job is not harmed, there is one sentence, and what can
# be kept is kept: it waits in memory until there is room.
# limit: 70
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3
hosts 1

check()         # DESCRIPTION: a run that has to succeed and to say so
{
    run hector-run -n 2 --stdtim=- "$APPS/tagloop" 20
    is "$status $(grep -c '^Task' "$T/out")" '0 80' "$1: the job is not harmed"
}
sentences()     # COUNT EXTENDED-REGEXP
{
    is "$(grep -Ec "$2" "$T/err")" "$1" "... $1 sentence(s)"
    is "$(grep -Evc "$2" "$T/err")" 0 '... and no other word'
}
exactly_once()  # JOB TASKS COUNT
{
    is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
        count(exit_ns), max(seq) FROM event WHERE job = $1")" \
        "$(($2 * $3))|$(($2 * $3))|$(($2 * $3))|$(($3 - 1))" \
        'every event once, none is missing'
}
whole()
{
    is "$(sql 'PRAGMA integrity_check')" ok 'the file is whole'
}

# --------------------------------------------------------------------- locked
# Half a minute goes by until people are told: beside all that follows. One job has
# begun by then; the two others take the number that follows in the file, which they
# can read: one of them has another one when it is copied, after its end.
HECTOR_DB=$T/locked.db
run hector-run -n 1 true
locked()        # before, behind: a job with tagged events once it is locked
{
    HECTOR_DB=$T/locked.db hector-run -n 2 sh -c "while [ ! -e '$T/lock' ]; do sleep 0.05; done
        '$APPS/tagloop' 1000; while [ ! -e '$T/$1.done' ]; do sleep 0.05; done" \
        >"$T/$1.out" 2>"$T/$1.err" </dev/null &
}
locked before
before=$!
job_runs
{ echo '.timeout 60000'; echo 'BEGIN IMMEDIATE;'; echo '.shell touch lock'
    while [ ! -e "$T/unlock" ]; do sleep 0.1; done
    echo 'COMMIT;'; } | sqlite3 "$HECTOR_DB" &
locker=$!
wait_for '[ -e "$T/lock" ]'
locked behind
behind=$!
locked beside
beside=$!

# ------------------------------------------------------------------ full disk
mkdir "$T/small"
mount -t tmpfs -o size=3m small "$T/small"
HECTOR_DB=$T/small/hector.db
run hector-run -n 1 true
is "$(sql 'SELECT count(*) FROM jobs')" 1 'a small disk'
dd if=/dev/zero of="$T/small/fill" bs=4k 2>/dev/null
check 'a disk that is full'
sentences 2 \
    '^hector: (cannot write .* full.* waits in|the record of job .* not in the)'

# It fills while a job runs, and has room again before that ends.
rm "$T/small/fill" "$T/err"
hector-run -n 2 sh -c "'$APPS/tagloop' 100000
    while [ ! -e '$T/go' ]; do sleep 0.05; done" >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'grep -q "waits in memory" "$T/err"'
like "$T/err" 'waits in memory' 'a disk that fills while a job runs'
sleep 1         # some of it goes on in memory
mount --options-mode ignore -o remount,size=200m small "$T/small"
wait_for 'grep -q "can be written again" "$T/err"'
like "$T/err" 'nothing of the record is lost' '... and then has room'
touch "$T/go"
status=0
wait $runner || status=$?
job=$(sql 'SELECT max(job) FROM jobs')
is "$status $(sql "SELECT state FROM jobs WHERE job = $job")" "0 done" \
    'the job ends well'
exactly_once "$job" 2 100000
is "$(sql "SELECT count(*) FROM events WHERE job = $job")" 200000 \
    'the view has them too'
whole

# ------------------------------------------------------- of no use, for ever
echo 'not a database, but some text that is long enough' >"$T/text.db"
HECTOR_DB=$T/text.db check 'a file that is no database'
sentences 1 '^hector: .*text\.db.*record is lost$'
is "$(wc -c <"$T/text.db")" 50 '... which stays as it is'
mkdir "$T/dir.db"
HECTOR_DB=$T/dir.db check 'a directory'
sentences 1 '^hector: .*record is lost$'
mkdir "$T/readonly"
HECTOR_DB=$T/readonly/hector.db hector-run -n 1 true
mount --bind "$T/readonly" "$T/readonly"
mount -o remount,ro,bind "$T/readonly"
HECTOR_DB=$T/readonly/hector.db check 'a read-only file system'
sentences 1 '^hector: .*[Rr]ead-only.*record is lost$'
umount "$T/readonly"
HECTOR_DB=/proc/none/hector.db check 'a folder that cannot be made'
sentences 1 '^hector: .*record is lost$'
sqlite3 "$T/other.db" 'CREATE TABLE other(x)'
HECTOR_DB=$T/other.db check 'a database of another program'
sentences 1 '^hector: .*not a database of Hector.*record is lost$'
umount "$T/small"

# ------------------------------------------------ that was locked, all the time
HECTOR_DB=$T/locked.db
for when in before behind beside; do
    wait_for 'grep -q "waits in memory" "$T/$when.err"'
    like "$T/$when.err" '^hector: .*locked.* waits in memory' \
        "a database that is locked for long: one job is from $when that"
done
touch "$T/unlock"
wait $locker
ok '... and is free again' wait_for 'grep -q "can be written again, nothing of the record is '\
'lost" "$T/before.err"'
free='can be written again, nothing of the record is lost'
taken='can be written again, but has a job of that number: the record follows'
wait_for 'grep -q "$taken" "$T"/be*.err'
other=behind
grep -q "$taken" "$T/beside.err" || other=beside
wait_for 'grep -q "$free" "$T/$other.err"'
is "$(cat "$T"/be*.err | grep -c "$free") $(cat "$T"/be*.err | grep -c "$taken")" '2 1' \
    '... also for a job that began then; one that has taken the same number is told'
is "$(sql 'SELECT job, state FROM jobs' | xargs)" '1|done 2|running 3|running' \
    '... they are in the file while they run'
touch "$T/before.done" "$T/behind.done" "$T/beside.done"
for job in $before $behind $beside; do
    status=0
    wait "$job" || status=$?
    is "$status" 0 '... and the job ends well'
done
for job in 2 3 6; do            # the number that it would have had, behind the last
    exactly_once $job 2 1000
    is "$(sql "SELECT state FROM jobs WHERE job = $job")" 'done' "job $job is recorded"
done
whole
done_testing
