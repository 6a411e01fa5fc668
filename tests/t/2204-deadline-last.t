# The calls that a job makes just before it ends have their instances, too, and the
# job does not end before they are stored; however short it is.
# limit: 60
# shellcheck disable=SC2154 # $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

rows() { sql "SELECT count(*) FROM $1 WHERE job = (SELECT max(job) FROM jobs)"; }
watched()       # OPTION... PROGRAM...: a run, when it has returned
{
    run hector-run --oversubscribe --policy none --policy deadline -n 4 \
        --deadline '*<=300s' --deadline '*/300s' "$@"
    is "$status $(cat "$T/err")" '0 ' "a run of $*"
    tagged=$(rows events)
    ok '... has tagged something' test "$tagged" -gt 0
    is "$(rows 'deadlines WHERE number = 1 AND job' 2>/dev/null ||
        sql "SELECT count(*) FROM deadlines WHERE number = 1 AND done_ns NOT NULL AND
            job = (SELECT max(job) FROM jobs)")" "$tagged" \
        '... each of them is an instance'
}
for n in 1 40 300 3000; do
    watched "$APPS/tagloop" "$n"
done
done_testing
