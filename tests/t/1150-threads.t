# What threads of a task and the slave do to the page at the same time, under
# ThreadSanitizer: nobody reads what is being written.
# limit: 60
. "${0%/*}/../lib/t.sh"
ls "$build"/tsan/test_* >/dev/null 2>&1 || skip_all 'no ThreadSanitizer here'

# Older ones do not like where newer kernels put things.
as_it_is=
"$build/tsan/test_model" >/dev/null 2>"$T/err" || {
    ! grep -q 'unexpected memory mapping' "$T/err" ||
        as_it_is="setarch $(uname -m) -R"
}
$as_it_is "$build/tsan/test_model" >/dev/null 2>"$T/err" ||
    ! grep -qE 'unexpected memory mapping|setarch' "$T/err" ||
    skip_all 'ThreadSanitizer does not run here'

for p in "$build"/tsan/test_*; do
    case $p in *.*) continue ;; esac
    run $as_it_is "$p"
    is "$status $(grep -c '^not ok' "$T/out")" '0 0' "${p##*/}"
    ok '... and no data race' sh -c "! grep -A 20 'WARNING: Thread' '$T/err' >&2"
done
done_testing
