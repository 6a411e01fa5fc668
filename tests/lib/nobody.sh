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

nobody_only()   # the rest of the test is theirs: where it is, home, database, and who
{               # submits to a batch system
    nobody_may || skip_all 'an ordinary user cannot reach the build'
    nobody_from_here
}
nobody_rather() # the same, where they can reach the build; else it is root's. Where the
{               # tests are an ordinary user's own, so is this one: $nobody is empty
    if [ "$(id -u)" != 0 ]; then
        nobody=
    elif nobody_may; then
        nobody_from_here
    else
        skip 'all of it as an ordinary user' 'the build is in a closed folder'
        nobody=
    fi
}
nobody_from_here()
{
    # shellcheck disable=SC2034 # slurm.sh's
    as=$nobody
    HECTOR_DB=$T/nobody/db HOME=$T/nobody
    export HECTOR_DB HOME
    cd "$T/nobody" || exit 1
}

# As who owns it: of a database that is just being made root, who looks, has a file
# (-shm) for a moment, and its owner may not write it then.
sql_by()
{
    case $HECTOR_DB in "$T"/nobody/*) echo "$nobody" ;; esac
}
