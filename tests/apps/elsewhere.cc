/* elsewhere.cc - is where a program is besides MPI, for as long as is wanted: with
 * memory, files, time, libraries, signals, exceptions and threads.
 *
 * usage: elsewhere [DIR LIBRARY [PHASE...]]
 *
 * As blocked.c has it: "phase NAME", until there is DIR/NAME; at the end each task
 * says how much went otherwise than it should. LIBRARY is one whose function
 * library_work(N) returns N + 1. */
#include <mpi.h>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank, size, wrong;
const char *directory, *name, *library;

bool told()
{
    return access((std::string(directory) + "/" + name).c_str(), F_OK) == 0;
}

void should(bool right, const char *what)
{
    if (!right) {
        wrong++;
        std::printf("rank %d: wrong in %s: %s\n", rank, name, what);
    }
}

long compute(long n)
{
    volatile long x = 0;
    for (long i = 0; i < n; i++)
        x = x + i;
    return x;
}

void memory()
{
    std::vector<char *> v;
    for (int i = 0; i < 300; i++) {
        size_t bytes = 16u << (i % 17);
        v.push_back(static_cast<char *>(std::malloc(bytes)));
        v.back()[0] = v.back()[bytes - 1] = static_cast<char>(i);
    }
    for (int i = 0; i < 300; i++) {
        should(v[i][0] == static_cast<char>(i), "what was allocated");
        std::free(v[i]);
    }
}

void print()
{
    static long n;
    for (int i = 0; i < 200; i++) {
        char line[100];
        std::snprintf(line, sizeof(line), "%ld %.3f", n++, 0.5 * i);
        std::ostringstream text;
        text << line << ' ' << i;
        std::printf("%s", i % 100 ? "" : ".\n");
        std::cout << (i % 100 ? "" : ",\n");
    }
    std::cout << std::flush;
}

void file()
{
    static std::ofstream out(std::string(directory) + "/../file." +
                             std::to_string(rank));
    static long lines;
    for (int i = 0; i < 50; i++)
        out << lines++ << '\n';
    out.flush();
    std::ifstream in(std::string(directory) + "/../file." + std::to_string(rank));
    long n = 0, got;
    while (in >> got)
        should(got == n++, "a line of a file");
    should(n == lines, "how many lines a file has");
}

