/* test_slow.c - the policy slow on simulated jobs, much faster than real time.
 * Without arguments, a short test; with
 *
 *   test_slow [real] RUNS [SEED]
 *
 * so many runs in which a rank, a node or all become slow, and so many in which
 * nothing does, printed as a table; real: on machines that others use, that are
 * looked at late, or that let a task have a part of a processor; with
 *
 *   test_slow speed TASKS
 *
 * what the policy costs. SLOW_SAY=1 prints a line a run, SLOW_ONE=N makes only
 * that one of a campaign. */
#include "tests/unit/slow_job.h"

#include <inttypes.h>
#include <libgen.h>

#include "master/watch/callclass.h"

struct run {
    struct slow_job j;
    uint64_t at_ns;             /* the first verdict; 0: none */
    bool right, region, early;
    bool as_it_is;              /* nobody is wrong, and that is what was said */
    uint64_t from_iteration;    /* at the fault */
};

static char object[4096];
static unsigned number;         /* of the run */

static double lot(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static bool is_blamed(const struct slow_job *j, uint32_t rank)
{
    const struct hct_verdict *v = &j->verdicts[0];

    for (uint32_t i = 0; i < v->nranks; i++)
        if (j->blamed[v->ranks + i] == rank)
            return true;
    return false;
}

/* Who should be is, and nobody else. */
static bool is_right(const struct slow_job *j)
{
    bool right = j->verdicts[0].nranks > 0 || j->kind == SLOW_ALL;
    bool node = j->kind == SLOW_NODE || j->kind == SLOW_CROWDED;
    uint32_t there = 0;

    for (uint32_t i = 0; i < j->tasks; i++)
        right &= is_blamed(j, i) ==
                 (j->kind == SLOW_RANK || j->kind == SLOW_STARVED ? i == j->target
                  : node ? slow_node(j, i) == j->target : false);
    for (uint32_t i = 0; i < j->tasks; i++)
        there += slow_node(j, i) == j->target;
    if (node && there > 1)
        right &= strncmp(j->lines[j->verdicts[0].lines].text, "node ", 5) == 0;
    return right;
}

static bool says(const struct slow_job *j, const char *words)
{
    return strstr(j->lines[j->verdicts[0].lines].text, words) != NULL;
}

static bool names_step(const struct slow_job *j)
{
    return says(j, "between MPI_Waitall and MPI_Allreduce");
}

/* Some programs are slower than they were, and it is no fault of anybody's. */
static bool says_what_it_is(const struct slow_job *j)
{
    switch (j->kind) {
    case SLOW_TURBO:            /* all are, by their clock if that is known */
        return j->verdicts[0].nranks == 0 && !says(j, "instructions") &&
               !says(j, "memory");
    case SLOW_CROWDED:          /* that node, which others use */
        return is_right(j) && says(j, "kept from the processor");
    default:
        return false;
    }
}

static bool go(struct run *r, double end_s, uint64_t seed)
{
    struct slow_job *j = &r->j;
    bool faulty = j->kind >= SLOW_RANK;

    if (!slow_open(j, object, seed))
        return false;
    if (faulty) {
        r->early = slow_until(j, HCT_SLOWDOWN, j->at_s) != 0;
        r->from_iteration = j->iterations;
    }
    r->at_ns = slow_until(j, HCT_SLOWDOWN, end_s);
    if (r->at_ns) {
        r->right = is_right(j);
        /* Who is starved is so in all steps. */
        r->region = names_step(j) || j->kind == SLOW_STARVED;
        r->as_it_is = says_what_it_is(j);
    }
    if (getenv("SLOW_SAY"))
        printf("# %u %s %s%s%s x%.2f at %.1f of %u, %u tasks, %u nodes, %.3f s, "
               "spread %.2f %.2f, every %.0f, late %.2f apart %.2f load %.1f quota "
               "%.2f: %.1f s: %s\n",
               number,
               !r->at_ns ? "NONE" : (r->right && r->region) || r->as_it_is
                                        ? "good" : "WRONG",
               slow_kinds[j->kind], j->also ? ", amid: " : "",
               j->also ? slow_kinds[j->also] : "", j->factor, j->at_s,
               j->target, j->tasks, j->nodes, j->iteration_s, j->spread,
               j->common, j->every_s,
               j->late_s, j->apart_s, j->load, j->quota,
               (double)r->at_ns / 1e9,
               r->at_ns ? j->lines[j->verdicts[0].lines].text : "");
    return true;
}

/* ----------------------------------------------------------- short test */

static unsigned n_tests, n_failed;

static void test(bool good, const char *what)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++n_tests, what);
    n_failed += !good;
}

