. "${0%/*}/../lib/t.sh"
hosts 3
R="hector-run -v --launch-agent $AGENT"
cp /tmp/btry/ring "$T/ring"
rm -f "$T/enough"
$R --oversubscribe --migratable -H n1:2,n2:2 -n 4 "$T/ring" "$T/enough" </dev/null >"$T/ring.out" 2>"$T/ring.err" &
runner=$!
wait_for '[ "$(grep -c begun "$T/ring.out")" = 4 ]' 20
timeout 60 hector migrate --quiesce-timeout 5 1.1 n2 >$T/mig 2>&1; echo "migrate status $?"; cat $T/mig
sleep 3; for p in $(pgrep -f "$T/ring"); do echo "== $p"; timeout 10 gdb -batch -p $p -ex bt 2>/dev/null | grep "^#" | head -30; done
hector ps 1
: >"$T/enough"
( sleep 20; kill $runner ) & 
wait $runner; echo status $?
cat $T/ring.out; cat $T/ring.err | tail -60
sqlite3 $HECTOR_DB "select * from transition where machine like 'move%' or event like 'fail%'; select * from stays; select * from actions"
hector why 1; hector tree >/dev/null
