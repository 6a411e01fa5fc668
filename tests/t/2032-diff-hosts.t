# hector diff on two hosts: all tasks of one that are slow are its host; where tasks
# are on other hosts, that is said; and equal runs on the same ones differ in nothing.
# limit: 60
# shellcheck disable=SC2154 # $status is set
. "${0%/*}/../lib/t.sh"
hosts 2
. "$top/tests/lib/cycles.sh"

C="$APPS/cycle 60 2000" A="--launch-agent $AGENT"
# shellcheck disable=SC2086 # words are wanted
{
cycle $A -H n1:2,n2:2 $C
cycle $A -H n1:2,n2:2 $C
is "$(first 2)" '0 ' 'equal runs on two hosts'
cycle $A -H n1:2,n2:2 --inject rank=2-3,call=MPI_Sendrecv:1,fault=slow-after,time=30ms $C
is "$(first 3 | sed 's/up to .*/up to/')" '3 all tasks on n2, 2-3, compute up to' \
    'a slow host'
cycle $A -H n2:2,n1:2 $C
is "$(first 4 2)" '3 nodes: n2: 0-1, n1: 2-3, was n1: 0-1, n2: 2-3' 'other hosts'
}
done_testing
