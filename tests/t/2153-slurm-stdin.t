# Standard input of an ordinary user's jobs that a real Slurm requeues: a file, that of
# the script, or a pipe, from its beginning, of which tasks read what they had not read
# when they were saved. One that is another one than before is not taken.
# limit: 60
# shellcheck disable=SC2086,SC2154 # words; slurm.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 2
nobody_only
seq 1 100000 >large
cp large same
cp large other
cp large script
begin()         # NAME ARGUMENT...: of sbatch; its script on stdin. One that is begun again
{               # appends to NAME.out and NAME.err
    begin_name=$1
    shift
    { echo '#!/bin/sh'; echo 'exec 8<&- 9<&-'
        echo "run() { exec hector-run --checkpoint-dir $begin_name.saved -n 2 \\
            \"\$APPS/intake\" $begin_name.copy stop=5000,go; }"
        cat; } >"$begin_name.sh"
    eval "${begin_name}_id=\$($as sbatch --parsable -N2 -n2 --open-mode=append \\
        -o $begin_name.out -e $begin_name.err \"\$@\" $begin_name.sh)"
    wait_for "grep -qs '^[a-z]* 0 5000\$' $begin_name.out"
}
# Each was the only one when it got its number.
begin file <<'END'
run <same
END
begin script --input="$PWD/script" <<'END'
run
END
begin pipe <<'END'
cat large | run
exit $?
END
begin changed <<'END'
run <other
END
for job in 1 2 3 4; do
    on "$(sql "SELECT node FROM tasks WHERE job = $job AND rank = 0")" \
        $nobody hector checkpoint $job >>"$T/log" 2>&1 || fail "job $job is saved"
done
printf 'X' | dd of=other bs=1 seek=100 conv=notrunc 2>/dev/null
# shellcheck disable=SC2154 # begin's
$nobody scontrol requeue "$file_id,$script_id,$pipe_id,$changed_id"
for i in file script pipe; do
    wait_for "grep -qs 'goes on from checkpoint 1' $i.err"
done
wait_for 'grep -q "begun 1 time before" changed.err'
: >go
slurm_over
for i in file script pipe; do
    is "$(cmp "$i.copy.0" large 2>&1) $(grep -c begun "$i.out")" ' 2' \
        "$i: what was not read yet is read, and nothing twice"
done
is "$(sql "SELECT state, exit_code FROM jobs WHERE restarts = 1" | xargs)" \
    'done|0 done|0 done|0' '... and they end well'
cat changed.err >&2
is "$(grep -c '^hector: Slurm .* was begun 1 time before: .*standard input' changed.err)" 1 \
    'input that has changed is refused, in one sentence'
slurm_clear 'nothing of them is left'
done_testing
