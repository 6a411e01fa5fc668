/* test_slice.c - slices of programs that the compiler here has just made: what
 * decides that stop() is reached, and what does not, at -O0 and -O2; and programs
 * of which there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/slice/program.h"
#include "slave/slice/slice.h"

static char dir[] = "/tmp/hct-slice-XXXXXX";
enum { FRAMES_MAX = 4 };

/* How the program is built: whatever the compiler and its options, the slices
 * are the same. Those of a compiler that is not there are left out. */
static const struct build {
    const char *name, *how;
    bool names;                 /* of variables */
    bool merges;                /* clang gives two lines the code of one */
} builds[] = {
    { "O0", "cc -g -O0", true, false }, { "O2", "cc -g -O2", true, false },
    { "frames", "cc -g -O2 -fno-omit-frame-pointer -gdwarf-4 -no-pie", true,
      false },
    { "plain0", "cc -g -O0 -fomit-frame-pointer -no-pie", true, false },
    { "lines", "cc -O0 -g1", false, false },
    { "lines2", "cc -O2 -g1", false, false },
    { "clang0", "clang -g -O0", true, false },
    { "clang2", "clang -g -O2", true, true },
    { "clangs", "clang -g1 -O1 -gdwarf-4 -no-pie", false, true },
};
enum { BUILDS = sizeof(builds) / sizeof(builds[0]) };
static bool is_there[BUILDS];

/* The next one of those that are there; BUILDS: none is. */
static int next(int build)
{
    do
        build++;
    while (build < BUILDS && !is_there[build]);
    return build;
}