static struct slow_job usual(enum slow_kind kind, double factor)
{
    return (struct slow_job){
        .kind = kind, .tasks = 8, .nodes = 2,
        .target = kind == SLOW_NODE ? 1 : 3,
        .iteration_s = 0.02, .spread = 0.05, .common = 0.02, .transfer = 0.1,
        .factor = factor, .at_s = 30, .until_s = 1e9, .every_s = 12 };
}

static void found(enum slow_kind kind, double factor, const char *what)
{
    struct run r = { .j = usual(kind, factor) };
    char text[200];

    if (!go(&r, 60, 7)) {
        test(false, what);
        return;
    }
    snprintf(text, sizeof(text), "%s by %.1f: after %.1f s", what, factor,
             (double)r.at_ns / 1e9 - 30);
    test(!r.early && r.at_ns && r.right && r.region, text);
    slow_close(&r.j);
}

/* ... in a job that does something else, too. */
static void found_amid(enum slow_kind also, double every_s, const char *what)
{
    bool good = true;

    for (uint64_t seed = 1; seed < 6; seed++) {
        struct run r = { .j = usual(SLOW_NODE, 2) };

        r.j.also = also;
        r.j.quicker = also == SLOW_GUSTS ? 4 : 1;
        r.j.every_s = every_s;
        r.j.at_s = 64;
        good &= go(&r, 90, seed) && !r.early && r.at_ns && r.right && r.region;
        slow_close(&r.j);
    }
    test(good, what);
}

static void set_turns(struct slow_job *j, double s)
{
    j->every_s = j->kind == SLOW_ALTERNATES ? 0.2 + s / 10
                 : slow_is(j, SLOW_CHECKPOINT) ? 15 + s
                 : j->also == SLOW_PHASES ? 16 * slow_length_s(j) + s : s;
}

/* All compute longer, by little of what they wait longer. */
static void silent_busy(void)
{
    bool good = true;

    for (uint64_t seed = 1; seed < 6; seed++) {
        struct run r = { .j = usual(SLOW_GUSTS, 1) };

        r.j.transfer = 3;
        r.j.every_s = 20;
        good &= go(&r, 200, seed) && !r.at_ns;
        slow_close(&r.j);
    }
    test(good, "... on a busy machine");
}

static void found_of_many(uint32_t tasks, const char *what)
{
    struct run r = { .j = usual(SLOW_RANK, 2) };

    r.j.tasks = tasks;
    r.j.nodes = 1 + tasks / 64;
    r.j.iteration_s = 0.2;
    test(go(&r, 60, 1) && !r.early && r.at_ns && r.right && r.region, what);
    slow_close(&r.j);
}

/* Each with the three targets that some kinds differ in. */
static void silent(enum slow_kind kind, double factor, const char *what)
{
    bool good = true;

    for (uint32_t target = 3; target < 6; target++) {
        struct run r = { .j = usual(kind, factor) };

        r.j.target = kind == SLOW_CROWDED   ? target % 2
                     : kind == SLOW_REFINES ? target | 1 : target;
        set_turns(&r.j, r.j.every_s);
        good &= go(&r, 200, 9) && (!r.at_ns || r.as_it_is);
        slow_close(&r.j);
    }
    test(good, what);
}

static void over(void)
{
    struct run r = { .j = usual(SLOW_RANK, 2) };

    r.j.until_s = 70;
    test(go(&r, 60, 3) && r.at_ns &&
             slow_until(&r.j, HCT_PROGRESS, 70) == 0 &&
             slow_until(&r.j, HCT_PROGRESS, 90) > 0,
         "one that is as fast as before again is taken back, and not before");
    slow_close(&r.j);
}

