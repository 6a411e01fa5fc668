# The host of policies: which are refused and how, what is done about a hang,
# and that a policy that misbehaves harms nobody but itself.
# limit: 60
. "${0%/*}/../lib/t.sh"
need cc

odd() { cc -shared -fPIC -I "$top/policies" "$@" "$top/tests/lib/odd_policy.c"; }
odd -o odd.so
odd -DMAJOR=99 -o other.so
echo 'int x;' >none.c
cc -shared -fPIC -o none.so none.c
R="hector-run -n 2 --policy none"

refused()       # SPEC WORDS
{
    # shellcheck disable=SC2086
    run $R --policy "$1" sh -c "echo ran >>$T/ran"
    is "$status" 2 "refused: $1"
    like "$T/err" "^hector: .*$2" '... in words'
}
refused nix 'there is no policy called nix'
refused "$T/nix.so" 'cannot load the policy: .*nix.so'
refused "$T/none.so" 'none.so is not a policy'
refused "$T/other.so" 'was built for version 99 .*, this Hector has version 1'
refused null:often=1 'policy null has no parameter often; it has every'
refused null:every=0 'policy null: every=0: a number from 0.01 to 3600'
refused null:every=nan 'policy null: every=nan: a number from'
refused 'null:every=1 ' 'policy null: every=1 : a number from'
for alpha in 0 1 -1 0.5 1e-10 little nan ''; do
    refused "hang:alpha=$alpha" "policy hang: alpha=$alpha: a number from 1e-09 to 0.2 is wanted$"
    is "$(wc -l <"$T/err")" 1 '... in one sentence'
done
ok '... before anything ran' [ ! -e "$T/ran" ]

# A hang is reported once, and that it is over: twenty looks, of which a busy machine
# may have only some in a second.
watched()       # MODE OPTION...: a job with a rank that waits for 6 s
{
    mode=$1
    shift
    # shellcheck disable=SC2086
    run $R --policy "$T/odd.so:mode=$mode,at=${at:-10}" "$@" \
        --inject "rank=1,call=MPI_Iprobe:100,fault=stall,time=${stall:-6}" \
        "$APPS/tagloop" 1000 --text 'step 12'
    job=$(sql 'SELECT max(job) FROM jobs')
}
watched 1
is "$status" 0 'a hang that is only reported'
is "$(grep -c 'hangs' "$T/err")" 1 '... once'
like "$T/err" "^hector: job $job hangs \(99.9 % sure, for 1.5 s, error in "\
'computation\), faulty: task 1: nobody moves' '... how sure, how long, where, who'
like "$T/err" '^hector:   task 0 on [^ ]+: in MPI_[A-Z][a-z]+ .*, last tag "step 12"' \
    '... what the others do, and their last tag'
like "$T/err" '^hector:   task 1 on [^ ]+: in MPI_Iprobe ' '... and the faulty one'
like "$T/err" "^hector: job $job is moving again" '... and that it is over'
is "$(sql "SELECT group_concat(policy || ' ' || kind || ' ' || phase || ' ' ||
    ranks, ', ') FROM verdicts WHERE job = $job")" \
    'odd hang computation 1, odd progress computation ' 'the view of verdicts'
is "$(sql "SELECT group_concat(action || ' ' || by || ' ' || result, ', ') FROM actions
    WHERE job = $job")" 'report odd done, kill odd not done: --on-hang report' '... of actions'

