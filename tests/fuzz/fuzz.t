# Each fuzzer over its corpus, and for a second: nothing crashes, nothing is read or
# written where it should not be. For hours: make fuzz.
# limit: 90
. "${0%/*}/../lib/t.sh"

ls "$build"/fuzz/fuzz_* >/dev/null 2>&1 || skip_all 'no clang, no fuzzers'
seconds=${FUZZ_SECONDS:-1}
for f in "$build"/fuzz/fuzz_*; do
    case $f in *.d) continue ;; esac
    name=${f##*/}
    mkdir -p "$T/$name"
    seeds=$top/tests/fuzz/${name#fuzz_}.corpus
    [ -d "$seeds" ] || seeds=
    ok "$name for $seconds s" "$f" -seed=1 -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -max_len=16384 -close_fd_mask=3 \
        -artifact_prefix="$T/$name." "$T/$name" \
        ${seeds:+"$seeds"} 2>"$T/err"
    [ "$tap_failed" -eq 0 ] || tail -n 30 "$T/err" >&2
done
done_testing