static void second(void)
{
    struct run r = { .j = usual(SLOW_RANK, 2) };

    r.j.second_s = 60;
    test(go(&r, 60, 5) && r.at_ns &&
             slow_until(&r.j, HCT_SLOWDOWN, 60) == 0 &&
             slow_until(&r.j, HCT_SLOWDOWN, 80) > 0 && is_blamed(&r.j, 3) &&
             is_blamed(&r.j, 4) && r.j.verdicts[0].nranks == 2 &&
             slow_until(&r.j, HCT_SLOWDOWN, 200) == 0,
         "a second one is told when it is slow, too, and once");
    slow_close(&r.j);
}

/* What lasts for so long that nobody can know at first that it is usual. */
static void comes_again(double lasts_s, const char *what)
{
    struct run r = { .j = usual(SLOW_ALTERNATES, 2) };

    r.j.every_s = 30;
    r.j.lasts_s = lasts_s;
    test(go(&r, 70, 5) && r.at_ns && r.j.verdicts[0].nranks == 0 &&
             slow_until(&r.j, HCT_SLOWDOWN, 400) == 0, what);
    slow_close(&r.j);
}

/* As it is on real machines, with five seeds. */
static void found_on(struct slow_job j, const char *what)
{
    bool good = true;

    for (uint64_t seed = 1; seed < 6; seed++) {
        struct run r = { .j = j };

        good &= go(&r, j.at_s + 30, seed) && !r.early && r.at_ns && r.right &&
                (r.region || j.no_models) &&
                (j.kind != SLOW_STARVED || says(&r.j, ", kept from the processor"));
        slow_close(&r.j);
    }
    test(good, what);
}

/* Long iterations, of which others on the machine make seconds more: before it
 * was slow there were some twenty, or a dozen of each phase. Of five such jobs
 * so many are found within as many. */
static void found_in_few_rounds(enum slow_kind also, unsigned least,
                                const char *what)
{
    unsigned n = 0;

    for (uint64_t seed = 1; seed < 6; seed++) {
        struct run r = { .j = usual(SLOW_RANK, 2) };

        r.j.iteration_s = 2.5;
        r.j.load = 5;
        r.j.also = also;
        r.j.every_s = 6 * slow_length_s(&r.j);
        r.j.at_s = 24 * slow_length_s(&r.j);
        n += go(&r, r.j.at_s + 40 * slow_length_s(&r.j), seed) && !r.early &&
             r.at_ns && r.right && r.region &&
             r.j.iterations - r.from_iteration <= 24;
        slow_close(&r.j);
    }
    test(n >= least, what);
}

/* The pace falls again, by chance, when somebody has been found once in four
 * windows: it is not what is usual from then on. */
static void found_though_pace_falls(void)
{
    struct run r = { .j = usual(SLOW_NODE, 2.5) };

    r.j.tasks = 13;
    r.j.nodes = 3;
    r.j.target = 2;
    r.j.iteration_s = 0.002;
    r.j.spread = 0.08;
    r.j.late_s = 0.2;
    r.j.load = 8;
    r.j.at_s = 47;
    test(go(&r, 87, 209) && !r.early && r.at_ns && r.right && r.region,
         "... though the pace falls again");
    slow_close(&r.j);
}

static void found_on_real_machines(void)
{
    struct slow_job j = usual(SLOW_RANK, 2);

    j.late_s = 0.3;
    j.apart_s = 0.1;
    found_on(j, "a rank slow, of looks that come late and nodes read apart");
    j = usual(SLOW_RANK, 3);    /* of few tasks: else work may have moved */
    j.tasks = 4;
    j.iteration_s = 0.05;
    j.load = 3;
    found_on(j, "... where all have to wait for a processor");
    j = usual(SLOW_RANK, 3);
    j.iteration_s = 0.05;
    j.quota = 0.6;
    found_on(j, "... where each has a part of one");
    j = usual(SLOW_STARVED, 4); /* ... and one of them less than that */
    j.iteration_s = 0.05;
    found_on(j, "... a rank that has less of its processor than others");
    j.load = 2;
    j.factor = 8;
    found_on(j, "... and on a machine that others use");
    j = usual(SLOW_RANK, 2);
    j.transfer = 4;             /* others have had the machine */
    j.eases = 0.3;
    found_on(j, "... while the job becomes faster");
    j = usual(SLOW_RANK, 2.5);
    j.also = SLOW_GUSTS;        /* from 60 to 72 */
    j.transfer = 2;
    j.at_s = 64;
    found_on(j, "... some seconds after what lies between takes longer");
    j.kind = SLOW_ALL;
    j.factor = 2;
    found_on(j, "... or all, some seconds after that");
    found_though_pace_falls();
    found_in_few_rounds(SLOW_CLEAN, 4, "... of few and long iterations");
    found_in_few_rounds(SLOW_PHASES, 3, "... and of fewer in each phase");
    j = usual(SLOW_RANK, 2);
    j.no_models = true;
    found_on(j, "... whose models do not come");
}

