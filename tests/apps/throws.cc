/* throws.cc - a program of C++ that is fond of exceptions: numbers go around a ring,
 * each is checked, and what is found of it is thrown through several frames, with
 * destructors that call MPI. The same is said however often its tasks move.
 *
 * usage: throws [ROUNDS] */
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

int rank, size;

/* Waits where it goes. */
class Sent {
public:
    Sent(std::vector<long> v, int to) : v_(std::move(v))
    {
        MPI_Isend(v_.data(), (int)v_.size(), MPI_LONG, to, 1, MPI_COMM_WORLD, &r_);
    }
    Sent(const Sent &) = delete;
    Sent &operator=(const Sent &) = delete;
    ~Sent() { MPI_Wait(&r_, MPI_STATUS_IGNORE); }
private:
    std::vector<long> v_;
    MPI_Request r_ = MPI_REQUEST_NULL;
};

struct Odd : std::runtime_error {
    Odd(long n) : std::runtime_error("odd: " + std::to_string(n)), number(n) {}
    long number;
};

long look_at(const std::vector<long> &v)
{
    long sum = 0;

    for (long n : v)
        sum += n;
    if (sum % 2)
        throw Odd(sum);
    return sum;
}

long receive(int from)
{
    std::vector<long> v(100);

    MPI_Recv(v.data(), (int)v.size(), MPI_LONG, from, 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return look_at(v);
}

long around(long round)
{
    std::vector<long> v(100);

    for (std::size_t i = 0; i < v.size(); i++)
        v[i] = round * 31 + rank * 17 + (long)i * (rank + 1);
    Sent sent(v, (rank + 1) % size);
    return receive((rank + size - 1) % size);
}

}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? std::atol(argv[1]) : 1000, odd = 0, even = 0, all[2];
    std::map<std::string, long> texts;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long r = 0; r < rounds; r++) {
        try {
            even += around(r) % 1009;
        } catch (const Odd &o) {
            odd += o.number % 1013;
            texts[std::string(o.what()).substr(0, 7)]++;
        }
    }
    long own[2] = { odd, even };
    MPI_Reduce(own, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("throws: %ld rounds, odd %ld, even %ld\n", rounds, all[0], all[1]);
    std::printf("rank %d: %zu kinds of texts\n", rank, texts.size());
    MPI_Finalize();
    return 0;
}
