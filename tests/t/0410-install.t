# make install puts everything in its place, from where it runs as well;
# make uninstall takes all of it away.
# limit: 300
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
mpicc -o "$T/prog" "$top/tests/apps/hello.c" -I"$p/include" -L"$p/lib" -lhct
ok 'a program can be built against it' [ -x "$T/prog" ]
ok 'make uninstall' install uninstall
is "$(find "$p" -type f)" '' '... leaves nothing'
done_testing
