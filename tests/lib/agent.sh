#!/bin/sh
# agent.sh - launch agent for the simulated hosts of t.sh, in place of ssh.
#
# usage: agent.sh HOST COMMAND [ARGUMENT...]
#
# Runs the command in the network, name and mount namespaces that the process
# in $T/hosts/HOST holds. Exits 255, as ssh does, when there is no such host.
set -u
host=$1
shift
pid=$(cat "$T/hosts/$host" 2>/dev/null) || {
    echo "agent.sh: no host is called $host" >&2
    exit 255
}
exec nsenter -t "$pid" -n -u -m --wd="$PWD" "$@"