# The same object over the record says the same, byte by byte.
recorded() { sql "SELECT group_concat(detail, '') FROM verdict WHERE job = $1"; }
run hector replay "$job" --policy "$T/odd.so:mode=1,at=10"
is "$status|$(out)" "0|$(recorded "$job")" 'hector replay: the same verdicts'
run hector replay "$HECTOR_DB" "$job" --policy "$T/odd.so:mode=1,at=12"
ok '... with another parameter others' [ "$status|$(out)" != "0|$(recorded "$job")" ]
like "$T/out" '^look (1[2-9]|[2-9][0-9]|[0-9]{3,}) ' '... at a later look'
run hector replay "$job" --policy odd
is "$status" 2 'replay: no such policy'
run hector replay "$HECTOR_DB" --policy "$T/odd.so:mode=1,at=10"
is "$status|$(out)" "0|$(recorded "$job")" '... without its number, as the only job'
run hector replay --policy "$T/odd.so:mode=1,at=10"
is "$status|$(out)" "0|$(recorded "$job")" '... and without the database'
run hector replay nix
is "$status|$(cat "$T/err")" "2|hector: 'nix' is no JOB or JOB.RANKS, and no such\
 file is there" 'replay: neither a job nor a database'
run hector replay 99 --policy null
is "$status" 1 'replay: no such job'
like "$T/err" 'there is no job 99' '... in words'

# Looks at short intervals come several at a time, and are the same to a policy.
# shellcheck disable=SC2086
run $R --policy "$T/odd.so:mode=1,at=30,every=0.01" --inject \
    'rank=1,call=MPI_Iprobe:100,fault=stall,time=10' "$APPS/tagloop" 1000
quick=$(sql 'SELECT max(job) FROM jobs')
is "$status|$(sql "SELECT group_concat(kind) FROM verdicts WHERE job = $quick")" \
    '0|hang,progress' 'a look each 10 ms'
run hector replay "$quick" --policy "$T/odd.so:mode=1,at=30,every=0.01"
is "$status|$(out)" "0|$(recorded "$quick")" '... and replayed: the same verdicts'
# A busy machine is late, never early.
sed -n 's/^look \([0-9]*\) +\([0-9.]*\) s: .*/\1 \2/p' "$T/out" >looks
ok '... not before they were asked for' \
    awk '$2 < $1 * 0.01 { bad = 1 } END { exit bad || NR != 2 }' looks

run hector replay "$HECTOR_DB" --policy null
is "$status|$(out)|$(cat "$T/err")" "2||hector: there are looks of 2 jobs, $quick, \
$job: say which one, as in: hector replay $HECTOR_DB $quick" \
    'replay: one of several jobs must be named'
run hector replay --policy null
is "$status|$(cat "$T/err")" "2|hector: there are looks of 2 jobs, $quick, \
$job: say which one, as in: hector replay $quick" '... so too without a database'

run hector why "$job"
like "$T/out" "odd: job $job hangs .* faulty: task 1: nobody moves" 'hector why'
like "$T/out" '^  task 0 on [^ ]+: in MPI_.*last tag "step 12"' '... each task'
like "$T/out" "odd: job $job is moving again" '... and the end of it'
like "$T/out" '^last tag of all 2 tasks: "step 12"$' '... and what all have tagged last'
run hector why -j "$job"
is "$(sqlite3 :memory: "SELECT json_array_length(j, '\$.verdicts'),
    json_extract(j, '\$.verdicts[0].kind'), json_extract(j, '\$.verdicts[0].ranks'),
    json_extract(j, '\$.verdicts[0].look') >= 10
    FROM (SELECT CAST(readfile('$T/out') AS TEXT) AS j)")" '2|hang|1|1' \
    '... as JSON'
run hector why 99
is "$status" 1 'why: no such job'

# A hang that is over before its stack trees are there is not acted on: these
# stay.
SLURM_JOB_NODELIST=$(uname -n) SLURM_JOB_START_TIME=$(($(date +%s) - 7200)) \
    SLURM_JOB_END_TIME=$(($(date +%s) + 7259)) SLURM_JOB_CPUS_PER_NODE=2 \
    stall=30 watched 9 --on-hang kill:age=1s
is "$status" 123 '--on-hang kill: the job is ended, status 123'
hours='2\.0 node hours and 4\.0 core hours'
like "$T/err" \
    "^hector: 2h00m of the allocation are left, (49|50)\.[0-9] %: $hours are saved, if" \
    '... and what that saves inside Slurm is said'
