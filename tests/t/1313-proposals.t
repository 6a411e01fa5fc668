# What policies of one's own say and propose: verdicts of every kind reach the
# person, once and not too often; what is proposed is done within --on-hang,
# and else told and recorded.
# limit: 60
# shellcheck disable=SC2086 # $R is several words
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o saying.so "$top/tests/lib/saying_policy.c"
R="hector-run -n 2 --oversubscribe --policy none"
# The tasks go on until the test has seen what it wants to see.
cat >task.sh <<'END'
until [ -e "$T/go" ]; do sleep 0.02; done
END
job=0
begin()         # OPTION...
{
    job=$((job + 1))
    rm -f "$T/go"
    fresh out err
    $R "$@" sh "$T/task.sh" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
}
end() { touch "$T/go"; status=0; wait $runner || status=$?; }
verdicts() { sql "SELECT count(*) FROM verdicts WHERE job = $job" 2>/dev/null || echo 0; }
kinds()         # that have been found again and again
{
    sql "SELECT kind FROM verdicts WHERE job = $job GROUP BY kind
        HAVING count(*) >= 5" 2>/dev/null | wc -l
}
# Six policies have more looks taken than each has time for on a busy machine.
actions() { sql "SELECT ifnull(group_concat(action || ' ' || ranks || ' ' || by ||
    ' ' || result, ', '), '') FROM actions WHERE job = $job AND
    why NOT LIKE 'it was busy when%'"; }
acted() { [ "$(actions 2>/dev/null)" = "$1" ]; }
lines() { grep -cE "$1" "$T/err"; }

# Every kind, of which there is a verdict at every look: one line each. Several
# of one object are told apart by their parameters.
policies=
for kind in 2 4 5 6 7 8; do
    ln -s saying.so "say$kind.so"
    policies="$policies --policy $T/say$kind.so:kind=$kind"
done
begin $policies
ok 'six policies give verdicts' wait_for \
    '[ "$(kinds)" = 6 ]'
end
is "$status" 0 '... and the job ends well'
said()          # WORDS DESCRIPTION [MORE]
{
    is "$(lines "^hector: job $job$1: it is so by [0-9.]+ per cent${3-}\$")" 1 "$2"
}
strength='99\.9 % sure, for 1\.5 s'
said " is slow \($strength\), faulty: task 1" 'slowdown: one line'
said " has tasks unlike the others \($strength\), odd: task 1" 'outlier'
said " has tasks that are behind \($strength\), behind: task 1" 'progress, and where it is' \
    '(, in [^ ]+( \([^ ]+\))?)?'
said " is late \($strength\), late: task 1" 'deadline'
said " is out of balance \($strength\), overloaded: task 1" 'imbalance'
said '' 'notice: nothing but its sentence'
is "$(wc -l <"$T/err")" 6 '... and no more'
is "$(actions)" '' '... which is no action'

# One that has something new to say each time.
begin --policy "$T/saying.so:kind=4,change=1,every=0.01"
ok 'a flood of verdicts' wait_for '[ "$(verdicts)" -ge 200 ]'
end
is "$status" 0 '... harms nobody'
said=$(lines 'has tasks unlike the others')
ok "... is said some times, not each time ($said)" [ "$said" -ge 8 -a "$said" -le 20 ]
ok '... and that there is more' [ "$(lines "^hector: policy saying finds more, which \
is said now and then: hector why $job has all of it\$")" -ge 1 ]

# A proposal without a limit is told and recorded, with its reason, once.
begin --policy "$T/saying.so:kind=1,propose=3"
ok 'a hang, and the proposal to end it' wait_for \
    'acted "report all saying done, kill all saying not done: --on-hang report"'
ok '... at each look' wait_for '[ "$(verdicts)" -ge 20 ]'
end
is "$status" 0 '... but no limit is set: it is not ended'
is "$(lines " hangs \($strength\), faulty: task 1: it is so")" 1 '... told once'
is "$(actions)" \
    'report all saying done, kill all saying not done: --on-hang report' \
    '... and recorded once'
is "$(sql "SELECT DISTINCT why LIKE 'job $job hangs%' FROM actions WHERE job = $job")" 1 \
    '... with the reason'
run hector why "$job"
like "$T/out" "kill all by saying, not done: --on-hang report: job $job hangs" 'hector why'

# What goes on is not touched by --on-hang.
begin --policy "$T/saying.so:kind=6,propose=3" --on-hang kill:age=1s,patience=1s
ok 'a deadline, and the proposal to end the job' wait_for \
    'acted "kill all saying not done: nothing is set for a job that goes on"'
ok '... at each look' wait_for '[ "$(verdicts)" -ge 20 ]'
end
is "$status" 0 '... which is not done'
is "$(lines "^hector:   policy saying proposes to kill the job: not done: nothing \
is set for a job that goes on\$")" 1 '... and said once'

# Proposals to report are done.
begin --policy "$T/saying.so:kind=4,propose=1"
ok 'a proposal to report' wait_for 'acted "report all saying done"'
end
is "$(lines '')" 1 '... one line'

# Within the limits that are set.
begin --policy "$T/saying.so:kind=1,propose=3,score=0.9" --on-hang kill:age=1s,sure=95
ok 'less sure than the limit' wait_for 'acted "report all saying done, kill all saying \
not done: --on-hang wants to be 95 % sure"'
end
is "$status" 0 '... is not acted on'
begin --policy "$T/saying.so:kind=8,propose=3" --on-hang kill
ok 'a notice without patience' wait_for \
    'acted "kill all saying not done: --on-hang kill has no patience"'
end
is "$status" 0 '... is not acted on'
begin --policy "$T/saying.so:kind=1,propose=3" --on-hang kill:age=1s,sure=95
status=0
wait $runner || status=$?
is "$status|$(actions)" '123|report all saying done, kill all saying done' \
    'as sure and old as the limit: the job is ended'
holds() { sql "SELECT group_concat(hold) FROM tasks WHERE job = $job"; }
held() { [ "$(holds)" = suspended,suspended ]; }
begin --policy "$T/saying.so:kind=1,propose=2" --on-hang kill:age=1s,sure=95
ok 'no more than is proposed: suspended, not ended' wait_for held
proposed='it is suspended, as --on-hang kill allows, and is proposed'
ok '... in words' wait_for 'grep -q -e "$proposed" "$T/err"'
hector kill "$job" >/dev/null
end
is "$(sql "SELECT count(*) FROM actions WHERE job = $job AND by = 'saying' AND
    action = 'suspend' AND result LIKE 'done%'")" 1 '... once, recorded'
begin --policy "$T/saying.so:kind=1,propose=3" --on-hang suspend:age=1s,sure=95
ok 'no more than the limit: suspended, not ended' wait_for held
hector resume "$job" >/dev/null
ok '... and what has been done is not done again' wait_for \
    '[ "$(holds)" = going,going ]'
seen=$(verdicts)
wait_for '[ "$(verdicts)" -ge $((seen + 20)) ]'
end
is "$status" 0 '... when it is found again and again'
is "$(sql "SELECT group_concat(action || ' ' || by, ', ') FROM actions WHERE job = $job")" \
    'report saying, suspend saying, resume operator' '... recorded'

# Stronger evidence of what is known is news, and acted on at once.
begin --policy "$T/saying.so:kind=9" --on-hang kill
status=0
wait $runner || status=$?
is "$status" 123 'a hang that is then proven is ended at once'
is "$(lines ' hangs \(')|$(lines ' is deadlocked \(')" '1|1' '... and both are said'
is "$(lines '  task 1 on [^ ]* it is this one')" 2 '... in full'
done_testing