static const char source[] =
    "#define OUT __attribute__((noinline, noclone))\n"          /* 1 */
    "extern void stop(long) __attribute__((noinline));\n"
    "void stop(long x) { __asm__ volatile(\"mov %0, %0\" :: \"r\"(x)); }\n"
    "extern void give(long *) __attribute__((noinline));\n"
    "void give(long *x) { *x = 4; }\n"                          /* 5 */
    "volatile long seen, limit = 9;\n"
    "static long stride, other;\n"
    "struct box { long a, b; };\n"
    "OUT void configure(long n)\n"
    "{\n"                                                       /* 10 */
    "    stride = n * 3;\n"                                     /* 11 */
    "    other = n * 5;\n"                                      /* 12 */
    "}\n"
    "OUT void by_global(long n)\n"
    "{\n"                                                       /* 15 */
    "    configure(n);\n"                                       /* 16 */
    "    seen += n;\n"                                          /* 17 */
    "    if (stride > n)\n"                                     /* 18 */
    "        stop(1);\n"                                        /* 19 */
    "}\n"                                                       /* 20 */
    "OUT void by_pointer(struct box *p, long n)\n"
    "{\n"
    "    p->a = n + 7;\n"                                       /* 23 */
    "    p->b = n + 8;\n"                                       /* 24 */
    "    give(&p->b);\n"                                        /* 25 */
    "    stop(p->a);\n"                                         /* 26 */
    "}\n"
    "OUT void by_caller(long tag)\n"
    "{\n"
    "    stop(tag);\n"                                          /* 30 */
    "}\n"
    "OUT void calls(long n)\n"
    "{\n"
    "    long tag = n * 11;\n"                                  /* 34 */
    "    long more = n * 13;\n"                                 /* 35 */
    "    seen = more;\n"                                        /* 36 */
    "    by_caller(tag);\n"                                     /* 37 */
    "    seen = 0;\n"                                           /* 38 */
    "}\n"
    "OUT void by_address(long n)\n"                             /* 40 */
    "{\n"
    "    long x, y = n;\n"
    "    give(&x);\n"                                           /* 43 */
    "    seen = y;\n"                                           /* 44 */
    "    for (long i = 0; i < limit; i++) {\n"                  /* 45 */
    "        if (i == x)\n"                                     /* 46 */
    "            stop(2);\n"                                    /* 47 */
    "        seen++;\n"                                         /* 48 */
    "    }\n"
    "}\n"                                                       /* 50 */
    "OUT void by_switch(long n)\n"
    "{\n"
    "    long m = n % 7;\n"                                     /* 53 */
    "    seen = n / 3;\n"                                       /* 54 */
    "    switch (m) {\n"                                        /* 55 */
    "    case 0: seen = 1; break;\n"
    "    case 1: seen = 2; break;\n"
    "    case 2: seen = 4; break;\n"
    "    case 3: seen = 8; break;\n"
    "    case 4: stop(3); break;\n"                             /* 60 */
    "    case 5: seen = 9; break;\n"
    "    case 6: seen = 7; break;\n"
    "    }\n"
    "}\n"
    "int main(int argc, char **argv)\n"                         /* 65 */
    "{\n"
    "    extern void by_inlined(long);\n"
    "    struct box b;\n"
    "    (void)argv;\n"
    "    by_global(argc); by_pointer(&b, argc); calls(argc);\n" /* 70 */
    "    by_address(argc); by_switch(argc); by_inlined(argc);\n"
    "    return (int)(seen + other);\n"
    "}\n"
    "__attribute__((always_inline)) static inline long inner(long n)\n"
    "{\n"                                                       /* 75 */
    "    long tag = n * 19;\n"                                  /* 76 */
    "    seen = n / 5;\n"                                       /* 77 */
    "    stop(tag);\n"                                          /* 78 */
    "    return tag;\n"
    "}\n"                                                       /* 80 */
    "OUT void by_inlined(long n)\n"
    "{\n"
    "    long from = n + 21;\n"                                 /* 83 */
    "    seen = n + 23;\n"
    "    seen = inner(from);\n"
    "}\n"
    "extern void MPI_Comm_rank(int, int *), MPI_Comm_size(int, int *);\n"
    "extern void MPI_Send(void *, int, int, int, int, int);\n"
    "extern void MPI_Recv(void *, int, int, int, int, int);\n" /* 89 */
    "void by_rank(long n)\n"
    "{\n"
    "    int rank;\n"
    "    MPI_Comm_rank(1, &rank);\n"
    "    long near = n * 31;\n"                                 /* 94 */
    "    long far = rank * 37;\n"                               /* 95 */
    "    long there = far + n;\n"
    "    stop(near - there);\n"
    "}\n"
    "void by_tag(void)\n"                                       /* 99 */
    "{\n"
    "    int x = 0;\n"
    "    MPI_Send(&x, 1, 0, 1, 5, 0);\n"                        /* 102 */
    "    MPI_Send(&x, 1, 0, 1, 7, 0);\n"                        /* 103 */
    "    MPI_Recv(&x, 1, 0, 1, 5, 0);\n"
    "}\n"                                                       /* 105 */
    "OUT void touch(struct box *p) { p->b += 2; }\n"
    "OUT void hand(struct box *p)\n"
    "{\n"
    "    if (p->a > 3)\n"                                       /* 109 */
    "        stop(1);\n"                                        /* 110 */
    "    seen = 1;\n"
    "}\n"
    "OUT void by_kept(long n)\n"
    "{\n"
    "    struct box b;\n"                                       /* 115 */
    "    b.a = n * 43;\n"                                       /* 116 */
    "    b.b = n * 47;\n"                                       /* 117 */
    "    touch(&b);\n"
    "    hand(&b);\n"                                           /* 119 */
    "    seen = b.b;\n"
    "}\n"                                                       /* 121 */
    "extern void MPI_Barrier(int);\n"
    "void by_message(long n)\n"
    "{\n"
    "    int got;\n"
    "    MPI_Recv(&got, 1, 0, 1, 5, 0);\n"                     /* 126 */
    "    if (n > limit) goto there;\n"                         /* 127 */
    "    if (got > 3) goto there;\n"                           /* 128 */
    "    seen = 3; return;\n"
    "there: stop(1); seen = 6;\n"
    "}\n"
    "void by_loop(long n)\n"
    "{\n"
    "    long turns = n * 53;\n"                               /* 134 */
    "    for (long i = 0; i < turns; i++)\n"                   /* 135 */
    "        MPI_Send(&n, 1, 0, 1, 5, 0);\n"                   /* 136 */
    "    MPI_Barrier(0);\n"                                    /* 137 */
    "    seen = 4;\n"
    "}\n"
    "void by_folded(struct box *p)\n"                          /* 140 */
    "{\n"
    "    long last = p->a - 1;\n"                              /* 142 */
    "    for (long w = 1; w <= last; w++)\n"                   /* 143 */
    "        stop(w);\n"                                       /* 144 */
    "    seen = 5;\n"
    "}\n"
    "static struct box kept;\n"                                /* 147 */
    "OUT void fill(struct box *p, long n)\n"
    "{\n"
    "    p->a = n * 59;\n"                                     /* 150 */
    "    p->b = n * 61;\n"                                     /* 151 */
    "}\n"
    "void by_static(long n)\n"
    "{\n"
    "    fill(&kept, n);\n"                                    /* 155 */
    "    if (kept.a > limit)\n"                                /* 156 */
    "        stop(1);\n"                                       /* 157 */
    "    seen = kept.b;\n"
    "}\n"
    "extern void mpi_gather_(void *, int *, int *, void *, int *, int *, int *,\n"
    "                        int *, int *);\n"
    "void by_stack(long n)\n"                                  /* 162 */
    "{\n"
    "    int one = 1, error = n * 67, root;\n"                 /* 164 */
    "    root = n * 71;\n"                                     /* 165 */
    "    mpi_gather_(&n, &one, &one, &n, &one, &one, &root, &one, &error);\n"
    "    seen = error;\n"
    "}\n"
    "OUT void first(long n) { stop(n); seen = 8; }\n"          /* 169 */
    "OUT void second(long n) { seen = n; }\n"
    "static void (*const table[])(long) = { first, second };\n"
    "void by_table(long n)\n"
    "{\n"
    "    long which = (n + 73) % 2;\n"                         /* 174 */
    "    seen = n + 79;\n"                                     /* 175 */
    "    table[which](4);\n"                                   /* 176 */
    "    seen = 9;\n"
    "}\n"
    "OUT void sends(long n)\n"                                 /* 179 */
    "{\n"
    "    int x = n;\n"                                         /* 181 */
    "    MPI_Send(&x, 1, 0, 1, 9, 0);\n"                       /* 182 */
    "}\n"
    "static void (*const senders[])(long) = { second, sends };\n"
    "void by_senders(long n)\n"
    "{\n"
    "    int x;\n"
    "    senders[n % 2](3);\n"                                 /* 188 */
    "    MPI_Recv(&x, 1, 0, 1, 9, 0);\n"                       /* 189 */
    "    seen = x;\n"
    "}\n"
    "extern void *malloc(unsigned long);\n"                    /* 192 */
    "OUT struct box *fresh(long n)\n"
    "{\n"
    "    struct box *p = malloc(sizeof(*p));\n"
    "    p->a = n * 83;\n"                                     /* 196 */
    "    seen = 11;\n"
    "    p->b = n * 89;\n"                                     /* 198 */
    "    return p;\n"
    "}\n"
    "void by_made(long n)\n"                                   /* 201 */
    "{\n"
    "    struct box *p = fresh(n);\n"
    "    if (p->a > limit)\n"                                  /* 204 */
    "        stop(1);\n"                                       /* 205 */
    "    seen = p->b;\n"
    "}\n"
    "static struct holder { long x; struct box *box; } held;\n"
    "OUT void fill_box(struct holder *h, long n)\n"            /* 209 */
    "{\n"
    "    h->box->a = n * 97;\n"                                /* 211 */
    "    seen = 12;\n"
    "    h->box->b = n * 101;\n"                               /* 213 */
    "}\n"
    "void by_held(long n)\n"
    "{\n"
    "    fill_box(&held, n);\n"                                /* 217 */
    "    if (held.box->a > limit)\n"                           /* 218 */
    "        stop(1);\n"                                       /* 219 */
    "    seen = held.box->b;\n"
    "}\n"
    "void by_again(long n)\n"                                  /* 222 */
    "{\n"
    "    int got = 0;\n"
    "    do {\n"
    "        MPI_Recv(&got, 1, 0, 1, 5, 0);\n"                 /* 226 */
    "        if (got != 17)\n"                                 /* 227 */
    "            MPI_Send(&got, 1, 0, 1, 6, 0);\n"             /* 228 */
    "        if (limit != 19)\n"                                   /* 229 */
    "            MPI_Send(&got, 1, 0, 1, 6, 0);\n"
    "    } while (limit != 23);\n"
    "}\n"
    "void by_caller_of_it(long n)\n"                           /* 233 */
    "{\n"
    "    int x;\n"
    "    if (n * 103 > limit)\n"                               /* 236 */
    "        sends(n);\n"                                      /* 237 */
    "    MPI_Recv(&x, 1, 0, 1, 9, 0);\n"
    "    seen = x;\n"
    "}\n"
    "void by_lost(long n)\n"                                   /* 241 */
    "{\n"
    "    long done = 0;\n"
    "    while (!done) {\n"
    "        stop(n);\n"                                       /* 245 */
    "        done = seen == 3;\n"                              /* 246 */
    "    }\n"
    "}\n"
    "OUT long rest(long n)\n"
    "{\n"                                                      /* 250 */
    "    return n % limit;\n"                                  /* 251 */
    "}\n"                                                      /* 252 */
    "void by_rest(long n)\n"
    "{\n"
    "    if (rest(n) > 2)\n"                                   /* 255 */
    "        stop(1);\n"                                       /* 256 */
    "    seen = 13;\n"
    "}\n"
    "OUT void both(long *x, long *y, long n)\n"                /* 259 */
    "{\n"
    "    *x = n * 107;\n"                                      /* 261 */
    "    seen = 14;\n"
    "    *y = n * 109;\n"                                      /* 263 */
    "}\n"
    "void by_two(long n)\n"
    "{\n"
    "    long x, y;\n"
    "    both(&x, &y, n);\n"                                   /* 268 */
    "    if (y > limit)\n"                                     /* 269 */
    "        stop(1);\n"                                       /* 270 */
    "    seen = x;\n"
    "}\n"
    "extern void MPI_Irecv(void *, int, int, int, int, int, int *);\n"
    "OUT void post(int *into, int *request, int from)\n"       /* 274 */
    "{\n"
    "    MPI_Irecv(into, 1, 0, from, 5, 0, request);\n"        /* 276 */
    "    seen = 15;\n"
    "}\n"
    "void by_pushed(long n)\n"
    "{\n"
    "    int x, request;\n"
    "    post(&x, &request, n);\n"                             /* 282 */
    "    if (request > 3)\n"                                   /* 283 */
    "        stop(1);\n"                                       /* 284 */
    "    seen = x;\n"
    "}\n"
    "void by_moved(long n)\n"                                  /* 287 */
    "{\n"
    "    long a, b, *p = &a;\n"
    "    *p = n * 127;\n"                                      /* 290 */
    "    seen = 16;\n"
    "    p = &b;\n"
    "    *p = n * 131;\n"                                      /* 293 */
    "    stop(a);\n"                                           /* 294 */
    "    seen = b;\n"
    "}\n"
    "extern void MPI_Finalize(void);\n"                        /* 297 */
    "void by_copy(long n)\n"
    "{\n"
    "    int rank;\n"                                          /* 300 */
    "    MPI_Comm_rank(1, &rank);\n"
    "    int mine = rank;\n"                                   /* 302 */
    "    seen = mine;\n"
    "    long near = n * 137;\n"                               /* 304 */
    "    long far = mine * 139;\n"                             /* 305 */
    "    long there = far + n;\n"
    "    stop(near - there);\n"
    "}\n"
    "void by_others(long n)\n"
    "{\n"                                                      /* 310 */
    "    long last = n * 149;\n"                               /* 311 */
    "    if (n > limit) {\n"                                   /* 312 */
    "        MPI_Recv(&n, 1, 0, 1, 5, 0);\n"                   /* 313 */
    "        seen = n;\n"
    "        return;\n"
    "    }\n"
    "    if (n != 151) MPI_Send(&n, 1, 0, 1, 6, 0);\n"         /* 317 */
    "    for (long i = 0; i < last; i++)\n"                    /* 318 */
    "        MPI_Send(&n, 1, 0, 1, 6, 0);\n"                   /* 319 */
    "    MPI_Finalize();\n"                                    /* 320 */
    "    seen = 17;\n"
    "}\n"
    "void by_constant(long n)\n"                               /* 323 */
    "{\n"
    "    long want = 29;\n"                       /* 325 */
    "    long all = 37;\n"                                     /* 326 */
    "    seen = n;\n"
    "    if (limit == want)\n"                                 /* 328 */
    "        stop(1);\n"
    "    seen = all;\n"
    "}\n"
    "extern void MPI_Allreduce(void *, void *, int, int, int, int);\n"
    "void by_exchange(long n)\n"                               /* 333 */
    "{\n"
    "    long mine = n * 157, all = 0, other = n * 163;\n"
    "    mine += limit;\n"                                     /* 336 */
    "    MPI_Send(&other, 1, 0, 1, 6, 0);\n"
    "    MPI_Allreduce(&mine, &all, 1, 0, 0, 0);\n"            /* 338 */
    "    if (all > 4)\n"                                       /* 339 */
    "        stop(1);\n"
    "    seen = other;\n"
    "}\n"
    "void by_turns(long n)\n"                                  /* 343 */
    "{\n"
    "    int x, base = n * 167;\n"                             /* 345 */
    "    for (long i = 0; i < n; i++) {\n"
    "        int shift = seen * 173;\n"                        /* 347 */
    "        MPI_Recv(&x, 1, 0, base, shift, 0);\n"            /* 348 */
    "        seen = x;\n"
    "    }\n"
    "}\n"
    "void by_copy_of_it(long n)\n"                             /* 352 */
    "{\n"
    "    long made = n * 179;\n"                               /* 354 */
    "    long copy = made;\n"                                  /* 355 */
    "    stop(copy);\n"                                        /* 356 */
    "    seen = made;\n"
    "}\n"
    "void many(long a, long b, long c, long d, long e, long f, long *g)\n"
    "    __attribute__((noinline));\n"                         /* 360 */
    "void many(long a, long b, long c, long d, long e, long f, long *g)\n"
    "{\n"
    "    *g = 0;\n"
    "    __asm__ volatile(\"mov %0, %0\" :: \"r\"(a + b + c + d + e + f));\n"
    "}\n"                                                      /* 365 */
    "struct list { long n, *start; };\n"
    "OUT void lay(struct list *l, long each)\n"
    "{\n"
    "    for (long i = 0; i < l->n; i++)\n"
    "        l->start[i + 1] = l->start[i] + each;\n"          /* 370 */
    "}\n"
    "OUT void by_spilled(struct list *l, long a, long b, long c, long d, long e)\n"
    "{\n"
    "    long x;\n"
    "    lay(l, a);\n"                                         /* 375 */
    "    long *v = l->start, n = l->n;\n"
    "    for (long i = 0; i < n; i++)\n"
    "        for (long k = v[i]; k < v[i + 1]; k++) {\n"       /* 378 */
    "            many(a + k, b + k, c * k, d + k, e - k, i, &x);\n"
    "            stop(k);\n"                                   /* 380 */
    "        }\n"
    "}\n"
    "struct tall { long n; char ready[8]; long part[6]; };\n"
    "OUT void set_ready(struct tall *t, unsigned long k)\n"
    "{\n"                                                       /* 385 */
    "    t->ready[k] = k > 5;\n"                               /* 386 */
    "}\n"
    "OUT void set_part(struct tall *t, long k)\n"
    "{\n"
    "    t->part[k] = k * 181;\n"                              /* 390 */
    "}\n"
    "OUT void by_member(struct tall *t, long k)\n"
    "{\n"
    "    set_ready(t, k + 1);\n"                               /* 394 */
    "    set_part(t, k);\n"                                    /* 395 */
    "    for (; k < 7; k++)\n"
    "        if (t->ready[k])\n"                               /* 397 */
    "            stop(1);\n"
    "}\n"
    "OUT void by_choice(long n, long before)\n"                 /* 400 */
    "{\n"
    "    long made = n * 193;\n"                               /* 402 */
    "    long after = made + limit;\n"
    "    if (n > 4)\n"
    "        after = before;\n"                                /* 405 */
    "    stop(after);\n"                                       /* 406 */
    "    seen = n;\n"
    "}\n"
    "struct item { long key, weight; };\n"
    "OUT void set_key(struct item *v, long k)\n"                /* 410 */
    "{\n"
    "    v[k].key = k * 211;\n"                                /* 412 */
    "}\n"
    "OUT void set_weight(struct item *v, long k)\n"
    "{\n"                                                       /* 415 */
    "    v[k].weight = k * 223;\n"                             /* 416 */
    "}\n"
    "OUT void by_element(struct item *v, long k)\n"
    "{\n"
    "    set_key(v, k + 1);\n"                                 /* 420 */
    "    set_weight(v, k);\n"                                  /* 421 */
    "    if (v[k].key > 3)\n"                                  /* 422 */
    "        stop(1);\n"
    "    seen = k;\n"
    "}\n"                                                       /* 425 */
    "void by_waiting(void)\n"
    "{\n"
    "    int x = 0;\n"
    "    MPI_Recv(&x, 1, 0, 1, 5, 0);\n"
    "    MPI_Send(&x, 1, 0, 1, 8, 0);\n"                       /* 430 */
    "    MPI_Send(&x, 1, 0, 1, 9, 0);\n"                       /* 431 */
    "    MPI_Recv(&x, 1, 0, 1, 9, 0);\n"
    "}\n"
    "struct method { struct box *is; long kind; };\n"
    "OUT void set_held(struct method *h, long n)\n"             /* 435 */
    "{\n"
    "    h->is->a = n * 227;\n"                                /* 437 */
    "}\n"
    "OUT void by_method(struct box *p, long n)\n"
    "{\n"                                                       /* 440 */
    "    struct method h = { p, n };\n"
    "    set_held(&h, n);\n"                                   /* 442 */
    "    if (p->a > 4)\n"                                      /* 443 */
    "        stop(1);\n"
    "    seen = n;\n"
    "}\n"
    "struct boxes { long a, b, c; };\n"
    "OUT void set_c(struct boxes *p, long n) { p->c = n * 229; }\n"
    "OUT void by_part(struct boxes *p, long n)\n"
    "{\n"                                                       /* 450 */
    "    set_c(p, n);\n"
    "    MPI_Recv(&p->b, 1, 0, 1, 5, 0);\n"                   /* 452 */
    "    if (p->c > 4)\n"
    "        stop(1);\n"
    "}\n"                                                       /* 455 */
    "OUT void by_sent(int n)\n"
    "{\n"
    "    int x = n * 233, y = 0;\n"                           /* 458 */
    "    int z = n * 239;\n"                                  /* 459 */
    "    MPI_Send(&x, 1, 0, 1, 5, 0);\n"                      /* 460 */
    "    MPI_Send(&z, 1, 0, 1, 6, 0);\n"                      /* 461 */
    "    MPI_Recv(&y, 1, 0, 1, 5, 0);\n"
    "    MPI_Recv(&z, 1, 0, y, 7, 0);\n"                      /* 463 */
    "}\n"
    "OUT void by_count(long n)\n"                               /* 465 */
    "{\n"
    "    long last = n * 241;\n"                              /* 467 */
    "    for (long i = 0; i < last; i++)\n"                    /* 468 */
    "        if (i % 7 == 3)\n"                                /* 469 */
    "            stop(i);\n"                                  /* 470 */
    "    seen = n;\n"
    "}\n"
    "OUT void wait_at(struct boxes *p) { stop(p->b); }\n"
    "OUT void by_each(long k, long n)\n"
    "{\n"                                                       /* 475 */
    "    struct boxes v[4];\n"
    "    v[k & 3].b = n * 251;\n"                            /* 477 */
    "    v[n & 3].c = n * 257;\n"                            /* 478 */
    "    wait_at(&v[k & 3]);\n"                              /* 479 */
    "    seen = v[k & 3].c;\n"                               /* 480 */
    "}\n"
    "OUT void set_b(struct boxes *p, long n) { p->b = n * 263; }\n"
    "OUT void by_one(long k, long n)\n"
    "{\n"
    "    struct boxes v[4];\n"                               /* 485 */
    "    set_c(&v[n & 3], n);\n"                             /* 486 */
    "    set_b(&v[k & 3], n);\n"
    "    if (v[n & 3].b > 4)\n"
    "        stop(1);\n"
    "    seen = v[n & 3].c;\n"                               /* 490 */
    "}\n"
    "struct party { int rank, size; };\n"
    "OUT void in_steps(struct party *p)\n"
    "{\n"
    "    long sum = 0;\n"                                    /* 495 */
    "    int step = p->size;\n"                              /* 496 */
    "    seen = 1;\n"
    "    for (int i = p->rank; i < limit; i += step) {\n"
    "        stop(i);\n"
    "        __asm__ volatile(\"\" ::: \"bx\", \"r12\", \"r13\", \"r14\", \"r15\");\n"
    "    }\n"
    "    seen = sum;\n"
    "}\n"
    "OUT void by_size(void)\n"
    "{\n"                                                       /* 505 */
    "    struct party p = { 0 };\n"
    "    MPI_Comm_rank(0, &p.rank);\n"
    "    MPI_Comm_size(0, &p.size);\n"
    "    in_steps(&p);\n"
    "    seen = p.rank;\n"                                   /* 510 */
    "}\n"
    "OUT void by_most(long n)\n"
    "{\n"
    "    long y = n * 269;\n"                                /* 514 */
    "    long x = n * 271;\n"                                /* 515 */
    "    long z = 0;\n"                                      /* 516 */
    "    if (n > 5)\n"
    "        z = 7;\n"                                       /* 518 */
    "    if (x > 3) {\n"
    "        seen = 1;\n"                                    /* 520 */
    "        if (y > 5) {\n"
    "            seen = 2;\n"
    "            if (x + 2 * limit < 90)\n"
    "                stop(z);\n"
    "        }\n"                                           /* 525 */
    "    }\n"
    "    seen = n;\n"
    "}\n";

