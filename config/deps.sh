#!/bin/sh
# deps.sh - install what Hector is built, tested and run with, as far as it
# is missing, from the distribution's packages (Debian and its relatives).
#
# Asks dpkg once and is done when everything is there: quick, quiet, and
# nothing an ordinary user may not do. Otherwise it needs root or sudo. What
# only some tests want is no reason to fail: these are skipped without it.
set -u

# One list a purpose; keep the README's in step.
build='gcc gfortran make pkg-config libc6-dev protobuf-c-compiler
    libevent-dev libsqlite3-dev libprotobuf-c-dev libsodium-dev
    libpmix-dev libopenmpi-dev libjansson-dev libsmartcols-dev libinih-dev
    libdw-dev libcapstone-dev libzstd-dev'
run='openmpi-bin openssh-client'
tests='libcmocka-dev perl sqlite3 hpcc lammps mpich libmpich-dev iproute2
    util-linux mandoc shellcheck clang libclang-rt-dev procps libfaketime
    binutils graphviz libc6-dev-arm64-cross'
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
# shellcheck disable=SC2086 # one word a package
missing=$(without $build $run $tests)
# shellcheck disable=SC2086
wished=$(without $servers)
[ -n "$missing$wished" ] || exit 0

fail()
{
    if [ -z "$missing" ]; then
        echo "make deps: without $wished: tests with a batch system are" \
            "skipped ($1)" >&2
        exit 0
    fi
    echo "make deps: $1" >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 ||
    fail "this is not a Debian system; install by your own means: $missing$wished"
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
    echo "make deps: installing $*"
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
