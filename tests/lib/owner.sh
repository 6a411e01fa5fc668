# owner.sh - owners of simulated hosts: who logs in, and slaves that look for them.
# shellcheck shell=sh disable=SC2034,SC2154 # by who reads it
owner_nodes()   # a master, and slaves of n1 to n3 that read $T/n1.conf ...
{
    HECTOR_KEY_FILE=$T/key
    export HECTOR_KEY_FILE
    master_at=tcp:10.66.0.254:7119
    start_master "$master_at"
    for tap_h in n1 n2 n3; do
        [ -e "$T/$tap_h.conf" ] || echo '[slave]' >"$T/$tap_h.conf"
        owner_slave "$tap_h"
    done
    nodes_joined master
}
owner_slave()   # HOST
{
    start "slave-$1" sh "$AGENT" "$1" hector-slave -d -v -f "$T/$1.conf" \
        --master "$master_at" --name "$1"
}
field()         # TEXT SIZE: as it is, and zeros behind it
{
    printf %s "$1"
    head -c $(($2 - ${#1})) /dev/zero
}
number()        # N: as four bytes
{
    for tap_b in $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)); do
        # shellcheck disable=SC2059 # it is a format
        printf "\\$(printf %03o "$tap_b")"
    done
}
log_in()        # FILE USER TERMINAL: a record of utmp(5), of a process that lives
{
    start session sleep 100000
    session=$started
    { number 7; number "$session"; field "$3" 32; field id 4; field "$2" 32
        head -c 308 /dev/zero; } >"$1.new"
    mv "$1.new" "$1"
}
log_out()       # the process of the last one ends: its record stays, as after a crash
{
    kill "$session"
    wait "$session" 2>/dev/null || :
}
owner_of()      # NODE: here, gone or nothing
{
    sql "SELECT ifnull(owner, '') FROM nodes WHERE node = '$1'"
}
is_on()         # NODE: how many tasks of jobs that have not ended are
{
    sql "SELECT count(*) FROM tasks t JOIN jobs j ON j.job = t.job
        WHERE node = '$1' AND j.ended_ns IS NULL"
}
takes()         # NODE: does it take tasks, and for whom not?
{
    sql "SELECT ifnull(draining, 0), ifnull(drain_by, '') FROM nodes WHERE node = '$1'"
}
