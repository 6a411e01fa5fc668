#!/bin/sh
# deadlocks.sh - small MPI programs that deadlock, or never end in other ways,
# and correct look-alikes: is each named for what it is, and are the others left
# alone? The verdict in the database counts; a notice is none, but names what
# cannot be proven. One line a program; of those that are stuck, how often kind,
# ranks, words and lines were right, and how soon; then the sums.
#
# usage: deadlocks.sh BUILD [NAME...]
#
# $LIMIT is how many seconds a program has (60), $LATE how many may go by until
# what never ends is named (20), $WITH a further option of hector-run's; $PATIENCE
# that of the policy, of what is worth a notice and no more (12).
set -u
build=$(cd "$1" && pwd)
here=$(cd "${0%/*}" && pwd)
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HECTOR_DB="$dir/run.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tab=$(printf '\t')
bad=0 n=0
sets="stuck stuck_counts stuck_taken stuck_window"
patient=hang${PATIENCE:+:patience=$PATIENCE} policy=hang

wanted()        # NAME WANTED...: is it among them? Without any: yes
{
    w=" $1 "
    shift
    case " ${*:-$w} " in
    *"$w"*) return 0 ;;
    esac
    return 1
}

one()           # PROGRAM NAME TASKS [ON-HANG [VAR=VALUE]]: status, verdict found,
{               # ranks blamed, all that was said
    status=0
    timeout "${LIMIT:-60}" env ${5:+"$5"} "$build/bin/hector-run" -n "$3" --oversubscribe \
        ${WITH:+"$WITH"} --policy none --policy "$policy" --on-hang "${4:-kill}" \
        "$build/deadlocks/$1" "$2" \
        >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    # Where tasks get little of the processor, words may come before the proof.
    found=$(sqlite3 "$HECTOR_DB" "SELECT kind, replace(why, char(10), ' ')
        FROM verdicts WHERE job = (SELECT max(job) FROM jobs)
        ORDER BY kind <> 'deadlock', kind = 'notice'" | head -n 1)
    blamed=$(sqlite3 "$HECTOR_DB" "SELECT ranks FROM verdicts WHERE job =
        (SELECT max(job) FROM jobs) ORDER BY kind <> 'deadlock', kind = 'notice'" | head -n 1)
    said=$(tr '\n' ' ' <"$dir/err")
}

long()          # has it lasted for as long as what stands is worth a notice?
{
    [ "$(sqlite3 "$HECTOR_DB" "SELECT ended_ns - started_ns > 12e9 FROM jobs
        WHERE job = (SELECT max(job) FROM jobs)")" = 1 ]
}

result()        # GOOD TEXT
{
    n=$((n + 1))
    [ "$1" = 0 ] || bad=$((bad + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

among()         # LIST RANKS: is each of the first among the others, as in 0-2,5?
{
    printf '%s\n' "$1" "$2" | awk '
        { n = split($0, part, ",")
          for (i = 1; i <= n; i++) {
              m = split(part[i], end, "-")
              for (r = end[1] + 0; r <= end[m] + 0; r++)
                  if (NR == 1) wanted[r] = 1; else delete wanted[r]
          } }
        END { for (r in wanted) exit 1 }'
}

# Each line that is named is one of those marked in the source, and there is one.
lines_right()
{
    grep -o 'stuck[a-z_]*\.c:[0-9]*' "$dir/err" | sort -u >"$dir/named"
    [ -s "$dir/named" ] && ! grep -vxFf "$dir/marked" "$dir/named" >"$dir/wrong"
}
for set in $sets; do
    grep -n '/\*!\*/' "$here/../deadlocks/$set.c" |
        sed "s/^\([0-9]*\):.*/$set.c:\1/"
done >"$dir/marked"

: >"$dir/ages"
: >"$dir/named"
kinds=0 ranks=0 says=0 lines=0 stuck=0
for set in $sets; do
    "$build/deadlocks/$set" | sed "s/^/$set$tab/"
done >"$dir/stuck"
while IFS=$tab read -r set name tasks words; do
    wanted "$name" "$@" || continue
    good=0 kind=deadlock how=kill who='' policy=hang
    case $name in
    spin-*)                     # who asks in a loop may stop asking: one line
        kind=notice how=kill:patience=1s policy=$patient ;;
    esac
    case $words in
    @*) who=${words%% *} words=${words#* } ;;
    esac
    one "$set" "$name" "$tasks" "$how"
    stuck=$((stuck + 1))
    case $status,$found in
    123,"$kind|"*) kinds=$((kinds + 1)) ;;
    *) good=1 ;;
    esac
    if among "${who#@}" "$blamed"; then ranks=$((ranks + 1)); else good=1; fi
    if printf '%s\n' "$said" | grep -qE "$words"
    then says=$((says + 1)); else good=1; fi
    if [ $kind = notice ] || lines_right; then lines=$((lines + 1)); else good=1; fi
    [ $kind = notice ] || sed -n 's/.* deadlocked (100 % sure, for \([0-9.]*\) \(m*s\),.*/\1 \2/p' \
        "$dir/err" | awk -v name="$name" '
            { print $2 == "ms" ? $1 / 1000 : $1, name }' >>"$dir/ages"
    result $good "stuck $name"
    [ $good = 0 ] || printf '# status %s, ranks %s, %s; lines %s\n' "$status" \
        "$blamed" "${found:-nothing}" "$(tr '\n' ' ' <"$dir/named")"
done <"$dir/stuck"
[ $stuck = 0 ] || sort -n "$dir/ages" | awk -v n=$stuck -v k=$kinds -v r=$ranks \
    -v s=$says -v l=$lines '
    { v[NR] = $1 }
    $1 > 1 { late = late " " $2 }
    END { printf "# of %d: kind %.1f %%, ranks %.1f %%, call and words %.1f %%, lines " \
              "%.1f %%\n", n, 100 * k / n, 100 * r / n, 100 * s / n, 100 * l / n
          if (NR) printf "# proven when the last of those named had been stuck for " \
              "%.2f s (median), %.2f s (p99), %.2f s (longest)\n", v[int((NR + 1) / 2)],
              v[int((NR * 99 + 99) / 100)], v[NR]
          if (late) print "# later than 1 s:" late }'

# The words of these are the environment that they run in.
policy=hang
for set in fine fine_size fine_window fine_group fine_counts; do
    "$build/deadlocks/$set" >"$dir/$set"
    while IFS=$tab read -r name tasks words; do
        wanted "fine-$name" "$@" || continue
        one "$set" "$name" "$tasks" kill "$words"
        good=1
        case $status,$found in
        0,) good=0 ;;
        0,notice*) ! long || good=0 ;;
        esac
        result $good "fine $name"
        [ $good = 0 ] || printf '# status %s, %s\n' "$status" "${found:-nothing}"
    done <"$dir/$set"