/* As much of MPI as that calls: in a library, as it is. */
static const char library[] =
    "void MPI_Comm_rank(int c, int *rank) { *rank = c; }\n"
    "void MPI_Comm_size(int c, int *n) { *n = 4 + c; }\n"
    "void MPI_Send(void *x, int n, int t, int p, int g, int c) { }\n"
    "void MPI_Recv(void *x, int n, int t, int p, int g, int c) { }\n"
    "void MPI_Barrier(int c) { }\n"
    "void MPI_Finalize(void) { }\n"
    "void MPI_Allreduce(void *x, void *y, int n, int t, int o, int c) { }\n"
    "void MPI_Irecv(void *x, int n, int t, int p, int g, int c, int *r) { }\n"
    "void mpi_gather_(void *x, int *n, int *t, void *y, int *m, int *u, int *r,\n"
    "                 int *c, int *e) { }\n"
    "void mpi_irecv_(void *x, int *n, int *t, int *p, int *g, int *c, int *r,\n"
    "                int *e) { }\n"
    "void mpi_waitall_(int *n, int *r, void *s, int *e) { }\n";

static void run(const char *fmt, ...)
{
    char command[1000];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(command, sizeof(command), fmt, ap);
    va_end(ap);
    assert_int_equal(system(command), 0);
}

