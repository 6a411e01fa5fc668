#!/bin/sh
# deps.sh - install what Hector is built, tested and run with, as far as it
# is missing, from the distribution's packages (Debian and its relatives).
#
# Asks dpkg once and is done when everything is there: quick, quiet, and
# nothing an ordinary user may not do. Otherwise it needs root or sudo.
set -u

# One list a purpose; keep the README's in step.
build='gcc gfortran make pkg-config libc6-dev protobuf-c-compiler
    libevent-dev libsqlite3-dev libprotobuf-c-dev libsodium-dev
    libpmix-dev libopenmpi-dev libjansson-dev libsmartcols-dev libinih-dev
    libdw-dev'
run='openmpi-bin openssh-client'
tests='libcmocka-dev perl sqlite3 hpcc lammps mpich libmpich-dev iproute2
    util-linux mandoc shellcheck clang libclang-rt-dev procps libfaketime
    binutils graphviz libc6-dev-arm64-cross'

missing=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null |
    awk -v want="$build $run $tests" '
        $1 == "ii" || $1 == "hi" { have[$2] = 1 }
        END {
            n = split(want, w)
            for (i = 1; i <= n; i++)
                if (!have[w[i]])
                    printf "%s ", w[i]
        }')
[ -n "$missing" ] || exit 0

fail()
{
    echo "make deps: $1" >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 ||
    fail "this is not a Debian system; install by your own means: $missing"
if [ "$(id -u)" = 0 ]; then
    as_root='env'
elif command -v sudo >/dev/null 2>&1; then
    as_root='sudo env'
else
    fail "missing packages, and no right to install them; ask for: $missing"
fi

log=$(mktemp) || fail "cannot make a temporary file"
trap 'rm -f "$log"' EXIT
apt()
{
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

# shellcheck disable=SC2086 # one word a package
{
    echo "make deps: installing $missing"
    apt install --no-install-recommends $missing && exit 0
    apt update || { cat "$log" >&2; fail "apt-get update failed"; }
    apt install --no-install-recommends $missing && exit 0
}
cat "$log" >&2
fail "apt-get could not install all of: $missing"
