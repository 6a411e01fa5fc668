# hector-emulate plays runs of a program with a fault each: the policy outlier finds the
# task and the step among 256, by all methods where the step stands out; nobody is named
# where there is no fault, whatever the loads; a run is the same again; bad input.
# limit: 60
# shellcheck disable=SC2154 # $status is t.sh's
. "${0%/*}/../lib/t.sh"

cat >"$T/loop" <<'END'
# six calls of a loop, two of them wait
state 1 MPI_Init waits
state 2 MPI_Irecv
state 3 MPI_Isend
state 4 MPI_Wait waits
state 5 MPI_Isend
state 6 MPI_Allreduce waits
step 0 1 1 0 0 0 0 0 0
step 1 2 1 1e7 0 0.1 1e6 0 0
step 2 3 900 1e4 1e3 0.02 2e6 1e5 0.01
step 3 4 800 1e4 1e3 0.02 3e6 1e5 0.01
step 3 5 100 1e4 1e3 0.02 1e6 1e5 0.01
step 4 5 800 5e5 2e5 0.1 5e4 5e3 0.01
step 5 6 900 1e4 1e3 0.02 1e6 1e5 0.01
step 6 2 900 5e5 2e5 0.1 3e6 1e5 0.01
END
E="hector-emulate --gather outliers --program $T/loop -D 8 -n 32 --policy none"

run $E --trials 48 --seed 3 --spread 5
is "$status,$(wc -l <"$T/out")" 0,48 'six runs of each fault'
is "$(awk '{ print $1 }' "$T/out" | sort | uniq -c | awk '{ printf "%s %s,", $2, $1 }')" \
    'cpu 6,cpu-after 6,hang 6,hang-after 6,mem 6,mem-after 6,stall 6,stall-after 6,' \
    '... in a call and behind it'
is "$(awk '$5 != 8 || $8 != 6' "$T/out" | wc -l)" 0 \
    '... of eight steps, six when those without a choice are merged'
# Seen in times: not in a call that waits. 3 % of the run are much of a step here.
ok '... a fault of 3 % is found, the task and the step' [ "$(awk '$1 !~ /hang/ && !$2 &&
    $3 >= 0.03 { n++; right += $9 == 1 && $10 == 1 && $6 == 1 && $7 == 0 }
    END { print (n >= 3 && right == n) }' "$T/out")" = 1 ]
ok '... by the neighbours, too, with no chain merged' [ "$(awk '$1 !~ /hang/ && !$2 &&
    $3 >= 0.03 { n++; right += $15 <= 5 && $16 <= 5 } END { print (right == n) }' \
    "$T/out")" = 1 ]
ok '... and one that stands in a call that waits' [ "$(awk '$1 == "stall" && $2 &&
    $3 >= 0.01 { n++; right += $9 == 1 && $10 == 1 } END { print (right == n) }' \
    "$T/out")" = 1 ]
ok '... nobody else is named' [ "$(awk '{ n += $7 } END { print n }' "$T/out")" = 0 ]
cp "$T/out" "$T/first"
run $E --trials 48 --seed 3 --spread 5 -d 3 --workers 1
ok 'the same again, in another tree' cmp "$T/first" "$T/out"
run $E --trials 8 --seed 4
ok '... and not with another seed' [ "$(head -n 8 "$T/first")" != "$(cat "$T/out")" ]

for spread in 0 20; do
    run $E --trials 10 --clean --spread $spread
    is "$(sort -u "$T/out")" 'none 0 0.00000 0 8 0 0' \
        "nobody is named without a fault, loads +-$spread %"
done

# --------------------------------------------------------------- bad input
refused()       # WHY SENTENCE, of the file $T/bad
{
    run hector-emulate --gather outliers --program "$T/bad" -D 2 -n 32
    is "$status,$(wc -l <"$T/err")" 1,1 "refused: $1"
    like "$T/err" "$2" '... with the reason'
}
rm -f "$T/bad"
refused 'no such file' 'bad: cannot be opened: No such file'
echo 'step 0 1 1 0 0 0 0 0 0' >"$T/bad"
refused 'a step to a state that is not there' 'bad: line 1 is no state and no step'
printf 'state 2 MPI_Send\n' >"$T/bad"
refused 'a state out of order' 'bad: line 1 is no state'
printf 'state 1 MPI_Send\nstep 0 1 1 0 0 0 0 0 0\nstep 1 1 9 nan 1 0 1 1 0\n' >"$T/bad"
refused 'a time that is none' 'bad: line 3 is no state and no step'
printf 'state 1 MPI_Send\nstep 0 1 1 0 0 0 0 0 0\n' >"$T/bad"
refused 'nothing is done twice' 'bad: no step is taken twice'
printf 'state 1 MPI_Send\nstep 1 1 9 1 1 0 1 1 0\nstep 1 1 9 1 1 0 1 1 0\n' >"$T/bad"
refused 'a step twice' 'bad: the step from 1 to 1 is there twice'
for wrong in "--program $T/loop" --clean '--trials 3'; do
    # shellcheck disable=SC2086 # words
    run hector-emulate $wrong
    is "$status,$(wc -l <"$T/err")" 2,1 "refused: $wrong without what it goes with"
done
done_testing