done

# Threads: some of them are stuck, the others are not.
"$build/deadlocks/threads" >"$dir/threads"
while IFS=$tab read -r name tasks words; do
    wanted "$name" "$@" || continue
    one threads "$name" "$tasks"
    good=1
    case $words,$status,$found in
    ,0, | ,0,notice*) good=0 ;;
    ?*,123,"deadlock|"*) ! printf '%s\n' "$said" | grep -qE "$words" || good=0 ;;
    esac
    result $good "threads $name"
    [ $good = 0 ] || printf '# status %s, %s\n' "$status" "${found:-nothing}"
done <"$dir/threads"

# Who is busy for long is worth a notice at most.
"$build/deadlocks/busy" >"$dir/busy"
while IFS=$tab read -r name tasks words; do
    wanted "busy-$name" "$@" || continue
    one busy "$name" "$tasks" kill:age=1s,sure=50
    good=1
    case $status,$found in
    0, | 0,notice*) good=0 ;;
    esac
    result $good "busy $name"
    [ $good = 0 ] || printf '# status %s, %s\n' "$status" "${found:-nothing}"
done <"$dir/busy"

# What never ends is named within $LATE s of its start, or of the loop's end.
"$build/deadlocks/lost" >"$dir/lost"
while IFS=$tab read -r name tasks words; do
    wanted "lost-$name" "$@" || continue
    case $words in
    notice*deadlock) policy=hang ;;         # as soon as it is proven
    notice*) policy=$patient ;;
    *) policy=hang ;;
    esac
    one lost "$name" "$tasks" kill:age=1s,patience=1s
    good=1 late=$(sqlite3 "$HECTOR_DB" "SELECT CAST((min(at_ns) - (SELECT
        started_ns FROM jobs WHERE job = verdicts.job)) / 1e9 AS INT) FROM
        verdicts WHERE job = (SELECT max(job) FROM jobs)")
    if printf '%s\n' "$found" | grep -qE "$words" && [ "$status" = 123 ] &&
        [ "$late" -le "${LATE:-20}" ]; then
        good=0
    fi
    result $good "lost $name"
    [ $good = 0 ] || printf '# status %s after %s s, %s\n' "$status" "$late" \
        "${found:-nothing}"
done <"$dir/lost"
echo "# $((n - bad)) of $n are right"
echo "1..$n"
[ $bad = 0 ]
