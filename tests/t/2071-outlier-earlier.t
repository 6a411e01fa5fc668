# Runs of a program that ended well are one more cluster to compare with: whoever asks
# hears in which step all tasks take longer than good runs ever did, and a task that is
# odd is told with what good runs had. Of a healthy run, of another build, and where
# there was no run before, nothing is said.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3 mpicc

policy=outlier:every=0.3,least=0.3
cp "$APPS/stencil" "$T/stencil"

good()          # one more run that ends well
{
    job=$((job + 1))
    KERNEL_ROUNDS=150 hector-run -n 4 --oversubscribe --policy none "$T/stencil" 32 \
        >"$T/good.out" 2>&1
}
run_long()      # OPTION...
{
    begin env KERNEL_ROUNDS=1000000 hector-run -n 4 --oversubscribe --policy none \
        --policy $policy "$@" "$T/stencil" 32
}
slow()          # RANK
{
    printf -- '--inject rank=%s,call=MPI_Waitall:5,fault=slow-after,time=100ms ' "$1"
}
asked()         # behind a question that good runs were known at
{
    hector why "$job" --outliers >"$T/now" 2>"$T/why" && grep -q "$1" "$T/now"
}
longer='its tasks take longer between MPI_Waitall and MPI_Irecv than those of'

# ------------------------------------------------------------------ none before
# shellcheck disable=SC2046 # words
run_long $(slow 0; slow 1; slow 2; slow 3)
ok 'a job without earlier runs is compared' wait_for 'asked ^polish'
is "$(grep -c 'good run' "$T/now")" 0 '... with none'
kill -TERM "$runner"
end

# ----------------------------------------------------------------------- all tasks
# At 0.3 s a task that a busy machine has kept from its processor, amid its like that
# sleep, may be odd for once: it has to be by a second to be blamed.
good && good && good
policy=outlier:every=0.3,least=1
# shellcheck disable=SC2046
run_long $(slow 0; slow 1; slow 2; slow 3)
policy=outlier:every=0.3,least=0.3
ok 'all tasks that take longer than in good runs are found' wait_for 'asked "$longer"'
like "$T/now" "^$longer 3 good runs: [0-9]+ ms each time, there [0-9.]+ m?u?s at most; "\
'[0-9.]+ m?s in all, [0-9.]+ % of their time' '... with what they took, and take'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'outlier'")" 0 \
    '... and nobody is to blame'
kill -TERM "$runner"
end
run hector why "$job" --outliers
like "$T/out" "^$longer 3 good runs" 'it is kept'

# ------------------------------------------------------------------------- healthy
run_long
ok 'a healthy job is compared' wait_for 'asked ^neighbour'
is "$(grep -c 'take longer between MPI_Waitall' "$T/now")" 0 '... and is as good'
kill -TERM "$runner"
end

# ------------------------------------------------------------------------- one task
# shellcheck disable=SC2046
run_long $(slow 2)
told='^  task 2 on .* longer between MPI_Waitall and MPI_Irecv, .*; [0-9]+ ms each time, '\
'in 3 good runs [0-9.]+ m?u?s at most'
with()
{
    hector why "$job" >"$T/now" 2>"$T/why" && grep -Eq "$told" "$T/now"
}
ok 'who is odd is told with good runs' wait_for with
like "$T/now" "$told" '... what it takes, and they took'
kill -TERM "$runner"
end
run hector replay "$job" --policy $policy
like "$T/out" 'in 3 good runs [0-9.]+ m?u?s at most' 'a replay says the same'

# ------------------------------------------------------------------- another build
mpicc -O1 -g -D_GNU_SOURCE -o "$T/stencil" "$top/tests/apps/stencil.c"
# shellcheck disable=SC2046
run_long $(slow 0; slow 1; slow 2; slow 3)
ok 'another build is compared' wait_for 'asked ^polish'
is "$(grep -c 'good run' "$T/now")" 0 '... with no run of the one before'
kill -TERM "$runner"
end
done_testing
