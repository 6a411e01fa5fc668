# What is found until a job ends has its lines, too, also where nobody is left to be
# asked for them. And what is normal is learnt: a run that ends well says to later ones in
# how many groups its tasks were.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/background.sh"
need sqlite3

job=0
one()           # POLICY [OPTION...]: the next job, which ends by itself
{
    job=$((job + 1))
    tap_policy=$1
    shift
    KERNEL_ROUNDS=150 hector-run -n 8 --oversubscribe --policy none \
        --policy "$tap_policy" "$@" "$APPS/stencil" 32 >"$T/one.out" 2>"$T/one.err"
}
bare()          # steps of the job that lack a line
{
    sql "SELECT count(*) FROM steps WHERE job = $job AND (from_call IS NOT NULL AND
        from_line IS NULL OR to_call IS NOT NULL AND to_line IS NULL)"
}

slow=rank=3,call=MPI_Waitall:5,fault=slow-after,time=20ms
for samples in 3 0; do          # 0: no slave is asked for anything
    mkdir -p "$T/conf/hector"
    printf '[master]\nhang_samples = %s\n' "$samples" >"$T/conf/hector/hector.conf"
    XDG_CONFIG_HOME=$T/conf one outlier:every=0.1,least=0.05 --inject "$slow"
    is "$(sql "SELECT count(*) > 0 FROM steps WHERE job = $job AND rank = 3")|$(bare)" \
        '1|0' "job $job was compared until it ended: each step has its lines"
done
run hector why "$job" --outliers -k 1
like "$T/out" '^ +1 +3 MPI_Waitall +stencil.c +[0-9]+ MPI_Irecv +stencil.c +[0-9]+ ' \
    '... which are shown'
like "$T/out" '^its tasks are in [1-4] groups?[ ,]' '... and in how many groups its tasks were'

# ------------------------------------------------------------------------- learnt
# It waits before its end until it was compared, or asked about. By that much nobody is
# odd of whom nothing is learnt, also if a busy machine has kept him from a processor.
run_cycle()
{
    begin env CYCLE_HOLD="$T/go" hector-run -n 4 --oversubscribe --policy none \
        --policy outlier:every=0.1,least=3600 "$APPS/cycle" 20 100
}
learnt()
{
    [ "$(sql "SELECT count(*) FROM learnt WHERE job = $job AND ngroups BETWEEN 1 AND most AND
        most = 4 AND times > 0" 2>/dev/null)" = 1 ]
}
for _ in 1 2; do
    rm -f "$T/go"
    run_cycle
    ok "job $job tells what is normal" wait_for learnt
    touch "$T/go"
    wait "$runner"
done
rm -f "$T/go"
run_cycle
told()
{
    hector why "$job" --outliers >"$T/now" 2>"$T/why" &&
        grep -q '^its tasks are in .*: so were those of 2 good runs$' "$T/now"
}
ok '... and a later run knows it' wait_for told
like "$T/now" '^its tasks are in [1-4] groups?, of no more than [1-4]: so were' \
    '... and says from whom'
touch "$T/go"
end
done_testing
