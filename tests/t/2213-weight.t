# Where an ordinary user may not have a nice value, his job has the weight of a control
# group, if one was delegated to him; it goes with the priority, with the job, and when
# the slave is killed. With the kernel's own groups, of version 1 where that has the
# controller cpu.
# limit: 60
# shellcheck disable=SC2015,SC2016,SC2154 # tasks' shells expand; t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3 setpriv taskset
. "$top/tests/lib/nobody.sh"
[ "$(id -u)" = 0 ] && nobody_may || skip_all 'not root, or the build is in a closed folder'

mounted=$(awk '$3 == "cgroup" && ("," $4 ",") ~ /,cpu,/ { print $2; exit }' /proc/mounts)
[ -n "$mounted" ] || skip_all 'no control groups of version 1 with the controller cpu'
own=$mounted$(sed -n 's/^[0-9]*:\([^:]*,\)\{0,1\}cpu\(,[^:]*\)\{0,1\}:\(.*\)/\3/p' \
    /proc/self/cgroup)
given=${own%/}/hct-test-$$
mkdir "$given" 2>/dev/null || skip_all 'no control group can be made here'
chown -R nobody "$given"

HECTOR_DB=$T/nobody/db
N="$nobody env HOME=$T/nobody HECTOR_DB=$HECTOR_DB TMPDIR=$TMPDIR"
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
cd "$T/nobody" || exit 1
inside()        # COMMAND...: in that group
{
    sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$given" "$@"
}
spins()         # OPTION...: a job that computes, in the background; its pid is $spun
{
    rm -f "$T/nobody/spun"
    fresh run.err
    # shellcheck disable=SC2086 # words
    inside taskset -c "$first" $N prlimit --nice=0 hector-run "$@" sh -c \
        'echo $$ >"$0"; while :; do :; done' "$T/nobody/spun" 2>"$T/run.err" </dev/null &
    runner=$!
    wait_for '[ -s "$T/nobody/spun" ]'
    spun=$(cat "$T/nobody/spun")
    job=$(sql 'SELECT max(job) FROM jobs')
}
groups() { find "$given" -mindepth 1 -type d | wc -l; }
group_of()      # PID: the end of its name
{
    sed -n 's/^[0-9]*:\([^:]*,\)\{0,1\}cpu\(,[^:]*\)\{0,1\}:.*hct-test-[0-9]*//p' \
        "/proc/$1/cgroup" | sed 's/hector-[0-9]*-/hector-/'
}
applied()
{
    sql "SELECT nice, applied FROM tasks WHERE job = $job" | xargs
}
ticks()         # PID: that it has had of the processor
{
    read -r stat <"/proc/$1/stat"
    # shellcheck disable=SC2086 # words
    set -- ${stat##*) }
    echo $((${12} + ${13}))
}

base=$(ps -o ni= -p $$ | tr -d ' ')
spins --priority 5
wait_for '[ "$(applied)" = "$base|weight" ]'
is "$(applied) $(group_of "$spun")" "$base|weight /hector-$job.w" \
    'a job has a group of its own in place of the nice value'
is "$(cat "$given"/hector-*/cpu.shares) $(wc -l <"$T/run.err")" '3125 0' \
    '... that weighs as much, and nothing is said'
run hector ps "$job"
like "$T/out" ' normal .* weight' '... and hector ps shows it'
fresh hog
start hog inside taskset -c "$first" sh -c 'echo $$ >"$0"; while :; do :; done' "$T/hog"
wait_for '[ -s "$T/hog" ]'
hog=$(cat "$T/hog")
had=$(ticks "$spun") hog_had=$(ticks "$hog")
wait_for '[ $(ticks "$spun") -ge $((had + 100)) ]'
hog_had=$(($(ticks "$hog") - hog_had)) had=$(($(ticks "$spun") - had))
kill "$hog"
echo "# the job has had $had ticks, who is beside it $hog_had" >&2
ok '... it gets twice as much as who is beside it, at least' [ "$had" -gt $((2 * hog_had)) ]
# shellcheck disable=SC2086 # words
$N hector priority "$job" 0 >&2
wait_for '[ "$(applied)" = "$base|yes" ]'
is "$(applied) $(group_of "$spun") $(groups)" "$base|yes  0" 'it is undone with the priority'
# shellcheck disable=SC2086 # words
$N hector priority "$job" 2 >&2
wait_for '[ "$(applied)" = "$base|weight" ]'
is "$(cat "$given"/hector-*/cpu.shares)" 1600 '... and comes again, as much as that is'
# shellcheck disable=SC2086 # words
$N hector kill "$job" >&2
wait $runner
wait_for '[ "$(groups)" = 0 ]'
is "$(groups)" 0 'it goes with the job'

spins --priority 5
wait_for '[ "$(groups)" = 1 ]'
kill -9 "$(awk '/^PPid/ { print $2 }' "/proc/$spun/status")"
wait $runner
wait_for '[ "$(groups)" = 0 ]'
is "$(groups) $(ps -p "$spun" -o stat= | grep -v Z)" '0 ' '... and when its slave is killed'
cd "$top" || exit 1
wait_for 'rmdir "$given" 2>/dev/null'
is "$(find "$given" 2>/dev/null)" '' 'nothing is left in the group'
done_testing