is "$(sql "SELECT state, exit_code, round(saved_node_hours), round(saved_core_hours),
    round(saved_percent) FROM jobs WHERE job = $job")" 'killed|123|2.0|4.0|50.0' \
    '... recorded'
is "$(sql "SELECT group_concat(action || ' ' || by || ' ' || result, ', ') FROM
    actions WHERE job = $job")" 'report odd done, kill odd done' '... with its reason'

# As many as hector.conf allows, of all jobs of the master. From here on jobs go on
# until the test has seen what it wants to see.
mkdir -p "$T/conf/hector"
conf() { printf '[master]\n%s\n' "$@" >"$T/conf/hector/hector.conf"; }
until_said()    # WORDS MODE OPTION...: they end well when they have been told
{
    words=$1 mode=$2
    shift 2
    rm -f "$T/go"
    fresh out err
    # shellcheck disable=SC2086
    XDG_CONFIG_HOME=$T/conf $R --policy "$T/odd.so:mode=$mode,at=${at:-10},tagged=0" \
        "$@" "$APPS/hello" --wait-for "$T/go" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for 'grep -Eq "$words" "$T/err"'
    touch "$T/go"
    status=0
    wait $runner || status=$?
    job=$(sql 'SELECT max(job) FROM jobs')
}
conf 'kills_per_hour = 0'
said='is not ended: this master has ended 0 hung jobs'
until_said "$said" 9 --on-hang kill:age=1s
is "$status" 0 'kills_per_hour: a job that may not be ended comes to its end'
like "$T/err" "^hector: job $job $said" '... which is said'
is "$(sql "SELECT group_concat(action || ' ' || by || ' ' || result, ', ') FROM
    actions WHERE job = $job")" \
    'report odd done, kill odd refused: too many kills in this hour' '... and recorded'

# shellcheck disable=SC2086
$R --policy "$T/odd.so:mode=9,at=10" --on-hang suspend:age=1s --inject \
    'rank=1,call=MPI_Iprobe:100,fault=stall,time=30' \
    "$APPS/tagloop" 1000 >"$T/out" 2>"$T/err" &
runner=$!
job=$((job + 1))
ok '--on-hang suspend: all tasks are' wait_for "[ \"\$(sql 'SELECT
    group_concat(hold) FROM tasks WHERE job = $job')\" = suspended,suspended ]"
tagged='last tag of task 0: "thread 0"
last tag of task 1: "injected: stall in MPI_Iprobe call 100"'
last_tags() { run hector why "$job" && grep '^last tag' "$T/out"; }
wait_for '[ "$(last_tags)" = "$tagged" ]'
is "$(last_tags)" "$tagged" \
    '... hector why says what they have tagged last, while they stand'
hector kill "$job" >/dev/null
status=0
wait $runner || status=$?
is "$status" 143 '... until somebody ends them'

# Policies that misbehave are named and switched off; the job knows nothing.
off()           # MODE WORDS
{
    said="^hector: policy odd: .*$2.*, it does not watch the job any more"
    at=2 until_said "$said" "$1"
    is "$status" 0 "mode $1: the job ends well"
    like "$T/err" "$said" '... the policy is named'
    is "$(sql "SELECT count(*) FROM actions WHERE job = $job AND
        action = 'switch off' AND by = 'odd'")|$(sql "SELECT count(*) FROM
        verdicts WHERE job = $job")" '1|0' '... recorded, and not believed'
}
conf 'judge_step = 60s' 'judge_restarts = 0'
off 2 'a verdict of no kind'
off 3 'a rank that the job does not have'
off 6 'it was ended by signal 11'
off 7 'it says that it cannot go on'
off 8 'more than there is room for'
conf 'judge_step = 1s' 'judge_restarts = 0'
off 5 '(it thought for more than 1|a step took more than 3) s'
done_testing
