#!/bin/sh
# judge.sh - whether anybody waits for policies: how long a job takes from the
# command line to its end with the policies of hector.conf, each in a process of
# its own, and without, in alternating runs; and on a standing master the same for a
# second job: beside a first one, the same while a stranger's process computes, and
# while a policy of the first computes, for 5 s in each step.
#
# usage: judge.sh BUILD [RUNS]
set -eu
build=$1 runs=${2:-9}
top=$(cd "${0%/*}/../.." && pwd)
dir=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" XDG_RUNTIME_DIR="$dir" XDG_CONFIG_HOME="$dir"
run="$build/bin/hector-run"

micros()        # COMMAND...: wall time in microseconds
{
    a=$(date +%s%N)
    "$@" >"$dir/out" 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }
    b=$(date +%s%N)
    echo $(( (b - a) / 1000 ))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

i=0
while [ $i -lt "$runs" ]; do
    micros "$run" -n 2 "$build/apps/hello" >>"$dir/with"
    micros "$run" -n 2 --policy none "$build/apps/hello" >>"$dir/without"
    i=$((i + 1))
done
echo "$(median "$dir/with") $(median "$dir/without") $runs" | awk '{
    printf "judge: a job with the usual policies %.3f s, without %.3f s, ratio " \
        "%.2f (median of %d)\n", $1 / 1e6, $2 / 1e6, $1 / $2, $3 }'

# A policy that computes.
${CC:-cc} -shared -fPIC -I "$top/policies" -o "$dir/slow.so" "$top/tests/lib/odd_policy.c"
chmod 700 "$dir"
address=unix:$dir/master.sock
printf '[master]\nlisten = %s\n[slave]\nmaster = %s\nname = here\n' "$address" \
    "$address" >"$dir/both.conf"
"$build/bin/hector-master" -d -f "$dir/both.conf" >"$dir/master.log" 2>&1 &
pids="$pids $!"
until [ -e "$dir/master.sock" ]; do sleep 0.05; done
"$build/bin/hector-slave" -d -f "$dir/both.conf" >"$dir/slave.log" 2>&1 &
pids="$pids $!"
second() { micros "$run" --master "$address" --oversubscribe -n 2 --policy none \
    "$build/apps/hello"; }
beside()        # NAME OPTION...: second jobs while a first one is watched
{
    name=$1
    shift
    "$run" --master "$address" --oversubscribe -n 1 --policy none \
        --policy null:every=0.1 "$@" sh -c "while [ ! -e $dir/go ]; do
        sleep 0.05; done" >/dev/null 2>&1 &
    first=$!
    sleep 2
    i=0
    while [ $i -lt "$runs" ]; do
        second >>"$dir/$name"
        i=$((i + 1))
    done
    touch "$dir/go"
    wait $first || true
    rm "$dir/go"
}
second >/dev/null
beside alone
sh -c 'while :; do :; done' &
burner=$!
pids="$pids $burner"
beside burner
kill $burner
beside slow --policy "$dir/slow.so:mode=17,at=1,tagged=0"
echo "$(median "$dir/alone") $(median "$dir/burner") $(median "$dir/slow") $runs" |
    awk '{ printf "judge: a second job of one master %.3f s, %.3f s while a process " \
        "computes, %.3f s while a policy of the first does, ratio %.2f (median " \
        "of %d)\n", $1 / 1e6, $2 / 1e6, $3 / 1e6, $3 / $2, $4 }'
