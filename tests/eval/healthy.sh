#!/bin/sh
# healthy.sh - is any healthy program ever called hung or deadlocked? Runs
# programs that are right, one after the other, with --on-hang kill as a user
# would: all look-alikes of tests/deadlocks, the kernels among the test
# programs, hpcc and LAMMPS where they are; over shared memory with and without
# single copy, and over TCP; some of them while somebody else stops, freezes,
# traces or slows down one of their tasks for some seconds; beside so many
# processes that do nothing but use the processor.
#
# What was said of each is in a database, and healthy_table.sh sums it up: runs,
# hours, what was said in the three strengths, what was ended, what ended badly,
# and how high the rate may be. A campaign that was interrupted goes on where it
# was: the same seed makes the same runs, and those that are there are left out.
#
# usage: healthy.sh BUILD [RUNS [BURNERS...]]
#   RUNS runs (200) beside each number of BURNERS (0)
#   HEALTHY_DB=FILE   where (BUILD/healthy.db, which is appended to)
#   SEED=1            another one makes other runs
#   LANES=2           so many runs at a time
#   ONLY='fine app'   sets of programs: fine fine_size fine_window fine_group busy
#                     app hpcc lammps
#   NICE=10           of the burners
#   KEEP=DIR          gets the databases of runs of which anything but a notice was
#                     said (BUILD/healthy.kept)
#   LIST=1            only prints what it would run
set -eu
build=$(cd "$1" && pwd)
runs=${2:-200}
[ $# -lt 2 ] || shift
shift
here=$(cd "${0%/*}" && pwd)
db=${HEALTHY_DB:-$build/healthy.db} seed=${SEED:-1}
export KEEP="${KEEP:-$build/healthy.kept}"
dir=$(mktemp -d)
burning=
cool()
{
    # shellcheck disable=SC2086 # several
    [ -z "$burning" ] || kill $burning 2>/dev/null || :
    burning=
}
trap 'cool; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

# One line: SET NAME TASKS. What takes long comes less often than what is short.
programs()
{
    for set in fine fine_size fine_window fine_group busy; do
        "$build/deadlocks/$set" | awk -v s=$set '{ print s, $1, $2 }'
    done
    for app in ring cg stencil transpose wavefront poll farm imbalance phases \
        serial comms heat jacobi omp mm; do
        echo "app $app $((${#app} % 3 + 2))"
    done
    if command -v hpcc >/dev/null; then printf 'hpcc hpcc %d\n' 4 2 4; fi
    if command -v lmp >/dev/null; then printf 'lammps lmp %d\n' 4 2 3 4; fi
}

# lot N: a number below N; the next one of the seed. pick WORD...
lot() { state=$((state * 48271 % 2147483647)); lot=$((state % $1)); }
pick() { lot $#; shift $lot; picked=$1; }

# NUMBER BURNERS: SET NAME TASKS TRANSPORT DISTURBANCE SECONDS
draw()
{
    state=$(((seed * 2654435761 + $1 * 40503 + $2 * 9973) % 2147483646 + 1))
    lot 7
    pick shared shared none tcp
    transport=$picked
    pick no no no no no stop gdb freeze nice
    disturb=$picked
    lot 45
    echo "$transport $disturb $(echo $lot | awk '{ print 0.5 + $1 / 10 }')"
}

awk -v only="${ONLY:-}" 'only == "" || index(" " only " ", " " $1 " ")' \
    >"$dir/programs" <<END
$(programs)
END
n=$(wc -l <"$dir/programs")
[ "$n" -gt 0 ] || { echo "healthy.sh: no program is in '$ONLY'" >&2; exit 2; }
list()          # BURNERS: all of its runs, by number; each program once before any
{               # comes again, for 7919 is a prime
    i=0
    while [ $i -lt "$runs" ]; do
        what=$(sed -n "$((i * 7919 % n + 1))p" "$dir/programs")
        echo "$i $1 $what $(draw $i "$1")"
        i=$((i + 1))
    done
}

if [ -z "${LIST:-}" ]; then
    sqlite3 -cmd '.timeout 60000' "$db" "CREATE TABLE IF NOT EXISTS run(seed,
        number INTEGER, burners INTEGER, at TEXT, kind TEXT, program TEXT, tasks
        INTEGER, transport TEXT, disturb TEXT, load REAL, status INTEGER, seconds
        REAL, proofs INTEGER, verdicts INTEGER, loops INTEGER, notices INTEGER,
        kills INTEGER, why TEXT, UNIQUE(seed, number, burners))"
fi
[ $# -gt 0 ] || set -- 0
for burners; do
    list "$burners" >"$dir/all"
    if [ -n "${LIST:-}" ]; then
        cat "$dir/all"
        continue
    fi
    sqlite3 -cmd '.timeout 60000' -separator ' ' "$db" "SELECT number, '' FROM run
        WHERE seed = $seed AND burners = $burners" >"$dir/done"
    i=0
    while [ $i -lt "$burners" ]; do
        nice -n "${NICE:-10}" sh -c 'while :; do :; done' &
        burning="$burning $!"
        i=$((i + 1))
    done
    awk -v d="$dir/done" 'FILENAME == d { done[$1] = 1; next } !($1 in done)' \
        "$dir/done" "$dir/all" >"$dir/left"
    xargs -r -P "${LANES:-2}" -L 1 sh "$here/healthy_one.sh" "$build" "$db" \
        "$seed" "$(wc -l <"$dir/all")" <"$dir/left" || :
    cool
done
[ ! -t 2 ] || echo >&2
[ -n "${LIST:-}" ] || sh "$here/healthy_table.sh" "$db" "$seed"
