#!/bin/sh
# aarch64.sh - the C code is understood for 64-bit ARM, too: by clang, with the
# C library's headers for that (libc6-dev-arm64-cross) and everybody else's of
# this machine, of which OpenSSL's say what it is configured for. Nothing is linked
# nor run.
. "${0%/*}/../../lib/lint.sh"

build=${HECTOR_BUILD:-build}
headers=/usr/aarch64-linux-gnu/include
if ! command -v clang >/dev/null 2>&1; then
    skip 'it compiles for aarch64' 'no clang here'
elif [ ! -d $headers ]; then
    skip 'it compiles for aarch64' "no $headers here"
elif [ ! -e "$build/gen/wrap_c.inc" ]; then
    skip 'it compiles for aarch64' 'what is generated is not built'
else
    # shellcheck disable=SC2046 # one word a directory
    clean 'it compiles for aarch64' "$(sources '^[^t].*\.c$' |
        xargs -P 2 -n 8 clang --target=aarch64-linux-gnu -fsyntax-only \
            -std=c11 -D_GNU_SOURCE -DHECTOR_VERSION='"0"' -DHECTOR_OPEN_MPI=4 \
            -nostdlibinc -I. -I"$build" -I"$build/gen" -isystem $headers \
            $(mpicc -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I/-isystem /p') \
            $(pkg-config --cflags pmix libevent libprotobuf-c smartcols 2>/dev/null) \
            -idirafter /usr/include \
            -idirafter "/usr/include/$(gcc -print-multiarch)" -Wall -Wextra 2>&1)"
fi
finish