/* All have to wait for processors, now more, now less. */
static void silent_on_busy_machine(void)
{
    bool good = true;

    for (uint64_t seed = 1; seed < 9; seed++) {
        struct run r = { .j = usual(SLOW_CLEAN, 1) };

        r.j.load = 10;
        r.j.iteration_s = 0.01;
        good &= go(&r, 200, seed) && !r.at_ns;
        slow_close(&r.j);
    }
    test(good, "... whose tasks have to wait for processors, now longer");
}

/* Others come to a machine that others use already: what is left of their time when
 * the load is taken off is no work that all have more of. */
static void silent_where_load_comes(void)
{
    bool good = true;

    for (uint64_t seed = 1; seed < 9; seed++) {
        struct run r = { .j = usual(SLOW_OVERLOAD, 3) };

        r.j.iteration_s = 0.002;
        r.j.tasks = 12;
        r.j.at_s = 60;
        r.j.load = 4;
        good &= go(&r, 140, seed) && !r.at_ns;
        slow_close(&r.j);
    }
    test(good, "... nor where others come to others");
}

/* Is what is simulated like what was measured? Four tasks amid eight others on each
 * processor: rounds with 10, 50 and 200 ms of work took so many times as long
 * outside of MPI, and work of 0.5 ms was not kept. */
static void like_measured(void)
{
    static const double work[] = { 0.001, 0.01, 0.05, 0.2 };
    static const double times[] = { 1, 9.9, 9, 9.5 };
    bool good = true;

    for (unsigned i = 0; i < 4; i++) {
        struct run r = { .j = usual(SLOW_CLEAN, 1) };
        double out = 0;

        r.j.tasks = 4;
        r.j.iteration_s = work[i];
        r.j.load = 8;
        good &= go(&r, 600, 3);
        for (uint32_t k = 0; k < 4; k++)
            out += (double)r.j.task[k].out_ns / 4;
        out /= (double)r.j.iterations * work[i] * 1e9;
        printf("# %.0f ms of work: %.1f times as long, %.1f measured\n",
               1000 * work[i], out, times[i]);
        good &= out > 0.7 * times[i] && out < 1.4 * times[i];
        slow_close(&r.j);
    }
    test(good, "a machine that others use is simulated as it was measured");
}

/* Why is it slow, of a rank and of all? */
static void explained(enum slow_counts counts, const char *says)
{
    bool good = true;

    for (unsigned i = 0; i < 8; i++) {
        struct run r = { .j = usual(i % 2 ? SLOW_ALL : SLOW_RANK,
                                    i < 4 ? 1.5 : 3) };

        r.j.counts = counts;
        r.j.iteration_s = i % 4 < 2 ? 0.02 : 0.3;
        good &= go(&r, 90, i + 1) && !r.early && r.at_ns && r.right &&
                strstr(r.j.lines[r.j.verdicts[0].lines].text, says);
        slow_close(&r.j);
    }
    printf("# %s\n", says);
    test(good, "why is told, of one and of all");
}

