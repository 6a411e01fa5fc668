# make install puts everything in its place, from where it runs as well;
# make uninstall takes all of it away.
# limit: 60
. "${0%/*}/../lib/t.sh"

need make

install()
{
    # make cannot cope with blanks: a build in the tree goes by its short name
    make -s -C "$top" B="${build#"$top"/}" DESTDIR="$T/root" PREFIX=/opt/hct "$@" \
        >"$T/log" 2>&1
}
ok 'make install' install install
p=$T/root/opt/hct
for f in bin/hector-run bin/hector bin/hector-master bin/hector-slave \
    lib/hector/libhector.so lib/libhct.so include/hct_rt.h \
    share/man/man1/hector-run.1 share/man/man1/hector.1 \
    share/man/man3/HCT_RT_Tag.3 share/man/man5/hector.conf.5 \
    share/man/man8/hector-master.8 share/doc/hector/hector.conf \
    lib/systemd/system/hector-slave.service; do
    ok "$f" [ -s "$p/$f" ]
done
ok 'units name the installed programs' \
    grep -q 'ExecStart=/opt/hct/bin/hector-master' \
    "$p/lib/systemd/system/hector-master.service"
run "$p/bin/hector-run" -n 2 --stdtim=- "$APPS/tagloop" 2
is "$status" 0 'the installed hector-run runs'
is "$(grep -c '^Task' "$T/out")" 8 '... with its wrapper library'
ok 'libhct.so is a link' [ "$(readlink "$p/lib/libhct.so")" = libhct.so.0 ]
mpicc -o "$T/prog" "$top/tests/apps/hello.c" -I"$p/include" -L"$p/lib" -lhct
ok 'a program can be built against it' [ -x "$T/prog" ]
ok 'make uninstall' install uninstall
is "$(find "$p" -type f -o -type l)" '' '... leaves nothing'

# Somewhere else, after that: nothing is left of the place before.
cat >"$T/tag.c" <<'END'
#include <hct_rt.h>
int main(void)
{
    HCT_RT_Tag(1, "here");
    return 0;
}
END
to()            # PREFIX TARGET
{
    make -s -C "$top" B="${build#"$top"/}" PREFIX="$1" "$2" >"$T/log" 2>&1
}
ok 'make install in a folder of the user' to "$T/own" install
like "$T/log" "link programs .* -Wl,-rpath,$T/own/lib" \
    '... says how programs find libhct there'
is "$(grep -l /opt/hct -r "$T/own/lib/systemd" "$T/own/lib/pkgconfig")" '' \
    '... and names that folder in units and hct.pc'
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$T/own/lib/pkgconfig pkg-config --cflags --libs hct)
    # shellcheck disable=SC2086 # these are words
    cc -o "$T/tag" "$T/tag.c" $flags
    run "$T/tag"
    is "$status" 0 '... so that a program runs that pkg-config helped to link'
else
    skip '... with pkg-config' 'no pkg-config here'
fi
to "$T/own" uninstall
is "$(find "$T/own" -type f -o -type l)" '' '... and it can be taken away'

# Where everybody looks, and as HCT_RT_Tag(3) says it: in a /usr/local, an /etc and
# a cache of the loader that are this test's alone.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    cp -a /etc "$T/etc"
    cat >"$T/inside" <<END
mount -t tmpfs none /usr/local && mount --bind "$T/etc" /etc || exit
[ ! -d /var/cache/ldconfig ] || mount -t tmpfs none /var/cache/ldconfig
cd "$top" && make -s B="${build#"$top"/}" PREFIX=/usr/local install >&2 || exit
cd "$T" && cc -o tagged tag.c -lhct && { ./tagged; echo "alone \$?"
    /usr/local/bin/hector-run ./tagged; echo "hector-run \$?"; }
cd "$top" && make -s B="${build#"$top"/}" PREFIX=/usr/local uninstall >&2
ldconfig -p | grep libhct
END
    run unshare -m sh "$T/inside"
    is "$(out)" 'alone 0
hector-run 0' 'after make install in /usr/local -lhct is all it takes'
    is "$(grep -v '^  GEN' "$T/err")" '' '... without a word'
else
    skip 'make install in /usr/local' 'this takes root'
fi
done_testing
