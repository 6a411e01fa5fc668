#!/bin/sh
# streams.sh - bytes per second through a job's stdin and stdout, and labelled
# lines per second, against mpirun with the same input in the same minute.
# Runs alternate, medians are compared; a ratio above 1 means that hector-run
# is faster:
#
#   stdin and stdout, 1000 MB: hector-run 377 MB/s, mpirun 86 MB/s, ratio 4.38
#
# usage: streams.sh BUILD [RUNS [MEGABYTES]]
set -eu
build=$1 runs=${2:-3} mb=${3:-1000}
dir=$(mktemp -d)
big=$(mktemp -p /dev/shm)
trap 'rm -rf "$dir" "$big"' EXIT
export HECTOR_DB="$dir/bench.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
head -c "${mb}000000" /dev/urandom >"$big"

# micros COMMAND: wall time in microseconds; standard error is shown if it
# fails
micros()
{
    a=$(date +%s%N)
    sh -c "$1" 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }
    b=$(date +%s%N)
    echo $(((b - a) / 1000))
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# against AMOUNT UNIT WHAT OURS THEIRS
against()
{
    : >"$dir/ours"; : >"$dir/theirs"
    i=0
    while [ $i -lt "$runs" ]; do
        micros "$4" >>"$dir/ours"
        micros "$5" >>"$dir/theirs"
        i=$((i + 1))
    done
    echo "$(median "$dir/ours") $(median "$dir/theirs") $1" |
        awk -v unit="$2" -v what="$3" -v n="$runs" '{
            printf "%s: hector-run %.0f %s, mpirun %.0f %s, ratio %.2f (median of %d)\n",
                   what, $3 / $1, unit, $3 / $2, unit, $2 / $1, n }'
}

# Links, for a path with blanks is several words in a command.
ln -s "$build/bin/hector-run" "$build/apps/stream" "$dir"
H=$dir/hector-run
against "${mb}000000" MB/s "stdin and stdout, $mb MB" \
    "$H -n 1 cat <$big >/dev/null" "mpirun -n 1 cat <$big >/dev/null"
against "${mb}000000" MB/s "stdin alone, $mb MB" \
    "$H -n 1 cksum <$big >/dev/null" "mpirun -n 1 cksum <$big >/dev/null"
against "${mb}000000" MB/s "stdout alone, $mb MB" \
    "$H -n 1 cat $big </dev/null >/dev/null" \
    "mpirun -n 1 cat $big </dev/null >/dev/null"
against "${mb}000000" MB/s "stdout of four tasks, $mb MB" \
    "$H -n 4 --oversubscribe head -c $((mb * 250000)) $big </dev/null >/dev/null" \
    "mpirun -n 4 --oversubscribe head -c $((mb * 250000)) $big </dev/null >/dev/null"
against "${mb}000000" MB/s "stdout into a pipe, $mb MB" \
    "$H -n 1 cat $big </dev/null | cat >/dev/null" \
    "mpirun -n 1 cat $big </dev/null | cat >/dev/null"

# A million lines of four tasks, one by one, as mpirun's terminals have them.
lines="--oversubscribe $dir/stream lines 250000 </dev/null >/dev/null"
against 1000000000000 lines/s "a million lines" \
    "$H -n 4 $lines" "mpirun -n 4 $lines"
against 1000000000000 lines/s "a million lines in blocks (mpirun: one by one)" \
    "$H --buffer block -n 4 $lines" "mpirun -n 4 $lines"
against 1000000000000 lines/s "a million lines with tags" \
    "$H -n 4 --tag-output $lines" "mpirun -n 4 --tag-output $lines"
against 1000000000000 lines/s "a million lines with ranks (mpirun: tags)" \
    "$H -n 4 -l $lines" "mpirun -n 4 --tag-output $lines"