static int quick(void)
{
    static const double factors[] = { 1.5, 2, 4 };

    for (unsigned i = 0; i < 3; i++) {
        found(SLOW_RANK, factors[i], "a rank slow");
        found(SLOW_NODE, factors[i], "a node slow");
        found(SLOW_ALL, factors[i], "all slow");
    }
    silent(SLOW_CLEAN, 1, "a clean run is not slow");
    silent(SLOW_IMBALANCE, 1, "nor one with imbalance");
    silent(SLOW_WANDERS, 1.8, "nor one whose work wanders");
    silent(SLOW_SPREADS, 1.8, "... from all to one");
    silent(SLOW_PHASES, 3, "nor one with a heavier phase");
    silent(SLOW_UNMARKED, 3, "... that nobody has marked, of other steps");
    silent(SLOW_OUTPUT, 2, "nor one with a task that writes now and then");
    silent(SLOW_BYTES, 2, "nor one whose calls move more");
    silent(SLOW_OVERLOAD, 2, "nor one that has to wait for processors");
    silent(SLOW_STALL, 4, "nor a short stall");
    silent(SLOW_STARTS, 2, "nor one that has less to do in the first seconds");
    silent(SLOW_ALTERNATES, 2, "nor one that does much and little in turn");
    silent(SLOW_CHECKPOINT, 2, "nor one that writes checkpoints");
    silent(SLOW_PRINTS, 1, "nor one whose first task prints");
    silent(SLOW_ASKS, 1, "nor one that waits for input, more and less");
    silent(SLOW_FARM, 1, "nor one that works on pieces of any length");
    silent(SLOW_MIX, 2, "nor one with more of its costly rounds");
    silent(SLOW_HELD, 1, "nor one that was suspended, moved or stopped");
    silent(SLOW_OUTPUT, 0.26, "... nor one of which a task is moved in a moment");
    silent(SLOW_CHECKPOINT, 0.26, "... or all stand for one, now and then");
    silent(SLOW_ENDS, 1, "nor one of which a task is through early");
    silent(SLOW_TAILS, 1, "nor one with long tails");
    silent(SLOW_GUSTS, 1, "nor one that has its network not for itself");
    silent_busy();
    silent_on_busy_machine();
    silent_where_load_comes();
    silent(SLOW_GATHERS, 2, "nor one in which work gathers, and more to send");
    silent(SLOW_GROWS, 2, "nor one whose work grows bit by bit");
    silent(SLOW_DRIFTS, 1.8, "... or drifts to one task");
    silent(SLOW_STORM, 2, "... or moves through all, as a storm does");
    silent(SLOW_BALANCED, 1.6, "nor one whose work is balanced, once");
    silent(SLOW_REFINES, 1.5, "nor one whose mesh adapts");
    silent(SLOW_WARMS, 2, "nor one that compiles its code as it runs");
    silent(SLOW_TURBO, 1.3, "a clock that falls is all tasks', and said");
    silent(SLOW_DOUBLES, 1, "nor a sweep of sizes");
    silent(SLOW_CROWDED, 2, "who shares a node with another job is kept from the "
                            "processor");
    found_of_many(1000, "one of a thousand is found");
    found_of_many(4000, "... of four thousand");
    found_amid(SLOW_PHASES, 16, "one that becomes slow with a phase is found");
    found_amid(SLOW_GUSTS, 3, "... and amid changes of what lies between");
    found_amid(SLOW_OUTPUT, 20, "... and of a task that writes now and then");
    comes_again(0, "of two amounts of work that nobody has marked the larger "
                   "is told once");
    comes_again(10, "... also if it is seldom");
    like_measured();
    found_on_real_machines();
    explained(SLOW_COUNTS_WORK, " times the instructions, since");
    explained(SLOW_COUNTS_MEMORY, ", memory is slow (");
    explained(SLOW_COUNTS_CLOCK, " % of the clock, since");
    over();
    second();
    printf("1..%u\n", n_tests);
    return n_failed != 0;
}

/* ------------------------------------------------------------- campaign */

static bool real;

/* Half of them have each of these: what a real machine does. */
static void draw_real(struct slow_job *j, uint64_t *seed)
{
    uint32_t of = (uint32_t)(16 * lot(seed));

    if (of & 1)
        j->late_s = 0.4 * lot(seed);
    if (of & 2)
        j->apart_s = 0.1 * lot(seed);
    if (of & 4)
        j->load = 11 * lot(seed);
    if (of & 8)
        j->quota = 0.3 + 0.6 * lot(seed);
}

static struct slow_job drawn(enum slow_kind kind, uint64_t *seed)
{
    static const double lengths[] = { 0.002, 0.01, 0.05, 0.2, 1, 2.5 };
    struct slow_job j = usual(kind, 1.2 + 2.8 * lot(seed));

