#!/bin/sh
# slices.sh - programs with one planted fault each, which hang: is the line that
# has the fault in the slice of the task that a verdict blames, and how many lines
# are shown of how many in the functions that the task is in?
#
# usage: slices.sh BUILD [PROGRAM.FAULT...]
#
# One line a run: program, fault, options of the compiler; the place of the faulty
# line in the slice ("-": it is not there), lines shown, lines on the path, the
# task, the kind of the fault. Then the sums, apart for programs by which the order of
# lines was chosen, or what is followed mended ("seen"), and those that were only
# measured ("unseen"): at -O2 seen 194 faults, 97 % in the slice, 85 % among the nearest;
# unseen 40 faults, 90 % and 78 %. Among the nearest is a line whose place is within 40 %
# of the number of lines on the path (8 at least, what else would be is said), which
# is a measure of the order: all that is shown is more, and its sum stands there as
# well. The programs are in slices/, where /*! N KIND */
# marks the line of fault N: local, if it sets a value in a register or a stack slot,
# memory, branch. $LIMIT is how many seconds a program has to be found stuck (30),
# $OPTIONS are those of the compiler (-O2 -O0). With $KEEP, a folder, the programs are
# kept there, and what was asked about them; with $AGAIN, such a folder, these are asked
# again, and nothing is run.
set -u
build=$(cd "$1" && pwd)
here=$(cd "${0%/*}" && pwd)
shift
dir=$(mktemp -d)
job=
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
bin=$build/bin
PATH=$bin:$PATH
wanted=" $* "

sql() { sqlite3 -cmd '.timeout 5000' "$HECTOR_DB" "$1" 2>/dev/null; }

compile()       # SOURCE FAULT OPTION: into $dir/prog
{
    case $1 in
    *.F90) (cd "$dir" && mpifort "$3" -g -DFAULT="$2" -o prog "$here/slices/$1") ;;
    *.cc) mpicxx "$3" -g -DFAULT="$2" -o "$dir/prog" "$here/slices/$1" ;;
    *) mpicc "$3" -g -DFAULT="$2" -o "$dir/prog" "$here/slices/$1" -lm ;;
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

keep_questions()        # by a hector-slice that writes down what it is asked
{
    mkdir -p "$KEEP" "$dir/keep"
    cp "$bin"/hector* "$dir/keep"
    ln -s "$build/lib" "$dir/lib"
    mv "$dir/keep/hector-slice" "$dir/keep/asked"
    cat >"$dir/keep/hector-slice" <<END
#!/bin/sh
printf '%s\\n' "\$*" >"$dir/question"
exec "$dir/keep/asked" "\$@"
END
    chmod +x "$dir/keep/hector-slice"
    PATH=$dir/keep:$PATH
}

# What the slave has added, in place 2, is kept as well: who has sent last.
keep()          # NAME
{
    [ -s "$dir/question" ] || return
    mkdir -p "$KEEP/$1"
    cp "$dir/prog" "$dir/question" "$dir/rank" "$KEEP/$1"
    sed -n 2p "$dir/rows" >"$KEEP/$1/added"
    ask "$KEEP/$1"
    sed -n 2p "$dir/rows" | cmp -s - "$KEEP/$1/added" && : >"$KEEP/$1/added"
}

ask()           # FOLDER: rows, path and place of where the task is
{
    # shellcheck disable=SC2046 # one word an address
    set -- "$1" $(sed "s,[^ ]*/prog\>,$1/prog,g" "$1/question")
    folder=$1
    shift
    "$bin/hector-slice" "$@" >"$dir/answer"
    awk -F '\t' -v added="$(cat "$folder/added" 2>/dev/null)" '
        /^#/ || ++n > 64 { next }
        $3 " " $4 != added { print $3, $4 }
        n == 1 && added { print added }' "$dir/answer" >"$dir/rows"
    sed -n 's/.*on the path have \([0-9]*\).*/\1/p' "$dir/answer" >"$dir/path"
    head -n 1 "$dir/answer" | cut -f 4,5 >"$dir/at"
}

say()           # SOURCE FAULT OPTION: one line
{
    place=$(awk -v file="/$1" -v line="$(line_of "$1" "$2")" '
        $2 == line && substr($1, length($1) - length(file) + 1) == file {
            print NR
            exit
        }' "$dir/rows")
    shown=$(wc -l <"$dir/rows")
    path=$(cat "$dir/path")
    printf '%s %s %s %s %s %s %s %s %s\n' "$1" "$2" "$3" "${place:--}" "$shown" \
        "${path:-0}" "$(cat "$dir/rank")" "$(kind_of "$1" "$2")" \
        "$(cat "$dir/at")" | tee -a "$dir/all"
}

again()         # SOURCE FAULT OPTION
{
    [ -e "$AGAIN/$1.$2$3/question" ] || return
    cp "$AGAIN/$1.$2$3/rank" "$dir/rank"
    ask "$AGAIN/$1.$2$3"
    say "$1" "$2" "$3"
}

one()           # SOURCE FAULT OPTION
{
    compile "$1" "$2" "$3" || return
    job=$(($(sql 'SELECT ifnull(max(job), 0) FROM job' || echo 0) + 1))
    : >"$dir/question"
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
    sql "SELECT file || ' ' || line FROM slices WHERE $last AND place > 0
        ORDER BY place" >"$dir/rows"
    sql "SELECT reason FROM slices WHERE $last AND place = 0" |
        sed -n 's/.*on the path have \([0-9]*\).*/\1/p' >"$dir/path"
    sql "SELECT ifnull(max(rank), '-') FROM slices WHERE $last" >"$dir/rank"
    sql "SELECT line || ' ' || reason FROM slices WHERE $last AND place = 1" >"$dir/at"
    say "$1" "$2" "$3"
    [ -z "${KEEP:-}" ] || keep "$1.$2$3"
}

how=one
[ -z "${AGAIN:-}" ] || how=again
[ -z "${KEEP:-}" ] || keep_questions
for option in ${OPTIONS:--O2 -O0}; do
    for source in halo.c farm.c requests.c pipeline.c solver.F90 \
        tree.c sorter.c mesh.F90 grid.c wave.F90 shuffle.c particles.F90 \
        locks.c cycles.F90 cannon.c writers.c survey.F90 tides.F90 \
        panels.c depot.c spectra.F90 bazaar.cc canal.c orchard.F90 \
        ledger.c coupler.F90
    do
        grep -oE '(/\*!|!!) [0-9]+' "$here/slices/$source" | grep -oE '[0-9]+' >"$dir/faults"
        while read -r fault; do
            case $wanted in
            "  " | *" ${source%.*}.$fault "*)
                $how "$source" "$fault" "$option"
                ;;
            esac
        done <"$dir/faults"
    done
done

awk '
    { of = $3
      of = of ($1 ~ /^(canal|orchard|ledger|coupler)\./ ? " unseen" : " seen")
      n[of]++
      near = int(0.4 * $6)
      strictly[of] += $4 != "-" && $4 <= near
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
                "are shown; %d if 40 %% may be less than 8\n", of, top[of],
                100 * top[of] / n[of], path[of] ? 100 * nearest[of] / path[of] : 0,
                strictly[of]
            for (k in kinds)
                if (of_kind[of, k])
                    printf "# %s %s: %d faults, %d in the slice (%.0f %%), %d among " \
                        "the nearest (%.0f %%)\n", of, k, of_kind[of, k],
                        of_kind_in[of, k], 100 * of_kind_in[of, k] / of_kind[of, k],
                        of_kind_near[of, k],
                        100 * of_kind_near[of, k] / of_kind[of, k]
        }
    }' "$dir/all"
