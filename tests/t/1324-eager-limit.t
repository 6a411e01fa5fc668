# What Open MPI sends without waiting for the receiver, a file of the user's may
# say: then a task that waits for something else beside such a send is not stuck.
# limit: 60
. "${0%/*}/../lib/t.sh"

mkdir -p "$T/home/.openmpi"
export HOME="$T/home"
run hector-run -n 3 --oversubscribe --on-hang kill "$build/deadlocks/stuck" \
    taken-late-100000
is "$status" 123 'a message that is too large waits for its receiver'
like "$T/err" 'rank 1 to receive its message|task 1' '... who never takes it'

echo 'btl_vader_eager_limit = 262144' >"$T/home/.openmpi/mca-params.conf"
run hector-run -n 3 --oversubscribe --on-hang kill "$build/deadlocks/stuck" \
    taken-late-100000
is "$status" 0 'with a raised limit it does not'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = 2 AND kind != 'notice'")" 0 \
    '... and nothing is said'
run hector-run -n 3 --oversubscribe --on-hang kill \
    -x OMPI_MCA_btl_vader_eager_limit=262144 "$build/deadlocks/stuck" \
    taken-late-100000
is "$status" 0 'the same by a variable'
done_testing