static const char *path_of(char to[200], const char *name)
{
    snprintf(to, 200, "%s/%s", dir, name);
    return to;
}

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *f = fopen(path_of(path, name), "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Where the n-th call of callee ("": by a pointer), in this function, returns
 * to. */
static uint64_t nth_return_of(const char *path, const char *in,
                              const char *callee, unsigned nth)
{
    struct err err;
    struct binary *b = binary_open(path, NULL, &err);
    struct program *p = b ? program_create(b, path, &err) : NULL;
    uint64_t found = 0, at;
    size_t n;
    const struct binary_symbol *v;

    assert_non_null(p);
    v = binary_functions(b, &n);
    for (size_t i = 0; i < n && !found; i++) {
        struct function *f = strcmp(v[i].name, in) == 0
            ? program_function(p, v[i].address) : NULL;

        for (size_t k = 0; f && k < f->flow.ninsns && !found; k++) {
            const struct insn *c = &f->flow.insns[k];
            const char *name = c->kind == INSN_CALL
                ? program_callee(p, c, &at) : NULL;

            if (c->kind == INSN_CALL && strcmp(name ? name : "", callee) == 0 &&
                --nth == 0)
                found = c->address + c->bytes;
        }
    }
    program_destroy(p);
    assert_true(found != 0);
    return found;
}

static uint64_t return_of(const char *path, const char *in, const char *callee)
{
    return nth_return_of(path, in, callee, 1);
}

static struct slice *make(const char *path, const char *id,
                          const struct slice_frame *v, size_t n, struct err *err)
{
    return slice_make(path, id, &(struct slice_place){ .frames = v, .nframes = n },
                      err);
}

static unsigned place_of(const struct slice *s, unsigned line)
{
    size_t n;
    const struct slice_row *v = slice_rows(s, &n);

    for (size_t i = 0; i < n; i++)
        if (v[i].line == line)
            return (unsigned)i + 1;
    return 0;
}

static unsigned cost_of(const struct slice *s, unsigned line)
{
    unsigned place = place_of(s, line);
    size_t n;

    return place ? slice_rows(s, &n)[place - 1].cost : 0;
}

/* A path of calls, innermost first: function and what it calls, in pairs; lines
 * that have to be there, and lines that must not. 0 ends each list. */
struct expected {
    const char *path[2 * FRAMES_MAX];
    unsigned inside[8], outside[8];
};

static void expect(const struct expected *e)
{
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        struct slice_frame v[FRAMES_MAX];
        struct slice *s;
        struct err err;
        size_t n = 0;
        char path[200];

        path_of(path, builds[l].name);
        for (; n < FRAMES_MAX && e->path[2 * n]; n++)
            v[n] = (struct slice_frame){
                return_of(path, e->path[2 * n], e->path[2 * n + 1]), true };
        s = make(path, NULL, v, n, &err);
        if (!s)
            fail_msg("%s", err.text);
        for (int i = 0; e->inside[i]; i++)
            if (!place_of(s, e->inside[i]))
                fail_msg("%s %s: line %u is missing", builds[l].name,
                         e->path[0], e->inside[i]);
        for (int i = 0; e->outside[i] && !builds[l].merges; i++)
            if (place_of(s, e->outside[i]))
                fail_msg("%s %s: line %u is no reason", builds[l].name,
                         e->path[0], e->outside[i]);
        slice_free(s);
    }
}

static void a_global_that_a_call_sets(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_global", "stop" },
                               { 19, 18, 16, 11 }, { 12, 17, 23, 34 } });
}

static void a_field_behind_a_pointer(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_pointer", "stop" },
                               { 26, 23 }, { 24, 25, 11, 34 } });
}

static void a_value_that_the_caller_passes(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_caller", "stop", "calls", "by_caller" },
                               { 30, 37, 34 }, { 35, 36, 38, 23 } });
}

static void a_variable_whose_address_is_given(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_address", "stop" },
                               { 47, 46, 45, 43, 5 }, { 44, 48, 11 } });
}

