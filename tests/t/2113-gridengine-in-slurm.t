# A job of an ordinary user in a real Grid Engine that has brought Slurm's variables
# along, as from qsub -V in an allocation: what has started us is the one whose hosts
# there are.
# limit: 120
# shellcheck disable=SC2016,SC2154 # scripts are for other shells; $nobody is nobody.sh's
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/gridengine.sh"
. "$top/tests/lib/nobody.sh"
gridengine 1
nobody_rather
submit()        # ARGUMENT...: of qsub, which runs ./script
{
    fresh out err
    chmod 666 "$T/out" "$T/err"
    ge_submit_by "$nobody" -o "$T/out" -e "$T/err" "$@" script >&2
}
cat >script <<'END'
#!/bin/sh
export HOME="$PWD"           # Grid Engine says another one
export SLURM_JOB_ID=3 SLURM_JOB_NODELIST='m[1-2]' SLURM_TASKS_PER_NODE='1(x2)'
hector-run -v "$APPS/where"
echo "status $?"
END
submit -pe fill 2
wait_for 'grep -q ^status "$T/out"'
is "$(sed -n 's/^rank \([0-9]\) on \([^ ]*\) .*/\1 \2/p' "$T/out" | xargs)" \
    '0 n1 1 n1' 'Grid Engine in Slurm: the hosts are those of Grid Engine'
is "$(tail -n 1 "$T/out")" 'status 0' '... and all is well'
like "$T/err" '^hector: Grid Engine [0-9]+ in Slurm 3: the first one says which hosts' \
    '... said with --verbose'
ge_over

# The qstat that comes first in PATH is PBS's, and knows nothing.
mkdir bin
printf '#!/bin/sh\necho "qstat: Unknown Job Id" >&2\nexit 153\n' >bin/qstat
chmod 755 bin/qstat
cat >script <<'END'
#!/bin/sh
export HOME="$PWD" PATH="$PWD/bin:$PATH"
exec hector-run "$APPS/rounds" "$PWD/enough"
END
submit -pe fill 2 -l h_rt=1:00:00
ok 'a qstat of PBS is passed over: when it ends is known' \
    wait_for '[ "$(sql "SELECT (limit_ns - started_ns) / 60000000000 BETWEEN 58 AND 60
        FROM jobs WHERE job = 2" 2>/dev/null)" = 1 ]'
echo 1 >enough
ge_over
done_testing
