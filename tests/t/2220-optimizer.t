# Optimizers in virtual time: balance is better than stay, the same again, and nothing
# of its plans is refused; the example of the manual is built and runs; plans that make
# no sense switch an optimizer off; other versions and bad input are one sentence.
# limit: 60
# shellcheck disable=SC2154,SC2086 # $status is t.sh's; $E is words
. "${0%/*}/../lib/t.sh"

E='hector-emulate --nodes 40 --jobs 200 --seed 5'
refuses()       # SENTENCE OPTION...: status 2 and that sentence
{
    say=$1
    shift
    run "$@"
    is "$status,$(wc -l <"$T/err")" 2,1 "status 2 and a sentence: $say"
    ok "... $say" grep -qF -- "$say" "$T/err"
}

run $E --optimizer balance
is "$status" 0 'balance beside stay'
is "$(awk 'NR > 3 { printf "%s ", $1 }' "$T/out")" 'bound stay balance ' \
    'the bound, stay and balance are shown'
run $E --optimizer balance -j
sed 's/,"plan_ns".*/}/' "$T/out" >"$T/first"
run $E --optimizer balance -j
sed 's/,"plan_ns".*/}/' "$T/out" >"$T/second"
ok 'the same again, but for how long plans take' cmp -s "$T/first" "$T/second"
field()         # OPTIMIZER NAME
{
    sed -n "s/.*\"optimizer\":\"$1\".*\"$2\":\([0-9.]*\).*/\1/p" "$T/first"
}
is "$(field stay moves),$(field stay refused),$(field stay left)" 0,0,0 \
    'stay never moves, and does all jobs'
is "$(field balance refused),$(field balance left)" 0,0 \
    'nothing of the plans of balance is refused, and all jobs are done'
ok 'balance moves tasks' [ "$(field balance moves)" -gt 100 ]
less()          # NAME: balance has less of it than stay, and no less than the bound
{
    awk -v b="$(field balance "$1")" -v s="$(field stay "$1")" \
        'BEGIN { exit !(b < s && b >= 1) }'
}
ok 'the makespan of balance is shorter' less makespan
ok '... and its slowdown smaller' less slowdown

# The example of the manual, as it stands there.
awk -v name=owner.c '
    $0 == ".\\\" " name { on = 1; next }
    on && /^\.Ed/ { exit }
    on { gsub(/\\e/, "\\"); print }' "$top/policies/hct-optimizer.7" >"$T/owner.c"
lines=$(grep -c . "$T/owner.c")
ok 'the example of the manual has some forty lines' [ "$lines" -gt 30 -a "$lines" -lt 50 ]
ok '... and is built without a warning' cc -std=c11 -Wall -Wextra -Werror \
    "-I$top/policies" -shared -fPIC -o "$T/owner.so" "$T/owner.c"
run $E --optimizer "$T/owner.so" -j
cp "$T/out" "$T/first"
is "$status,$(field owner refused),$(field owner left)" 0,0,0 \
    '... and does all jobs; nothing of its plans is refused'
ok '... and moves tasks' [ "$(field owner moves)" -gt 10 ]

# Plans that make no sense.
sed 's/\.host = to/.host = to + 1000/; s/"owner"/"lost"/' "$T/owner.c" >"$T/lost.c"
cc "-I$top/policies" -shared -fPIC -o "$T/lost.so" "$T/lost.c"
run $E --optimizer "$T/lost.so"
is "$status" 0 'an optimizer that names nodes that there are not'
like "$T/out" 'step 0 leads to a node that there is not' '... its step is named'
like "$T/out" '^ *200 jobs have not been done' '... and it is switched off'
run $E --optimizer "$T/lost.so" -j
cp "$T/out" "$T/first"
is "$(field lost plans)" 3 '... after three plans'

# Nodes are full at some time, and tasks change places for nothing.
cc -std=c11 -Wall -Werror -shared -fPIC "-I$top/policies" -o "$T/odd.so" \
    "$top/tests/lib/odd_optimizer.c"
run $E --optimizer "$T/odd.so:how=0"
like "$T/out" 'leads to a node that is full' 'an optimizer that puts all on one node'
run $E --optimizer "$T/odd.so:how=9"
like "$T/out" 'is part of a cycle of moves' '... or lets tasks change places for nothing'
like "$T/out" '^ *[0-9]* jobs have not been done' '... and is switched off'

# Other versions, and what is none.
version()       # MAJOR MINOR NAME
{
    sed "s/HCT_OPTIMIZER_MAJOR, HCT_OPTIMIZER_MINOR/$1, $2/" "$T/owner.c" >"$T/$3.c"
    cc "-I$top/policies" -shared -fPIC -o "$T/$3.so" "$T/$3.c"
}
version 2 0 major
version 1 9 minor
# As the header was in version 1.0, shorter.
mkdir "$T/former"
sed '/since 1\.1/,/\*\/$/d; s/MINOR 1u/MINOR 0u/' "$top/policies/hct_optimizer.h" \
    >"$T/former/hct_optimizer.h"
cp "$top/policies/hct_policy.h" "$T/former"
cc -Wall -Werror "-I$T/former" -shared -fPIC -o "$T/former.so" "$T/owner.c"
is "$(grep -c 'tasks_max,\|crowds,' "$T/former/hct_optimizer.h")" 1 \
    'a header without the members that are new'        # but in its list of changes
run $E --optimizer "$T/former.so" -j
sed 's/,"plan_ns".*/}/' "$T/out" >"$T/second"
run $E --optimizer "$T/owner.so" -j
sed 's/,"plan_ns".*/}/' "$T/out" >"$T/first"
ok 'an optimizer of version 1.0 loads, and plans the same' cmp "$T/first" "$T/second"
echo 'int nothing;' >"$T/none.c"
cc -shared -fPIC -o "$T/none.so" "$T/none.c"
refuses 'was built for version 2.0' $E --optimizer "$T/major.so"
refuses 'was built for version 1.9' $E --optimizer "$T/minor.so"
refuses 'is not an optimizer: it has no hct_optimizer' $E --optimizer "$T/none.so"
refuses 'cannot load the optimizer' $E --optimizer "$T/absent.so"
refuses 'there is no optimizer called nix' $E --optimizer nix
refuses 'there is no optimizer called ""' $E --optimizer ''
refuses 'hang is a policy, not an optimizer' $E --optimizer hang
refuses 'is a policy, not an optimizer' $E --optimizer "$build/lib/policies/null.so"
refuses 'optimizer balance has no parameter speed; it has margin, message' \
    $E --optimizer balance:speed=2
refuses 'margin=0: a number from 1 to 100 is wanted' $E --optimizer balance:margin=0
refuses 'margin: write it as KEY=VALUE' $E --optimizer balance:margin
refuses 'optimizer stay has no parameter margin; it has none' $E --optimizer stay:margin=2
refuses 'need --optimizer' hector-emulate --nodes 3
refuses 'goes with --nodes' hector-emulate --optimizer stay --seconds 2
refuses '--load' $E --optimizer stay --load 0

# Optimizers are no policies.
run hector-run -n 1 --policy balance true
is "$status" 2 'an optimizer is not taken for a policy'
like "$T/err" 'balance is an optimizer, not a policy' '... in words'
done_testing