/* It is the frame's base that is another one, from compiler to compiler. */
static void variables_have_their_names(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        const struct slice_row *rows;
        struct slice *s;
        size_t n;

        path_of(path, builds[l].name);
        v.address = return_of(path, "by_address", "stop");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        assert_true(place_of(s, 5) != 0);
        rows = slice_rows(s, &n);
        if (builds[l].names)
            assert_non_null(strstr(rows[place_of(s, 5) - 1].reason,
                                   "sets `x`"));
        slice_free(s);
    }
}

/* Its register is kept in a slot of the frame while others are called, and got back
 * from there: it is the same pointer, turn by turn. */
static void an_array_whose_pointer_is_put_aside(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_spilled", "stop" }, { 380, 378, 375, 370 },
                               { 11, 165 } });
}

/* Where types are known: a line that sets what stop() depends on is there, and one that
 * sets another field is not. */
static void expect_field(const char *in, unsigned sets, unsigned other)
{
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        struct slice_frame v = { 0, true };
        char path[200];
        struct err err;
        struct slice *s;

        if (!builds[l].names)
            continue;
        v.address = return_of(path_of(path, builds[l].name), in, "stop");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        if (!place_of(s, sets))
            fail_msg("%s %s: line %u is missing", builds[l].name, in, sets);
        if (place_of(s, other))
            fail_msg("%s %s: line %u is no reason", builds[l].name, in, other);
        slice_free(s);
    }
}

/* The same of a function that it calls, and that waits; callee NULL: of itself. */
static void expect_apart(const char *in, const char *callee, unsigned sets,
                         unsigned other)
{
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        struct slice_frame v[2];
        char path[200];
        struct err err;
        struct slice *s;

        if (!builds[l].names || strcmp(builds[l].name, "plain0") == 0)
            continue;           /* there the index is the base of the address */
        path_of(path, builds[l].name);
        v[0] = (struct slice_frame){ return_of(path, callee ? callee : in, "stop"),
                                     true };
        if (callee)
            v[1] = (struct slice_frame){ return_of(path, in, callee), true };
        s = make(path, NULL, v, callee ? 2 : 1, &err);
        assert_non_null(s);
        if (!place_of(s, sets) || place_of(s, other))
            fail_msg("%s %s: line %u is %s, and %u is %s", builds[l].name, in, sets,
                     place_of(s, sets) ? "there" : "missing", other,
                     place_of(s, other) ? "there" : "missing");
        slice_free(s);
    }
}

/* An index does not lead from one field to another, and it is not taken for the
 * address. */
static void an_array_that_is_a_field(void **state)
{
    (void)state;
    expect_field("by_member", 386, 390);
    expect_field("by_member", 394, 395);
}

/* The function is given a record that has the address, as methods are in Fortran; what
 * else is in registers when it is called is nothing to it. */
static void an_address_that_is_in_a_record(void **state)
{
    (void)state;
    expect_field("by_method", 437, 11);
    expect_field("by_method", 442, 11);
}

static void a_field_of_the_elements_of_an_array(void **state)
{
    (void)state;
    expect_field("by_element", 412, 416);
    expect_field("by_element", 420, 421);
}

/* One record of an array is given, nobody knows which: its fields are apart all the
 * same. */
static void a_field_of_one_element_that_is_given(void **state)
{
    (void)state;
    expect_apart("by_each", "wait_at", 477, 478);
    expect_apart("by_one", NULL, 482, 448);
}

/* How many tasks there are is a value, and no address that is handed on. */
static void a_copy_of_how_many_tasks_there_are(void **state)
{
    (void)state;
    expect(&(struct expected){ { "in_steps", "stop", "by_size", "in_steps" },
                               { 496 }, { 0 } });
}

static void a_field_that_a_message_fills(void **state)
{
    (void)state;
    expect_field("by_part", 448, 452);
}

static void one_case_of_many(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_switch", "stop" },
                               { 60, 55, 53 }, { 56, 57, 58, 59, 62 } });
}

/* The address stays in its register from one call to the next one. */
static void an_argument_that_a_call_leaves_alone(void **state)
{
    (void)state;
    expect(&(struct expected){ { "hand", "stop", "by_kept", "hand" },
                               { 110, 109, 116 }, { 117, 11, 23 } });
}

/* It is in no frame of its own. */
static void a_function_that_is_inlined(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_inlined", "stop" },
                               { 78, 76, 83 }, { 77, 11, 23 } });
}

/* What is set comes before what decides that it is. */
static void nearest_lines_come_first(void **state)
{
    char path[200];
    struct err err;
    struct slice_frame v = { 0, true };
    struct slice *s;

    (void)state;
    v.address = return_of(path_of(path, "O0"), "by_global", "stop");
    s = make(path, NULL, &v, 1, &err);
    assert_non_null(s);
    assert_int_equal(place_of(s, 19), 1);
    assert_true(place_of(s, 18) < place_of(s, 11));
    assert_true(slice_lines_of_path(s) >= 4);
    assert_non_null(strstr(slice_unseen(s), "other tasks"));
    slice_free(s);
}

/* Of two lines the first one is there, and nearer; of the other one a compiler may have
 * left nothing. */
static void expect_nearer(const char *in, const char *callee, unsigned near,
                          unsigned far)
{
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        struct slice *s;

        v.address = return_of(path_of(path, builds[l].name), in, callee);
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        if (!builds[l].merges &&
            (!place_of(s, near) ||
             (place_of(s, far) && place_of(s, near) > place_of(s, far))))
            fail_msg("%s %s: line %u is not nearer than line %u",
                     builds[l].name, in, near, far);
        slice_free(s);
    }
}

/* Which of two values it is: that line makes none, but it chooses. */
static void a_copy_that_chooses_is_near(void **state)
{
    char path[200];
    struct err err;
    struct slice_frame v = { 0, true };
    struct slice *s;

    (void)state;
    v.address = return_of(path_of(path, "O0"), "by_choice", "stop");
    s = make(path, NULL, &v, 1, &err);
    assert_non_null(s);
    assert_true(place_of(s, 405) && place_of(s, 405) < place_of(s, 402));
    slice_free(s);
}

static void who_asks_for_the_rank_is_nearer(void **state)
{
    (void)state;
    expect_nearer("by_rank", "stop", 95, 94);
    expect_nearer("by_copy", "stop", 305, 302);
}

static void a_message_with_the_tag_that_is_awaited_is_nearer(void **state)
{
    (void)state;
    expect_nearer("by_tag", "MPI_Recv", 102, 103);
}

/* Either may be what is given. */
static void a_line_that_only_sets_0_is_farther(void **state)
{
    (void)state;
    expect_nearer("by_most", "stop", 518, 516);
}

static void a_variable_of_the_file_by_its_address(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_static", "stop" }, { 157, 156, 150 },
                               { 151, 165, 12 } });
}

static void an_address_on_the_stack(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_stack", "mpi_gather_" }, { 166, 165 },
                               { 150, 12 } });
}

static void who_is_called_by_a_table(void **state)
{
    (void)state;
    expect(&(struct expected){ { "first", "stop", "by_table", "" },
                               { 169, 176, 174 }, { 175, 165, 12 } });
}

static void who_sends_may_be_called_by_a_table(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_senders", "MPI_Recv" }, { 189, 182 },
                               { 176, 165, 12 } });
}

static void what_all_decide_alike_is_farther(void **state)
{
    (void)state;
    expect_nearer("by_message", "stop", 128, 127);
}

static void what_ends_a_loop_of_messages_is_near(void **state)
{
    (void)state;
    expect_nearer("by_loop", "MPI_Barrier", 135, 136);
    expect_nearer("by_loop", "MPI_Barrier", 134, 136);
}

static void a_line_that_was_folded_is_there(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_folded", "stop" }, { 144, 143, 142 },
                               { 134, 135, 12 } });
}

/* Memory that a function has asked for, and gives back. */
static void a_field_of_what_is_given_back(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_made", "stop" }, { 205, 204, 196 },
                               { 198, 150, 12 } });
}

static void a_field_behind_a_pointer_of_the_file(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_held", "stop" }, { 219, 218, 217, 211 },
                               { 213, 150, 12 } });
}

