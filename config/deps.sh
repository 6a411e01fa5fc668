#!/bin/sh
# deps.sh - install what is missing of the packages that Hector needs (Debian and its
# relatives).
#
# usage: deps.sh [build|check|world]
#
# Three lists, of which each includes those before it: what `make` and `make demo` need,
# what `make check` needs, and what `make check-world` needs. Without an argument the
# script says what is in each list, and how much of it is missing.
#
# Asks dpkg once and is done when everything is there: quick, quiet, and nothing an
# ordinary user may not do. Otherwise it needs root or sudo.
set -u

build='gcc gfortran make pkg-config libc6-dev protobuf-c-compiler
    libevent-dev libsqlite3-dev libprotobuf-c-dev libsodium-dev
    libpmix-dev libopenmpi-dev libjansson-dev libsmartcols-dev libinih-dev
    libssl-dev libdw-dev libcapstone-dev libzstd-dev openmpi-bin'
check='g++ libcmocka-dev perl sqlite3 iproute2 util-linux mandoc shellcheck procps
    binutils'
world='openssh-client hpcc lammps mpich libmpich-dev clang libclang-rt-dev libfaketime
    graphviz libc6-dev-arm64-cross'
servers='slurmctld slurmd slurm-client munge gridengine-master gridengine-exec
    gridengine-client'

have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null |
    awk '$1 == "ii" || $1 == "hi" { printf "%s ", $2 }')
without()       # PACKAGE...: those that are missing
{
    for package in "$@"; do
        case " $have" in *" $package "*) ;; *) printf '%s ' "$package" ;; esac
    done
}

list()          # WHAT FOR PACKAGE...
{
    echo "make $1 needs${2:+ what make $2 needs, and}:"
    shift 2
    printf '%s\n' "$*" | fmt -w 76 | sed 's/^/    /'
    missing=$(without "$@")
    echo "    (${missing:+missing: }${missing:-all there})"
}

wished=
# shellcheck disable=SC2086 # one word a package
case ${1:-} in
'')
    list demo '' $build
    list check demo $check
    list check-world check $world $servers
    exit ;;
build)  missing=$(without $build) ;;
check)  missing=$(without $build $check) ;;
world)  missing=$(without $build $check $world) wished=$(without $servers) ;;
*)      echo "deps.sh: there is no list called $1: build, check, world" >&2; exit 2 ;;
esac
[ -n "$missing$wished" ] || exit 0

fail()
{
    if [ -z "$missing" ]; then
        echo "deps.sh: without $wished: tests with a batch system are skipped ($1)" >&2
        exit 0
    fi
    echo "deps.sh: $1" >&2
    exit 1
}

if ! command -v apt-get >/dev/null 2>&1; then
    # another system has these things under names of its own
    echo "deps.sh: this is not a Debian system; what this needs is called there:" \
        "$missing$wished" >&2
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root='env'
elif command -v sudo >/dev/null 2>&1; then
    as_root='sudo env'
else
    fail "missing packages, and no right to install them; ask for: $missing$wished"
fi

log=$(mktemp) || fail "cannot make a temporary file"
trap 'rm -f "$log"' EXIT
apt()
{
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

install()       # PACKAGE...
{
    [ $# -gt 0 ] || return 0
    echo "installing $*" >&2
    apt install --no-install-recommends "$@" && return
    [ -n "${updated:-}" ] || apt update || return
    updated=1
    apt install --no-install-recommends "$@"
}
# shellcheck disable=SC2086
install $missing || {
    cat "$log" >&2
    fail "apt-get could not install all of: $missing"
}
missing=
# shellcheck disable=SC2086
install $wished || fail "apt-get could not install them"
