# A verdict names the lines of the cause: those of calls that are over, too, and
# of requests.
# limit: 60
. "${0%/*}/../lib/t.sh"

source=$top/tests/apps/lines.c
at()            # TEXT: "lines.c:LINE" of the first line with it
{
    echo "lines.c:$(grep -n "$1" "$source" | head -n 1 | cut -d : -f 1)"
}
deadlock()      # HOW: runs it until it is proven and ended
{
    run hector-run -n 2 --oversubscribe --on-hang kill --timeout 600 \
        "$APPS/lines" "$1"
    is "$status" 123 "$1: a deadlock, ended"
}
bcast=$(at MPI_Bcast) barrier=$(at 'MPI_Barrier(W)') recv=$(at MPI_Recv)
irecv=$(at MPI_Irecv)

deadlock mismatch
like "$T/err" "task 1 .* has entered MPI_Barrier .*, in meet .$barrier.\$" \
    'one in the call is where it is'
like "$T/err" "task 0 .* entered MPI_Bcast as the same call, in tell .$bcast.\$" \
    'one who has left the call is said where that was made, not where he is'

deadlock first
like "$T/err" "task 0 .* waits in MPI_Recv .*, in get .$recv.\$" \
    'where a task is stuck'
for r in 0 1; do
    like "$T/err" "task $r .* entered MPI_Bcast with root $r as .*, in tell .$bcast.\$" \
        "the first call that differs: task $r"
done
like "$T/err" 'as collective call 1 of MPI_COMM_WORLD, the first one that differs' \
    '... by its number'
is "$(hector why "$(sql 'SELECT max(job) FROM jobs')" |
    grep -c "entered MPI_Bcast .*in tell ($bcast)")" 2 'hector why has it, too'

deadlock request
for r in 0 1; do
    like "$T/err" "task $r .* in MPI_Wait by .* in finish .*, request made in ask .$irecv" \
        "the line that made the request: task $r"
done

deadlock orders
like "$T/err" 'in different orders, or one of them never' \
    'orders are not said to be known'
deadlock any
ok 'nobody waits for itself who waits for anybody' \
    sh -c "! grep 'waits for itself' '$T/err'"
done_testing
