#!/bin/sh
# page.sh - memory of the page that a task shares with its slave, as much as
# has been touched when the program is at its end: a fault holds it there.
#
# usage: page.sh BUILD
set -eu
. "$(dirname "$0")/../lib/inputs.sh"
build=$1
dir=$(mktemp -d)
run=
trap 'test -z "$run" || kill "$run" 2>/dev/null; wait; rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/bench.db" HECTOR_INJECT_LOG="$dir/log"
cd "$dir"
melt_input 6 100

page()          # NAME COMMAND...: of the largest of two tasks
{
    name=$1
    shift
    rm -f log
    "$build/bin/hector-run" -q -n 2 --oversubscribe \
        --inject rank=all,call=MPI_Finalize,fault=hang "$@" >out 2>&1 &
    run=$!
    until [ -e log ] && [ "$(wc -l <log)" -eq 2 ]; do
        kill -0 $run 2>/dev/null || { cat out >&2; exit 1; }
        sleep 0.05
    done
    sed 's/.* pid \([0-9]*\) .*/\1/' log | while read -r pid; do
        awk '/hector-page/ { on = 1 } on && /^Rss:/ { print $2; exit }' \
            "/proc/$pid/smaps"
    done | sort -n | tail -n 1 |
        awk -v name="$name" '{ printf "page of a task: %s %d kB\n", name, $1 }'
    kill $run
    wait $run || :
    run=
}
page hello "$build/apps/hello"
page stencil "$build/apps/stencil"
page 'comms, 4 threads' "$build/apps/comms" "$dir"
! command -v lmp >/dev/null || page LAMMPS lmp -in in.melt -log none
HECTOR_PHASE=MPI_Allreduce page 'phases, a new one at each sum' \
    "$build/apps/model" 12 12
page 'more pairs of call sites than there is room for' \
    "$build/apps/exhaust" edges
