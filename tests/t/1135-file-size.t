# Limits on the size of files (ulimit -f): they are the tasks', who get them as
# they were set, and cost no job. What Hector itself cannot write then is said.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need prlimit

limited()       # SOFT HARD COMMAND...: run with these limits, in bytes
{
    tap_limit=$1:$2
    shift 2
    run prlimit --fsize="$tap_limit" "$@"
}
limits='grep "^Max file size" /proc/self/limits | tr -s " " |
    sed "s/ *$//"'

for hard in unlimited 102400; do
    limited 102400 $hard hector-run -n 2 sh -c "$limits"
    is "$status $(sort -u "$T/out")" "0 Max file size 102400 $hard bytes" \
        "100 KiB, at most $hard: a job runs, its tasks have the limits"
    limited 102400 $hard hector-run -n 1 sh -c \
        'echo begun; exec head -c 200000 /dev/zero >"$0"' "$T/large"
    is "$status $(head -n 1 "$T/out") $(wc -c <"$T/large")" '153 begun 102400' \
        '... one that makes a larger file is killed by SIGXFSZ'
    like "$T/err" 'task 0 .* was killed by signal 25 \(File size limit' \
        '... which is said'
    limited 102400 $hard hector-run -n 1 sh -c 'kill -XFSZ $$'
    is "$status" 153 '... no task ignores it'
    limited 102400 $hard hector-run -n 2 sh -c 'exit 7'
    is "$status" 7 '... the exit status comes through'
    case $hard in
    unlimited)
        is "$(sql 'SELECT count(*) FROM jobs')" 4 '... all is recorded'
        limited 102400 $hard hector-run -n 2 sh -c true
        is "$status $(cat "$T/err")" '0 ' '... nothing is said'
        rm -f "$HECTOR_DB"* ;;
    *)  like "$T/err" '\(no file may be larger than 100 KiB: ulimit -Hf\)' \
            '... it is said why the record is not written' ;;
    esac
    rm -f "$T/large"
done

# As under mpirun: from here on MPI has room for its own files.
room=16777216
limited $room unlimited hector-run -n 2 --oversubscribe "$APPS/tagloop" 1000
is "$status $(cat "$T/err")" '0 ' 'room for MPI, but not for our page: runs'
is "$(sql 'SELECT count(*) FROM events')" 2000 '... and is watched'
rm -f "$HECTOR_DB"*
limited $room $room hector-run -n 2 --oversubscribe "$APPS/hello"
is "$status $(wc -l <"$T/out")" '0 2' '... not even at most: runs'
like "$T/err" 'unwatched: a file may not be as large as its page' \
    '... unwatched, which is said'
is "$(grep -c . "$T/err")" 1 '... in one sentence'

# What is our own to write ends as on a full disk.
limited 4096 4096 hector-run -n 1 --output-dir "$T/dir" head -c 100000 /dev/zero
is "$status" 125 'a file of --output-dir that is too large: 125'
like "$T/err" 'File too large' '... in words'
is "$(find "$T/dir" -type f -size +0 -exec cat {} + | wc -c)" 4096 \
    '... up to there it is written'
limited 102400 unlimited hector-run --adopt sh -c "$limits
    kill -XFSZ \$\$"
is "$status $(out)" '153 Max file size 102400 unlimited bytes' \
    'an adopted launcher has the limits, and the signal'
done_testing
