# An ordinary user needs no rights, only the packages.
# limit: 60
. "${0%/*}/../lib/t.sh"

[ "$(id -u)" = 0 ] || skip_all 'the other tests run as an ordinary user here'
need setpriv
chmod 755 "$T"
mkdir "$T/user" "$T/build"
chown 65534:65534 "$T/user"
# where others can enter
cp -r "$build/bin" "$build/lib" "$build/apps" "$top/tests/apps/mm.small" \
    "$T/build/"
chmod -R a+rX "$T/build"
APPS=$T/build/apps
as_user()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        env -u HECTOR_DB HOME="$T/user" TMPDIR="$T/user/tmp" USER=nobody \
        PATH="$T/build/bin:$PATH" "$@"
}
as_user mkdir "$T/user/tmp"
cd "$T/user" || exit 1

run as_user hector-run -n 2 "$APPS/hello"
is "$status" 0 'a job'
is "$(cat "$T/err")" '' '... without a word'
HECTOR_DB=$T/user/.local/state/hector/hector.db
is "$(sql 'SELECT state FROM jobs')" 'done' 'its record is below ~/.local/state'
is "$(stat -c %a:%u "$T/user/.local/state/hector")" 700:65534 \
    '... where others cannot look'
run as_user hector-run -n 4 --oversubscribe --stdtim=- "$APPS/mm" \
    "$T/build/mm.small"
is "$(grep -c '^Task' "$T/out")" 24 'tags and stdtim'
run as_user hector-run -n 3 --oversubscribe "$APPS/comms" "$T/user"
is "$status" 0 'a walk through MPI'
run as_user hector-run -n 2 "$APPS/exits" 1 signal 11
is "$status" 139 'exit status'
as_user sh -c 'echo x | hector-run -n 1 cat' >"$T/out"
is "$(out)" x 'in a pipe'
run as_user hector ps
like "$T/out" 'hello' 'hector ps'
is "$(ls -A "$T/user/tmp")" '' 'nothing is left in TMPDIR'
mkdir -m 0 "$T/locked"
run as_user env PATH="$T/build/bin:$T/locked:/usr/bin:/bin" hector-run -n 1 nothing
is "$status" 127 'a folder of PATH that may not be entered hides nothing'
run as_user env HOME=/nonexistent hector-run -n 1 "$APPS/hello"
is "$status" 0 'without a home that can be written'
like "$T/err" '^hector: .*record is lost' '... its record is lost, in words'
done_testing
