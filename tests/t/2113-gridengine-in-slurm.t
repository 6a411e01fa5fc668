# A job of a real Grid Engine that has brought Slurm's variables along, as from qsub
# -V in an allocation: what has started us is the one whose hosts there are.
# limit: 120
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/gridengine.sh"
gridengine 1
cat >script <<'END'
#!/bin/sh
export SLURM_JOB_ID=3 SLURM_JOB_NODELIST='m[1-2]' SLURM_TASKS_PER_NODE='1(x2)'
hector-run -v "$APPS/where"
echo "status $?"
END
fresh out err
ge_submit -o "$T/out" -e "$T/err" -pe fill 2 script >&2
wait_for 'grep -q ^status "$T/out"' 60
is "$(sed -n 's/^rank \([0-9]\) on \([^ ]*\) .*/\1 \2/p' "$T/out" | xargs)" \
    '0 n1 1 n1' 'Grid Engine in Slurm: the hosts are those of Grid Engine'
is "$(tail -n 1 "$T/out")" 'status 0' '... and all is well'
like "$T/err" '^hector: Grid Engine [0-9]+ in Slurm 3: the first one says which hosts' \
    '... said with --verbose'
ge_over
done_testing
