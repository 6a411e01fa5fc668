# nobody.sh - an ordinary user, for tests that root makes on simulated hosts: $nobody
# goes before a command, and $T/nobody is a folder of theirs.
# shellcheck shell=sh disable=SC2154 # by t.sh
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
nobody_may()    # can they reach the tests and the build?
{
    chmod 755 "$T"
    chmod 1777 "$TMPDIR"
    for tap_h in ${t_hosts:-}; do
        on "$tap_h" chmod 1777 "$TMPDIR"
    done
    mkdir "$T/nobody"
    chmod 777 "$T/nobody"
    $nobody test -x "$APPS/where" -a -x "$BIN/hector-run"
}

# As who owns it: of a database that is just being made root, who looks, has a file
# (-shm) for a moment, and its owner may not write it then.
sql_by()
{
    case $HECTOR_DB in "$T"/nobody/*) echo "$nobody" ;; esac
}
