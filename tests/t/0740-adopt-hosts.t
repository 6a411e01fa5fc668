# Adopted jobs on several hosts: their launcher starts the tasks with its own
# agent and none of our environment, slaves wait on each host.
# limit: 60
# shellcheck disable=SC2016,SC2086 # $R and $M are several words
. "${0%/*}/../lib/t.sh"
hosts 3
need mpirun
R="hector-run --launch-agent $AGENT"
# As ssh: one string for a shell, and an environment of its own.
cat >"$T/rsh-agent" <<'END'
#!/bin/sh
[ "$1" != -x ] || shift      # Hydra wants no X11
host=$1; shift
exec env -u HECTOR_SLAVE -u HECTOR_JOB -u LD_PRELOAD \
    -u OMPI_MCA_mca_base_env_list sh "$AGENT" "$host" sh -c "$*"
END
chmod +x "$T/rsh-agent"
M="mpirun --mca plm_rsh_agent $T/rsh-agent --mca plm_rsh_no_tree_spawn 1
    --mca btl self,vader,tcp --mca pml ob1 --host n1:2,n2:2 -n 4"
run timeout 60 $M "$APPS/where"
[ "$status" = 0 ] || skip_all "mpirun cannot reach simulated hosts: $(head -n 3 "$T/err")"

run $R --adopt -H n1,n2,n3 -- $M "$APPS/where"
is "$status" 0 'mpirun on two hosts of three'
is "$(sql 'SELECT count(*), max(ntasks), max(state) FROM jobs')" '1|4|done' \
    'is one job'
is "$(sql 'SELECT node, count(*) FROM tasks GROUP BY node' | xargs)" \
    'n1|2 n2|2' '... with tasks on both'
run $R --adopt -H n1,n2 --stdtim=times -- $M "$APPS/tagloop" 1000
is "$status" 0 'tagged calls'
is "$(sql 'SELECT rank, node, count(*), count(DISTINCT marker) FROM events
    GROUP BY rank' | xargs)" '0|n1|1000|1000 1|n1|1000|1000 2|n2|1000|1000 3|n2|1000|1000' \
    '... of all hosts are there, once'
is "$(grep -c '^Task [0-3] E' times)" 8000 '... and shown'
is "$(sort times | uniq -d | wc -l)" 0 '... once'

run $R --adopt -H n1,n2 -- ${M} -x HECTOR_SLAVE -x HECTOR_JOB -x LD_PRELOAD \
    "$APPS/where"
is "$status" 0 'with mpirun -x'
is "$(sql 'SELECT count(*) FROM tasks WHERE job = 3')" 4 '... too'
run $R --adopt -H n1 -- $M "$APPS/where"
is "$status" 0 'tasks on a host without a slave'
is "$(sql 'SELECT node, count(*) FROM tasks WHERE job = 4 GROUP BY node')" \
    'n1|2' '... run unwatched, the others are watched'
is "$(sql 'SELECT ntasks, state FROM jobs WHERE job = 4')" '4|done' \
    '... as the tasks they are'

if command -v mpiexec.mpich >/dev/null && mpicc.mpich -O2 -std=gnu11 \
    -o "$T/hello" "$top/tests/apps/hello.c" -I"$build/include"; then
    run timeout 60 $R --adopt -H n1,n2 -- mpiexec.mpich -launcher-exec "$T/rsh-agent" \
        -hosts n1:2,n2:2 -n 4 "$T/hello"
    is "$status" 0 'MPICH on two hosts'
    is "$(sql 'SELECT j.ntasks, t.node, count(*) FROM tasks t JOIN jobs j
        USING (job) WHERE job = 5 GROUP BY t.node' | xargs)" \
        '4|n1|2 4|n2|2' '... is one job'
else
    skip 'MPICH on two hosts' 'no MPICH here'
fi

# From a path with a blank, which LD_PRELOAD cannot hold, to a host with a home
# of its own; and from a home with one.
mkdir -p "$T/a b/home" "$HOME/.local/state/hector"
cp -r "$build/bin" "$build/lib" "$T/a b/"
on n2 mount -t tmpfs home "$HOME"
run "$T/a b/bin/hector-run" --launch-agent "$AGENT" --adopt -H n1,n2 -- \
    $M "$APPS/where"
is "$status$(grep hector: "$T/err")" 0 'from a path with a blank'
is "$(sql 'SELECT node, count(*) FROM tasks
    WHERE job = (SELECT max(job) FROM jobs) GROUP BY node' | xargs)" \
    'n1|2 n2|2' '... the tasks are watched, on the other host too'
is "$(find "$HOME" -name '*.so'; on n2 find "$HOME" -name '*.so')" '' \
    '... and no link is left'
on n2 umount "$HOME"
mkdir -p "$T/a b/home/.config"
cp -r "$HOME/.config/hector" "$T/a b/home/.config/"
run env HOME="$T/a b/home" "$T/a b/bin/hector-run" --launch-agent "$AGENT" \
    --adopt -H n1,n2 -- $M "$APPS/where"
is "$status" 0 'from a home with a blank as well'
like "$T/err" '^hector: tasks on other hosts run unwatched: .* blank' \
    '... the tasks elsewhere are not watched, in words'
done_testing