/* Where the task is, it may have come by before: what it has got there then. */
static void what_is_received_differs(void **state)
{
    (void)state;
    expect_nearer("by_again", "MPI_Recv", 227, 229);
}

static void who_decides_that_a_sender_is_called(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_caller_of_it", "MPI_Recv" },
                               { 238, 237, 236, 182 }, { 188, 12 } });
}

static void a_statement_of_which_nothing_is_left(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_lost", "stop" }, { 245, 244, 246 }, { 12 } });
}

static void one_of_two_variables_that_are_given(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_two", "stop" }, { 270, 269, 268, 263 },
                               { 261, 12 } });
}

/* The seventh argument stands on the stack. */
static void an_address_that_is_handed_on(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_pushed", "stop" }, { 284, 283, 276 },
                               { 12 } });
}

static void a_pointer_that_is_moved(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_moved", "stop" }, { 294, 290 },
                               { 293, 12 } });
}

/* Where a function ends is no reason for anything. */
static void no_braces(void **state)
{
    (void)state;
    expect(&(struct expected){ { "by_rest", "stop" }, { 256, 255, 251 },
                               { 250, 252, 12 } });
}

/* What others are in, and what the task has called last, is nearer than it would be
 * by its tag, which is not the one that is awaited. */
static void calls_that_were_made_are_nearer(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        unsigned cost[3];
        struct slice_frame v = { 0, true };
        uint64_t call;

        path_of(path, builds[l].name);
        v.address = return_of(path, "by_tag", "MPI_Recv");
        call = nth_return_of(path, "by_tag", "MPI_Send", 2);
        for (int how = 0; how < 3; how++) {
            struct err err;
            struct slice *s = slice_make(path, NULL, &(struct slice_place){
                .frames = &v, .nframes = 1, .lately = &call, .theirs = &call,
                .nlately = how == 1, .ntheirs = how == 2 }, &err);

            assert_non_null(s);
            assert_true(place_of(s, 103) != 0);
            cost[how] = cost_of(s, 103);
            slice_free(s);
        }
        assert_true(cost[1] < cost[0]);
        assert_true(cost[2] < cost[1]);
    }
}

/* A message has in it what the send with its tag was given. */
static void what_was_sent_with_the_same_tag(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        struct slice *s;

        path_of(path, builds[l].name);
        v.address = nth_return_of(path, "by_sent", "MPI_Recv", 2);
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        if (!place_of(s, 458) || place_of(s, 459))
            fail_msg("%s: %u, %u", builds[l].name, place_of(s, 458),
                     place_of(s, 459));
        slice_free(s);
    }
}

/* The head of a loop is farther than a branch that computes something. */
static void a_line_that_only_counts_is_farther(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        struct slice_frame v = { 0, true };
        char path[200];
        struct err err;
        struct slice *s;

        path_of(path, builds[l].name);
        v.address = return_of(path, "by_count", "stop");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        assert_true(place_of(s, 467) && place_of(s, 468) && place_of(s, 469));
        if (cost_of(s, 468) <= cost_of(s, 469))
            fail_msg("%s: %u, %u", builds[l].name, cost_of(s, 468),
                     cost_of(s, 469));
        slice_free(s);
    }
}

/* It waits for a task that waits itself: for a message with another tag. */
static void what_the_awaited_task_waits_for_is_nearer(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        uint64_t call;
        struct slice *s;

        path_of(path, builds[l].name);
        v.address = return_of(path, "by_waiting", "MPI_Recv");
        call = nth_return_of(path, "by_waiting", "MPI_Recv", 2);
        s = slice_make(path, NULL, &(struct slice_place){
            .frames = &v, .nframes = 1, .theirs = &call, .ntheirs = 1 }, &err);
        assert_non_null(s);
        assert_true(place_of(s, 431) != 0);
        assert_true(place_of(s, 431) < place_of(s, 430));
        slice_free(s);
    }
}

/* All tasks run the same line: what they put in is what is got. */
static void what_others_have_put_in(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        struct slice *s;

        if (!builds[l].names)
            continue;
        path_of(path, builds[l].name);
        v.address = return_of(path, "by_exchange", "stop");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        assert_true(place_of(s, 338) && place_of(s, 336));
        assert_true(place_of(s, 338) < place_of(s, 336));
        slice_free(s);
    }
}

/* A variable of which the compiler has made a number: where that is read. */
static void a_variable_that_is_always_the_same(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        struct slice *s;

        if (!builds[l].names)
            continue;
        path_of(path, builds[l].name);
        v.address = return_of(path, "by_constant", "stop");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        assert_true(place_of(s, 328) && place_of(s, 325));
        assert_true(builds[l].merges || !place_of(s, 326));
        slice_free(s);
    }
}

/* The task for whose message this one waits is elsewhere: which loops of messages has
 * it left? */
static void loops_that_another_task_has_left_are_near(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        char path[200];
        struct err err;
        struct slice_frame v = { 0, true };
        uint64_t call;
        struct slice *s;

        path_of(path, builds[l].name);
        v.address = return_of(path, "by_others", "MPI_Recv");
        call = return_of(path, "by_others", "MPI_Finalize");
        s = slice_make(path, NULL, &(struct slice_place){
            .frames = &v, .nframes = 1, .theirs = &call, .ntheirs = 1 }, &err);
        assert_non_null(s);
        assert_true(place_of(s, 320) && place_of(s, 318));
        assert_true(place_of(s, 318) < place_of(s, 317));
        slice_free(s);
    }
}

/* The task has come by before: what the call was given then, and is given now, was
 * right; what is set again in each turn may not be. */
static void what_has_worked_before_is_farther(void **state)
{
    (void)state;
    for (int l = next(-1); l < BUILDS; l = next(l)) {
        unsigned once[2], again[2];

        if (builds[l].merges)
            continue;           /* nothing is left of the line */
        for (unsigned came = 0; came < 2; came++) {
            char path[200];
            struct err err;
            struct slice_frame v = { 0, true };
            struct slice *s;

            path_of(path, builds[l].name);
            v.address = return_of(path, "by_turns", "MPI_Recv");
            s = slice_make(path, NULL, &(struct slice_place){
                .frames = &v, .nframes = 1, .lately = &v.address,
                .nlately = came }, &err);
            assert_non_null(s);
            assert_true(place_of(s, 345) && place_of(s, 347));
            once[came] = cost_of(s, 345);
            again[came] = cost_of(s, 347);
            slice_free(s);
        }
        if (once[1] <= once[0] || again[1] != again[0])
            fail_msg("%s: once %u, then %u, again %u, then %u", builds[l].name,
                     once[0], once[1], again[0], again[1]);
    }
}

/* Without optimisation a copy is code of its own. */
static void a_line_that_makes_nothing_is_farther(void **state)
{
    char path[200];
    struct err err;
    struct slice_frame v = { 0, true };
    struct slice *s;

    (void)state;
    v.address = return_of(path_of(path, "O0"), "by_copy_of_it", "stop");
    s = make(path, NULL, &v, 1, &err);
    assert_non_null(s);
    assert_int_equal(place_of(s, 356), 1);
    assert_true(place_of(s, 354) && place_of(s, 355));
    assert_true(place_of(s, 354) < place_of(s, 355));
    slice_free(s);
}

/* Stores of vectors that capstone takes for loads. */
static void a_store_of_a_vector_writes(void **state)
{
    static const uint8_t movq[] = { 0x66, 0x0f, 0xd6, 0x44, 0x24, 0x30 };
    struct decoder *d;
    struct insn i;
    struct err err;

    (void)state;
    d = decoder_open(&err);
    assert_non_null(d);
    assert_true(decoder_read(d, movq, sizeof(movq), 0x1000, &i));
    assert_int_equal(i.nmem, 1);
    assert_true(i.mem[0].writes && !i.mem[0].reads);
    assert_int_equal(i.mem[0].bytes, 8);
    decoder_close(d);
}

/* ------------------------------------------------------------------ bad input */

