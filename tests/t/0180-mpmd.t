# Several programs in one job: ranks go through them in order.
. "${0%/*}/../lib/t.sh"

run hector-run -l -n 1 echo first : -n 2 -x WHO=second sh -c 'echo $WHO' : \
    -n 1 --oversubscribe echo third
is "$status" 0 'three programs without MPI'
is "$(sort "$T/out" | tr '\n' ,)" '0: first,1: second,2: second,3: third,' \
    'ranks are counted through'
run hector-run --oversubscribe -n 1 "$APPS/where" : -n 2 "$APPS/where"
is "$status" 0 'one MPI job of two programs'
is "$(grep -c 'shares memory with 0,1,2$' "$T/out")" 3 '... is one world'
run hector-run --oversubscribe -n 2 "$APPS/exits" 2 exit 5 : \
    -n 1 "$APPS/exits" 2 exit 6
is "$status" 6 'its exit status'
done_testing