    j.tasks = 4 + (uint32_t)(lot(seed) * 13);
    j.nodes = 2 + (uint32_t)(lot(seed) * 2);
    j.target = (uint32_t)(lot(seed) *
                          (kind == SLOW_NODE || kind == SLOW_CROWDED ? j.nodes
                                                                     : j.tasks));
    j.iteration_s = lengths[(unsigned)(lot(seed) * 6)];
    j.spread = 0.01 + 0.09 * lot(seed);
    j.common = 0.05 * lot(seed);
    j.transfer = 0.05 + 0.4 * lot(seed);
    if (real)
        draw_real(&j, seed);
    j.at_s = 20 + 60 * lot(seed) + 24 * slow_length_s(&j);
    set_turns(&j, 3 + 40 * lot(seed));
    if (kind == SLOW_STALL)
        j.factor = 1 + 5 * lot(seed);
    if (kind == SLOW_TURBO) {
        j.factor = 1.05 + 0.4 * lot(seed);
        j.counts = SLOW_COUNTS_CLOCK;
    }
    if (kind == SLOW_CROWDED)
        j.until_s = j.at_s + 5 + 60 * lot(seed);
    if (kind == SLOW_WANDERS || kind == SLOW_DRIFTS || kind == SLOW_BALANCED)
        j.factor = 1.2 + 0.7 * lot(seed);
    return j;
}