/* None of these comes back before its time. */
void time_out()
{
    struct timespec begun, now, ms = { 0, 20000000 };
    static int how;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    switch (how++ % 4) {
    case 0: nanosleep(&ms, nullptr); break;
    case 1: usleep(20000); break;
    case 2: should(poll(nullptr, 0, 20) == 0, "poll"); break;
    default:
        struct timeval tv = { 0, 20000 };
        should(select(0, nullptr, nullptr, nullptr, &tv) == 0, "select");
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    should((now.tv_sec - begun.tv_sec) * 1000000000L + now.tv_nsec -
           begun.tv_nsec >= 19900000, "how long it slept");
}

void input()
{
    char c;
    for (int i = 0; i < 1000; i++)
        should(read(0, &c, 1) == 0 && std::fgetc(stdin) == EOF, "the input");
}

void load()             /* comes and goes */
{
    for (int i = 0; i < 20; i++) {
        void *h = dlopen(library, RTLD_NOW);
        should(h != nullptr, "dlopen");
        if (h && dlsym(h, "library_work"))
            dlclose(h);
    }
}

void loaded()           /* works */
{
    static long (*work)(long);
    if (!work)
        *reinterpret_cast<void **>(&work) = dlsym(dlopen(library, RTLD_NOW),
                                                  "library_work");
    should(work(30000000) == 30000001, "what a library said");
}

volatile sig_atomic_t ticks, in_handler;
void on_tick(int) { ticks = ticks + 1; }
void on_long(int)
{
    in_handler = 1;
    compute(30000000);
    in_handler = 0;
}

void handler()
{
    signal(SIGUSR1, on_long);
    raise(SIGUSR1);
    should(!in_handler, "a handler");
}

void blocked()
{
    sigset_t all, old, is;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    compute(20000000);
    sigprocmask(SIG_SETMASK, nullptr, &is);
    should(sigismember(&is, SIGUSR1) == 1, "the mask");
    sigprocmask(SIG_SETMASK, &old, nullptr);
}

void timer()
{
    struct itimerval each = { { 0, 3000 }, { 0, 3000 } }, none = {};
    struct sigaction sa = {};
    sa.sa_handler = on_tick;
    sigaction(SIGALRM, &sa, nullptr);
    int before = ticks;
    setitimer(ITIMER_REAL, &each, nullptr);
    for (int i = 0; i < 100000 && ticks < before + 10; i++)
        compute(10000);
    setitimer(ITIMER_REAL, &none, nullptr);
    should(ticks >= before + 10, "a timer");
}

int destroyed;
struct Guard {
    ~Guard() { compute(5000); destroyed++; }
};
void deep(int n)
{
    Guard g;
    if (n == 0)
        throw std::runtime_error("deep");
    deep(n - 1);
    compute(1);
}
void exceptions()
{
    for (int i = 0; i < 50; i++) {
        int before = destroyed;
        bool caught = false;
        try {
            deep(20);
        } catch (const std::exception &e) {
            caught = !std::strcmp(e.what(), "deep");
        }
        should(caught && destroyed == before + 21, "an exception");
    }
}

struct Local {
    int v = 0;
    ~Local() { compute(100000); if (v != 7) __atomic_fetch_add(&wrong, 1, 0); }
};
thread_local Local local_;
void locals()
{
    for (int i = 0; i < 10; i++) {
        std::thread t([] { local_.v = 7; });
        t.join();
    }
}

void threads()          /* that work while this one moves */
{
    static std::vector<std::thread> all;
    static bool stop;
    static long sums[3];
    if (all.empty()) {
        stop = false;
        for (int i = 0; i < 3; i++)
            all.emplace_back([i] {
                while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
                    std::string s(1000, 'x');
                    sums[i] += static_cast<long>(s.size());
                    compute(1000);
                }
            });
    }
    long before = __atomic_load_n(&sums[0], __ATOMIC_RELAXED);
    for (int i = 0; i < 2000 &&
         __atomic_load_n(&sums[0], __ATOMIC_RELAXED) == before; i++)
        usleep(1000);
    should(__atomic_load_n(&sums[0], __ATOMIC_RELAXED) > before, "a thread's work");
    if (told()) {
        __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
        for (auto &t : all)
            t.join();
        all.clear();
    }
}

void openmp()
{
    long s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(3)
    for (int i = 0; i < 300; i++)
        s += compute(20000) > 0 ? i : 0;
    should(s == 299 * 300 / 2, "a parallel loop");
}

const struct { const char *name; void (*run)(); } phases[] = {
    { "memory", memory }, { "print", print }, { "file", file },
    { "time_out", time_out }, { "input", input }, { "load", load },
    { "loaded", loaded }, { "handler", handler }, { "masked", blocked },
    { "timer", timer }, { "exceptions", exceptions }, { "locals", locals },
    { "threads", threads }, { "openmp", openmp },
};

}

int main(int argc, char **argv)
{
    int level;
    if (argc < 3) {
        for (const auto &p : phases)
            std::cout << p.name << '\n';
        return 0;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    directory = argv[1];
    library = argv[2];
    for (const auto &p : phases) {
        int over = 0, all = 0;
        bool want = argc == 3;
        for (int i = 3; i < argc; i++)
            want = want || !std::strcmp(argv[i], p.name);
        if (!want)
            continue;
        name = p.name;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            std::cout << "phase " << name << std::endl;
        while (!all) {
            over = told();
            p.run();
            MPI_Allreduce(&over, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        }
    }
    std::cout << "rank " << rank << " of " << size << " wrong " << wrong << std::endl;
    return MPI_Finalize();
}