static void refuses(const char *name, const char *id, uint64_t at,
                    const char *words)
{
    const struct slice_frame v = { at, true };
    char path[200];
    struct err err;

    assert_null(make(path_of(path, name), id, &v, 1, &err));
    if (!strstr(err.text, words))
        fail_msg("%s: %s", name, err.text);
}

/* Templates, and what catches an exception, to which nothing seems to lead. */
static void lines_of_libraries_are_not_shown(void **state)
{
    static const char text[] =
        "#include <stdexcept>\n#include <vector>\n"            /* 1 */
        "extern \"C\" __attribute__((noinline)) void stop(long x)\n"
        "{ __asm__ volatile(\"mov %0, %0\" :: \"r\"(x)); }\n"
        "template <typename T> struct field {\n"               /* 5 */
        "    std::vector<T> v;\n"
        "    explicit field(long n) : v(n) {}\n"
        "    T &at(long i) { return v.at(i); }\n"
        "};\n"
        "extern \"C\" __attribute__((noinline)) void work(field<long> &f, long n)"
        "\n{\n"                                                /* 11 */
        "    long k = n * 3;\n"                                /* 12 */
        "    try {\n"
        "        f.at(k) = n;\n"
        "        stop(k + f.at(0));\n"                         /* 15 */
        "    } catch (const std::exception &e) {\n"
        "        stop(k + 2);\n"                               /* 17 */
        "    }\n}\n"
        "int main(int argc, char **)\n"                        /* 20 */
        "{\n    field<long> f(argc);\n    work(f, argc);\n}\n";
    static const char *const builds_of[] = { "c++ -O0", "c++ -O2" };

    (void)state;
    if (system("command -v c++ >/dev/null"))
        skip();
    put("t.cpp", text);
    for (int l = 0; l < 2; l++) {
        run("cd %s && %s -g -fno-optimize-sibling-calls -o cpp t.cpp", dir,
            builds_of[l]);
        for (unsigned nth = 1; nth <= 2; nth++) {
            struct slice_frame v = { 0, true };
            const struct slice_row *rows;
            char path[200];
            struct err err;
            struct slice *s;
            size_t n;

            path_of(path, "cpp");
            v.address = nth_return_of(path, "work", "stop", nth);
            s = make(path, NULL, &v, 1, &err);
            assert_non_null(s);
            rows = slice_rows(s, &n);
            assert_true(rows[0].line == 15 || rows[0].line == 17);
            assert_true(rows[0].line == 17 || place_of(s, 12) != 0);
            assert_true((rows[0].line == 17) ==
                        !!strstr(slice_unseen(s), "caught before t.cpp:17"));
            for (size_t i = 0; i < n; i++)
                assert_non_null(strstr(rows[i].file, "t.cpp"));
            slice_free(s);
        }
    }
}

/* In a module, which has no addresses: whole variables of its functions are known, and
 * what they are called. */
static void variables_in_a_module_of_fortran(void **state)
{
    static const char text[] =
        "module m\n"                                           /* 1 */
        "contains\n"
        "  subroutine swap(left, parts)\n"
        "    integer, intent(in) :: left, parts\n"
        "    integer :: req(16), part(64), i, n, tag, err\n"   /* 5 */
        "    n = 0\n"
        "    do i = 1, parts\n"                                /* 7 */
        "      tag = 20 + mod(i, parts)\n"                     /* 8 */
        "      n = n + 1\n"                                    /* 9 */
        "      call mpi_irecv(part(i), 1, 7, left, tag, 0, req(n), err)\n"
        "    end do\n"
        "    call mpi_waitall(n, req, part, err)\n"            /* 12 */
        "    if (err > part(1)) print *, tag\n"
        "  end subroutine\n"
        "end module\n"
        "program p\n"
        "  use m\n"
        "  call swap(1, command_argument_count() + 3)\n"
        "end program\n";
    static const char *const options[] = { "-O0", "-O2" };

    (void)state;
    put("m.f90", text);
    for (int l = 0; l < 2; l++) {
        struct slice_frame v = { 0, true };
        const struct slice_row *rows;
        char path[200];
        struct err err;
        struct slice *s;
        size_t n;

        run("cd %s && gfortran -g %s -o fort m.f90 -L. -lx", dir, options[l]);
        path_of(path, "fort");
        v.address = return_of(path, "__m_MOD_swap", "mpi_waitall_");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        rows = slice_rows(s, &n);
        assert_true(place_of(s, 10) && place_of(s, 8) && place_of(s, 7));
        assert_true(!place_of(s, 3) && !place_of(s, 4) && !place_of(s, 5));
        assert_string_equal(rows[place_of(s, 8) - 1].reason,
                            "sets `tag`, read at m.f90:10");
        slice_free(s);
    }
}

/* A method is any of those that classes have at its place; who gives memory, or gets
 * it back, sets nothing in it. */
static void methods_of_objects_and_memory_of_cxx(void **state)
{
    static const char text[] =
        "extern \"C\" int MPI_Recv(void *, int, void *, int, int, void *,\n"
        "                        void *);\n"
        "struct shape { virtual int next(int n) const = 0; };\n"
        "struct ring : shape { int next(int n) const override; };\n"
        "struct star : shape { int next(int n) const override; };\n"
        "int ring::next(int n) const\n"                        /* 6 */
        "{\n"
        "    return n + 2;\n"                                  /* 8 */
        "}\n"
        "int star::next(int n) const\n"
        "{\n"
        "    return n * 3;\n"                                  /* 12 */
        "}\n"
        "__attribute__((noinline)) int wait_for(shape **s, int which, int n)\n"
        "{\n"
        "    int *known = new int[2];\n"                       /* 16 */
        "    known[0] = s[which]->next(n);\n"                  /* 17 */
        "    for (int i = 2; i < n; i++) {\n"
        "        int *more = new int[i + 2];\n"
        "        more[0] = known[0] + i;\n"                    /* 20 */
        "        delete[] known;\n"                            /* 21 */
        "        known = more;\n"
        "    }\n"
        "    return MPI_Recv(0, 0, 0, known[0], 7, 0, 0) + 1;\n"
        "}\n"
        "int main(int argc, char **)\n"
        "{\n"
        "    shape *s[] = { new ring, new star };\n"
        "    return wait_for(s, argc - 1, argc + 1);\n"
        "}\n";
    static const char *const options[] = { "-O0", "-O2" };

    (void)state;
    if (system("command -v c++ >/dev/null"))
        skip();
    put("methods.cc", text);
    for (int l = 0; l < 2; l++) {
        struct slice_frame v = { 0, true };
        char path[200];
        struct err err;
        struct slice *s;

        run("cd %s && c++ -g %s -o methods methods.cc -L. -lx", dir, options[l]);
        path_of(path, "methods");
        v.address = return_of(path, "_Z8wait_forPP5shapeii", "MPI_Recv");
        s = make(path, NULL, &v, 1, &err);
        assert_non_null(s);
        assert_true(place_of(s, 8) && place_of(s, 12));
        assert_true(place_of(s, 17) && !place_of(s, 21));
        assert_true(l == 0 || place_of(s, 20));
        slice_free(s);
    }
}

/* Where the task is, is said of who calls them; without any lines there is no
 * slice. */
static void functions_without_lines_are_named(void **state)
{
    struct slice_frame v[2] = { { 0, true }, { 0, true } };
    const struct slice_row *rows;
    char path[200];
    struct err err;
    struct slice *s;
    size_t n;

    (void)state;
    put("a.c", "void stop(long x);\nvoid low(long x)\n{\n    stop(x);\n"
               "    stop(x + 1);\n}\n");
    put("b.c", "void low(long x);\nlong given;\nint main(void)\n{\n"
               "    low(given * 3);\n    return 0;\n}\n");
    put("c.c", "void stop(long x) { }\n");
    run("cd %s && cc -O0 -c a.c && cc -O0 -g -c b.c && "
        "cc -shared -fPIC -o liby.so c.c && cc -o mixed a.o b.o -L. -ly", dir);
    path_of(path, "mixed");
    v[0].address = return_of(path, "low", "stop");
    v[1].address = return_of(path, "main", "low");
    s = make(path, NULL, v, 2, &err);
    assert_non_null(s);
    rows = slice_rows(s, &n);
    assert_true(n > 0);
    assert_int_equal(rows[0].line, 5);
    assert_string_equal(rows[0].reason, "is here, in low");
    assert_non_null(strstr(slice_unseen(s), "what stop does, which is of a lib"));
    assert_non_null(strstr(slice_unseen(s), "built without -g: low"));
    slice_free(s);
    assert_null(make(path, NULL, v, 1, &err));
    assert_non_null(strstr(err.text, "no function that the task is in has"));
}