/* Between what bounds it is, of so many, in 95 %: Wilson, Probable inference, 1927. */
static void print_bounds(unsigned n, unsigned of)
{
    double p = of ? (double)n / of : 0, z2 = 1.96 * 1.96, all = fmax(of, 1);
    double middle = (p + z2 / (2 * all)) / (1 + z2 / all);
    double half = 1.96 / (1 + z2 / all) *
                  sqrt(p * (1 - p) / all + z2 / (4 * all * all));

    printf("%u of %u (%.1f %%, 95 %%: %.1f to %.1f)", n, of, 100 * p,
           100 * (middle - half), 100 * (middle + half));
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

struct row { unsigned runs, found, right, region, early, large, large_good, n;
             double delay_s[4096], delay_i[4096]; };

static double median(double *v, unsigned n)
{
    qsort(v, n, sizeof(*v), by_size);
    return n ? v[n / 2] : 0;
}

static void count(struct row *w, const struct run *r)
{
    bool good = r->at_ns && r->right && r->region && !r->early;

    w->runs++;
    w->found += r->at_ns != 0 && !r->as_it_is;
    w->right += r->right;
    w->region += r->region;
    w->early += r->early;
    if (r->j.factor >= 1.5) {
        w->large++;
        w->large_good += good;
    }
    if (r->at_ns && w->n < 4096) {
        w->delay_s[w->n] = (double)r->at_ns / 1e9 - r->j.at_s;
        w->delay_i[w->n++] = (double)(r->j.iterations - r->from_iteration);
    }
}

enum { OTHERS = 5 };            /* what else those do that become slow */

struct sum { unsigned alarms, clean, large, good, of[30], of_good[30]; };

static void print_row(const char *name, struct row *w, bool faulty,
                      struct sum *sum)
{
    printf("%-27s %5u %5u", name, w->runs, w->found);
    if (!faulty) {
        printf("\n");
        sum->alarms += w->found;
        sum->clean += w->runs;
        return;
    }
    printf(" %5u %4u %5u | %8.1f %11.0f | %u of %u\n", w->right, w->region,
           w->early, median(w->delay_s, w->n), median(w->delay_i, w->n),
           w->large_good, w->large);
    sum->alarms += w->early;
    sum->large += w->large;
    sum->good += w->large_good;
}

static bool one(struct slow_job j, struct row *w, struct sum *sum,
                uint64_t seed)
{
    const char *only = getenv("SLOW_ONE");
    struct run r = { .j = j };
    unsigned at = (unsigned)((j.factor - 1) * 10);
    double length_s = slow_length_s(&j);
    double end_s = j.kind < SLOW_RANK ? 300 + 24 * (length_s - j.iteration_s)
                                      : j.at_s + 60 + 40 * length_s * j.factor +
                                        (j.also ? 3 * j.every_s : 0);

    number++;
    if (only && number != (unsigned)atoi(only))
        return true;
    if (!go(&r, end_s, seed))
        return false;
    count(w, &r);
    if (j.kind >= SLOW_RANK && !j.also) {
        sum->of[at]++;
        sum->of_good[at] += r.at_ns && r.right && r.region && !r.early;
    }
    slow_close(&r.j);
    return true;
}

/* Most of those that become slow are of rounds that are all alike, the others do
 * what else a program does. */
static int campaign(unsigned runs, uint64_t seed)
{
    static const enum slow_kind others[] = { SLOW_PHASES, SLOW_OUTPUT,
                                             SLOW_CHECKPOINT, SLOW_PRINTS,
                                             SLOW_GUSTS };
    static struct row row[SLOW_KINDS], amid[OTHERS];
    struct sum sum = { 0 }, starved = { 0 };
    uint64_t more = seed + 1;   /* what those are that are starved */
    double least = 4;
    char name[40];

    for (unsigned i = 0; i < runs; i++) {
        enum slow_kind healthy = (enum slow_kind)(i % SLOW_RANK);
        enum slow_kind kind = SLOW_RANK + i % 3;
        struct slow_job j = drawn(kind, &seed);

        if (!one(drawn(healthy, &seed), &row[healthy], &sum, seed) ||
            !one(j, &row[kind], &sum, seed))
            return 1;
        if (i % 4 == 1 && !one(drawn(SLOW_STARVED, &more), &row[SLOW_STARVED],
                               &starved, more))
            return 1;
        if (i % 4)
            continue;
        j = drawn(SLOW_RANK + i / 4 % 2, &seed);
        j.also = others[i / 8 % OTHERS];
        set_turns(&j, 3 + 40 * lot(&seed));
        if (!one(j, &amid[i / 8 % OTHERS], &sum, seed))
            return 1;
    }
    printf("simulated                   runs  said right step early | median s  "
           "iterations | >= 1.5\n");
    for (unsigned k = 0; k < SLOW_KINDS; k++)
        print_row(slow_kinds[k], &row[k], k >= SLOW_RANK,
                  k == SLOW_STARVED ? &starved : &sum);
    for (unsigned k = 0; k < OTHERS; k++) {
        snprintf(name, sizeof(name), "amid: %s", slow_kinds[others[k]]);
        print_row(name, &amid[k], true, &sum);
    }
    for (unsigned at = 29;
         at > 0 && (!sum.of[at] || sum.of_good[at] * 20 >= sum.of[at] * 19); at--)
        least = 1 + at / 10.0;
    printf("found with the right rank, node and step at factors >= 1.5: ");
    print_bounds(sum.good, sum.large);
    printf("; false alarms ");
    print_bounds(sum.alarms, sum.clean);
    printf("; 95 %% are found from a factor of %.1f on\n", least);
    return sum.good * 100 >= sum.large * 99 && sum.alarms * 100 <= sum.clean ? 0
                                                                            : 1;
}

/* A job of so many tasks, for a minute, in which one becomes slow. */
static int speed(uint32_t tasks)
{
    struct run r = { .j = usual(SLOW_RANK, 2) };
    struct slow_job *j = &r.j;

    j->tasks = tasks;
    j->nodes = 1 + tasks / 64;
    j->iteration_s = 0.2;
    j->at_s = 30;
    if (!go(&r, 60, 1))
        return 1;
    printf("slow said after %.1f s, %s: %u tasks, %" PRIu64 " looks: %.3f %% of a "
           "processor, %.1f us each, %.1f bytes a task\n",
           (double)r.at_ns / 1e9 - j->at_s, r.right ? "right" : "wrong", tasks,
           j->in.seq, 100 * j->step_s / ((double)j->now_ns / 1e9),
           1e6 * j->step_s / (double)j->in.seq,
           (double)j->policy->state_bytes(&j->job, NULL) / tasks);
    slow_close(j);
    return 0;
}

int main(int argc, char **argv)
{
    char self[2048];

    snprintf(self, sizeof(self), "%s", argv[0]);
    snprintf(object, sizeof(object), "%s/../lib/policies/slow.so",
             dirname(self));
    if (argc > 2 && strcmp(argv[1], "speed") == 0)
        return speed((uint32_t)atoi(argv[2]));
    if (argc > 2 && strcmp(argv[1], "real") == 0) {
        real = true;
        argv++;
        argc--;
    }
    if (argc > 1)
        return campaign((unsigned)atoi(argv[1]),
                        argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
    return quick();
}
