# shape.awk - a program of a loop as large as one of the paper's, as a graph that
# hector-emulate plays (slave/emulate/trial/graph.h): so many steps, and about so many
# when chains are merged, which are three at each call behind which one time in eight
# the next is left out. Each fourth call waits; times are drawn.
#
# usage: awk -v steps=207 -v merged=55 -f shape.awk
function draw()
{
    lot = (lot * 48271) % 2147483647
    return lot / 2147483647
}
function between(least, most) { return least * exp(draw() * log(most / least)) }
function step(from, to, n)
{
    printf "step %d %d %d %s %s\n", from, to, n, in_call[from],
        sprintf("%.0f %.0f %.4f", out[from], out[from] * 0.1, 0.02)
}
BEGIN {
    lot = steps * 1000 + merged + 1
    forks = int(merged / 3)
    states = steps - forks - 1
    printf "# a loop of %d calls, %d of them with a choice\n", states, forks
    for (i = 1; i <= states; i++) {
        waits = i % 4 == 0
        printf "state %d %s\n", i, waits ? "MPI_Wait waits" : "MPI_Isend"
        mean = waits ? between(1e5, 1e6) : between(3e3, 3e4)
        in_call[i] = sprintf("%.0f %.0f %.2f", mean, mean * (waits ? 0.5 : 0.2),
            waits ? 0.1 : 0.03)
        out[i] = between(5e4, 5e6)
    }
    in_call[0] = "0 0 0"
    out[0] = 1e9
    step(0, 1, 1)
    for (k = 0; k < forks; k++)
        fork[1 + int(k * (states - 2) / forks)]
    for (i = 1; i <= states; i++) {
        n = (i in fork) || ((i - 1) in fork) ? 7000 : 8000
        step(i, i % states + 1, n)
        if (i in fork)
            step(i, i + 2, 1000)
    }
}