/* Who has jumped there in place of a call has no frame, but decides, and passes what is
 * read; also on the stack. */
static void who_has_jumped_there(void **state)
{
    static const char text[] =
        "#define OUT __attribute__((noinline, noclone))\n"      /* 1 */
        "volatile long seen;\n"
        "OUT void stop(long x)\n"
        "{ __asm__ volatile(\"mov %0, %0\" :: \"r\"(x)); }\n"
        "OUT void last(long a, long b, long c, long d, long e, long f, long g)\n"
        "{\n"
        "    if (g == 4)\n"                                     /* 7 */
        "        stop(a);\n"                                    /* 8 */
        "    seen = b;\n"
        "}\n"                                                   /* 10 */
        "OUT void middle(long a, long b, long c, long d, long e, long f, long g)\n"
        "{\n"
        "    if (a % 3 == seen)\n"                              /* 13 */
        "        return;\n"
        "    last(b * 7, 1, 2, 3, 4, 5, g + 6);\n"              /* 15 */
        "}\n"
        "OUT void first(long a, long b, long c, long d, long e, long f, long g)\n"
        "{\n"
        "    if (c != 3)\n"                                     /* 19 */
        "        middle(a, b, 5, d, e, f, g);\n"                /* 20 */
        "    else\n"
        "        seen = 8;\n"                                   /* 22 */
        "}\n"
        "int main(int argc, char **argv)\n"
        "{\n"                                                   /* 25 */
        "    long many = argc * 11L;\n"                         /* 26 */
        "    long tag = argc * 13L;\n"                          /* 27 */
        "    long other = argc * 17L;\n"                        /* 28 */
        "    first(argc, tag, 1, 2, other, 4, many);\n"         /* 29 */
        "    return (int)seen;\n"
        "}\n";
    static const unsigned inside[] = { 7, 8, 13, 15, 19, 20, 26, 27, 29 };
    struct slice_frame v[2] = { { 0, true }, { 0, true } };
    char path[200];
    struct err err;
    struct slice *s;

    (void)state;
    put("j.c", text);
    run("cd %s && cc -O2 -g -o jumps j.c", dir);
    path_of(path, "jumps");
    v[0].address = return_of(path, "last", "stop");
    v[1].address = return_of(path, "main", "first");
    s = make(path, NULL, v, 2, &err);
    assert_non_null(s);
    for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
        if (!place_of(s, inside[i]))
            fail_msg("line %u is missing", inside[i]);
    assert_int_equal(place_of(s, 28), 0);
    assert_int_equal(place_of(s, 12), 0);       /* a brace */
    slice_free(s);
}

static void no_slice_is_said_in_a_sentence(void **state)
{
    (void)state;
    run("cd %s && strip -o stripped O2 && cc -O2 -o plain f.c -L. -lx && "
        "cp O2 arm && printf '\\267' | "
        "dd of=arm bs=1 seek=18 conv=notrunc 2>/dev/null", dir);
    refuses("absent", NULL, 1, "cannot be read");
    refuses("stripped", NULL, 1, "stripped");
    refuses("plain", NULL, 1, "build it with -g");
    refuses("arm", NULL, 1, "x86-64 only");
    refuses("f.c", NULL, 1, "is no program");
    refuses("O2", "00112233", 1, "replaced");
    refuses("O2", NULL, 1, "in no function");
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    put("f.c", source);
    put("x.c", library);
    run("cd %s && cc -O2 -shared -fPIC -o libx.so x.c", dir);
    for (int l = 0; l < BUILDS; l++) {
        is_there[l] = strncmp(builds[l].how, "clang", 5) != 0 ||
                      system("command -v clang >/dev/null") == 0;
        if (is_there[l])
            run("cd %s && %s -w -fno-optimize-sibling-calls -Wl,--build-id "
                "-o %s f.c -L. -lx", dir, builds[l].how, builds[l].name);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    run("rm -rf %s", dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_global_that_a_call_sets),
        cmocka_unit_test(a_field_behind_a_pointer),
        cmocka_unit_test(a_value_that_the_caller_passes),
        cmocka_unit_test(a_variable_whose_address_is_given),
        cmocka_unit_test(variables_have_their_names),
        cmocka_unit_test(one_case_of_many),
        cmocka_unit_test(an_argument_that_a_call_leaves_alone),
        cmocka_unit_test(a_function_that_is_inlined),
        cmocka_unit_test(nearest_lines_come_first),
        cmocka_unit_test(who_asks_for_the_rank_is_nearer),
        cmocka_unit_test(a_message_with_the_tag_that_is_awaited_is_nearer),
        cmocka_unit_test(a_line_that_only_sets_0_is_farther),
        cmocka_unit_test(a_variable_of_the_file_by_its_address),
        cmocka_unit_test(an_address_on_the_stack),
        cmocka_unit_test(who_is_called_by_a_table),
        cmocka_unit_test(who_sends_may_be_called_by_a_table),
        cmocka_unit_test(what_all_decide_alike_is_farther),
        cmocka_unit_test(what_ends_a_loop_of_messages_is_near),
        cmocka_unit_test(a_line_that_was_folded_is_there),
        cmocka_unit_test(a_field_of_what_is_given_back),
        cmocka_unit_test(a_field_behind_a_pointer_of_the_file),
        cmocka_unit_test(what_is_received_differs),
        cmocka_unit_test(who_decides_that_a_sender_is_called),
        cmocka_unit_test(a_statement_of_which_nothing_is_left),
        cmocka_unit_test(one_of_two_variables_that_are_given),
        cmocka_unit_test(an_address_that_is_handed_on),
        cmocka_unit_test(a_pointer_that_is_moved),
        cmocka_unit_test(no_braces),
        cmocka_unit_test(calls_that_were_made_are_nearer),
        cmocka_unit_test(what_others_have_put_in),
        cmocka_unit_test(a_variable_that_is_always_the_same),
        cmocka_unit_test(loops_that_another_task_has_left_are_near),
        cmocka_unit_test(what_has_worked_before_is_farther),
        cmocka_unit_test(a_line_that_makes_nothing_is_farther),
        cmocka_unit_test(a_store_of_a_vector_writes),
        cmocka_unit_test(lines_of_libraries_are_not_shown),
        cmocka_unit_test(an_array_whose_pointer_is_put_aside),
        cmocka_unit_test(an_array_that_is_a_field),
        cmocka_unit_test(a_field_of_the_elements_of_an_array),
        cmocka_unit_test(an_address_that_is_in_a_record),
        cmocka_unit_test(a_copy_that_chooses_is_near),
        cmocka_unit_test(what_the_awaited_task_waits_for_is_nearer),
        cmocka_unit_test(a_field_that_a_message_fills),
        cmocka_unit_test(a_field_of_one_element_that_is_given),
        cmocka_unit_test(a_copy_of_how_many_tasks_there_are),
        cmocka_unit_test(what_was_sent_with_the_same_tag),
        cmocka_unit_test(a_line_that_only_counts_is_farther),
        cmocka_unit_test(variables_in_a_module_of_fortran),
        cmocka_unit_test(methods_of_objects_and_memory_of_cxx),
        cmocka_unit_test(functions_without_lines_are_named),
        cmocka_unit_test(who_has_jumped_there),
        cmocka_unit_test(no_slice_is_said_in_a_sentence),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
