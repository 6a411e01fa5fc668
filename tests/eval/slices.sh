#!/bin/sh
# slices.sh - programs with one planted fault each, which hang: is the line that
# has the fault in the slice of the task that a verdict blames, and how many lines
# are shown of how many in the functions that the task is in?
#
# usage: slices.sh BUILD [PROGRAM.FAULT...]
#
# One line a run: program, fault, options of the compiler; the place of the faulty
# line in the slice ("-": it is not there), lines shown, lines on the path, the
# task, the kind of the fault. Then the sums, apart for programs by which the costs
# of steps were chosen, those that came later, those that came last, and new ones, by
# which no cost was chosen. The programs are in slices/, where /*! N KIND */
# marks the line of fault N: local, if it sets a value in a register or a stack slot,
# memory, branch. $LIMIT is how many seconds a program has to be found stuck (30),
# $OPTIONS are those of the compiler (-O2 -O0).
set -u
build=$(cd "$1" && pwd)
here=$(cd "${0%/*}" && pwd)
shift
dir=$(mktemp -d)
job=
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
PATH=$build/bin:$PATH
wanted=" $* "

sql() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null; }

compile()       # SOURCE FAULT OPTION: into $dir/prog
{
    case $1 in
    *.F90) (cd "$dir" && mpifort "$3" -g -DFAULT="$2" -o prog "$here/slices/$1") ;;
    *) mpicc "$3" -g -DFAULT="$2" -o "$dir/prog" "$here/slices/$1" ;;
    esac
}

line_of()       # SOURCE FAULT: where the mark is
{
    grep -nE "(/\*!|!!) $2( |\$)" "$here/slices/$1" | cut -d : -f 1
}

kind_of()       # SOURCE FAULT
{
    sed -nE "s,.*(/\*!|!!) $2 ([a-z]*).*,\2,p" "$here/slices/$1"
}

stuck()         # wait until a verdict blames somebody, or the job has ended
{
    tries=$((${LIMIT:-30} * 10))
    while [ $tries -gt 0 ]; do
        [ -z "$(sql "SELECT 1 FROM verdict WHERE job = $job AND ranks <> ''")" ] ||
            return 0
        kill -0 "$run" 2>/dev/null || return 1
        sleep 0.1
        tries=$((tries - 1))
    done
    return 1
}

one()           # SOURCE FAULT OPTION
{
    compile "$1" "$2" "$3" || return
    line=$(line_of "$1" "$2")
    job=$(($(sql 'SELECT ifnull(max(job), 0) FROM job' || echo 0) + 1))
    hector-run -n 4 --oversubscribe --on-hang "report" \
        "$dir/prog" >"$dir/out" 2>"$dir/err" </dev/null &
    run=$!
    stuck || echo "# $1 $2 $3: not found stuck: $(head -n 1 "$dir/err")"
    tries=0
    if hector why "$job" --slice >"$dir/slice" 2>"$dir/why" ||
        hector why "$job" --slice 0 >"$dir/slice" 2>>"$dir/why"
    then tries=50
    else sed 's/^/# /' "$dir/why"
    fi
    while [ -z "$(sql "SELECT 1 FROM slices WHERE job = $job AND place = 0")" ] &&
          [ $tries -gt 0 ]; do
        sleep 0.1
        tries=$((tries - 1))
    done
    kill "$run" 2>/dev/null
    wait "$run" 2>/dev/null
    last="job = $job AND at_ns = (SELECT max(at_ns) FROM slices WHERE job = $job)"
    place=$(sql "SELECT min(place) FROM slices WHERE $last AND place > 0
        AND file LIKE '%/$1' AND line = $line")
    shown=$(sql "SELECT count(*) FROM slices WHERE $last AND place > 0")
    path=$(sql "SELECT reason FROM slices WHERE $last AND place = 0" |
        sed -n 's/.*on the path have \([0-9]*\).*/\1/p')
    rank=$(sql "SELECT max(rank) FROM slices WHERE $last")
    at=$(sql "SELECT reason || ' ' || line FROM slices WHERE $last AND place = 1")
    printf '%s %s %s %s %s %s %s %s %s\n' "$1" "$2" "$3" "${place:--}" "$shown" \
        "${path:-0}" "${rank:--}" "$(kind_of "$1" "$2")" "$at" | tee -a "$dir/all"
}

for option in ${OPTIONS:--O2 -O0}; do
    for source in halo.c farm.c requests.c pipeline.c solver.F90 \
        tree.c sorter.c mesh.F90 grid.c wave.F90 shuffle.c particles.F90
    do
        grep -oE '(/\*!|!!) [0-9]+' "$here/slices/$source" | grep -oE '[0-9]+' >"$dir/faults"
        while read -r fault; do
            case $wanted in
            "  " | *" ${source%.*}.$fault "*) one "$source" "$fault" "$option" ;;
            esac
        done <"$dir/faults"
    done
done

awk '
    { of = $3
      if ($1 ~ /^(tree|sorter|mesh)\./)
          of = of " later"
      if ($1 ~ /^(grid|wave)\./)
          of = of " last"
      if ($1 ~ /^(shuffle|particles)\./)
          of = of " new"
      n[of]++
      near = int(0.4 * $6)
      if (near < 8)
          near = 8
      if (near > $5)
          near = $5
      kinds[$8]
      of_kind[of, $8]++
      of_kind_in[of, $8] += $4 != "-"
      of_kind_near[of, $8] += $4 != "-" && $4 <= near
      inside[of] += $4 != "-"
      top[of] += $4 != "-" && $4 <= near
      nearest[of] += near
      shown[of] += $5
      path[of] += $6 }
    END {
        for (of in n) {
            printf "# %s: %d faults, %d in the slice (%.0f %%), of %d lines where the " \
                "functions on the path have %d\n", of, n[of], inside[of],
                100 * inside[of] / n[of], shown[of], path[of]
            printf "# %s: %d among the nearest (%.0f %%), when %.0f %% of those lines " \
                "are shown\n", of, top[of], 100 * top[of] / n[of],
                path[of] ? 100 * nearest[of] / path[of] : 0
            for (k in kinds)
                if (of_kind[of, k])
                    printf "# %s %s: %d faults, %d in the slice (%.0f %%), %d among " \
                        "the nearest (%.0f %%)\n", of, k, of_kind[of, k],
                        of_kind_in[of, k], 100 * of_kind_in[of, k] / of_kind[of, k],
                        of_kind_near[of, k],
                        100 * of_kind_near[of, k] / of_kind[of, k]
        }
    }' "$dir/all"
