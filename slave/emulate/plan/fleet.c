/* fleet.c - see fleet.h.
 *
 * Works and images are spread evenly over their orders of magnitude, as those
 * of real jobs are more or less; the gaps between arrivals are exponential. */
#include "slave/emulate/plan/fleet.h"

#include <math.h>
#include <stdlib.h>

#include "slave/emulate/trial/chance.h"

enum { TASKS_LOG2 = 6,          /* 1 to 32 tasks */
       EPOCH_S = 1800 };        /* others come and go */
enum lot {
    SLOTS,
    SPEED,
    FEATURE,
    TASKS,
    WORK,
    GAP,
    PRIORITY,
    IMAGE,
    NEEDS,
    TALKS,
    KNOWN,
    FIXED,
    OTHERS
};

/* One lot of one thing. */
static double lot(const struct fleet *f, enum lot what, uint64_t number)
{
    return chance_part(f->conf.seed * 64 + what, number);
}

/* From low to high, evenly over the orders of magnitude. */
static double spread(double part, double low, double high)
{
    return low * pow(high / low, part);
}

static void draw_host(struct fleet *f, uint32_t i)
{
    struct hct_host *h = &f->hosts[i];
    uint32_t slots = 4u << (uint32_t)(lot(f, SLOTS, i) * 3);
    uint32_t speed = (uint32_t)(lot(f, SPEED, i) * f->conf.speeds);

    *h = (struct hct_host){
        .id = i + 1, .slots = slots,
        .speed = (double)(speed + 1) / f->conf.speeds,
        .memory_bytes = (uint64_t)slots * 8 << 30,
        .disk_bytes = (uint64_t)1 << 40,
        .features = i == 0 || lot(f, FEATURE, i) < 0.8 ? FLEET_FEATURE : 0,
    };
    f->capacity += h->speed * h->slots;
}

static void draw_job(struct fleet *f, uint32_t i)
{
    struct fleet_job *j = &f->jobs[i];
    double known = lot(f, KNOWN, i);

    j->work_s = spread(lot(f, WORK, i), 60, 6000);
    j->bytes_s =
        lot(f, TALKS, i) < 0.5 ? 0 : spread(lot(f, TALKS, i), 1e4, 1e8);
    j->as = (struct hct_work){
        .id = i + 1, .first = f->ntasks,
        .ntasks = 1u << (uint32_t)(lot(f, TASKS, i) * TASKS_LOG2),
        .priority = (int32_t)(lot(f, PRIORITY, i) * 11) - 5,
        .flags = lot(f, FIXED, i) < 0.05 ? 0 : HCT_WORK_MOVABLE,
        .features = lot(f, NEEDS, i) < 0.2 ? FLEET_FEATURE : 0,
        .image_bytes = (uint64_t)spread(lot(f, IMAGE, i), 32e6, 1e9),
        .rest_s = known < 0.5 ? j->work_s : 0, .margin = 1,
    };
    f->ntasks += j->as.ntasks;
}

/* So far apart that the jobs need that part of all processors. */
static void draw_arrivals(struct fleet *f)
{
    double all_s = 0, at_s = 0, gap_s;

    for (uint32_t i = 0; i < f->conf.jobs; i++)
        all_s += f->jobs[i].work_s * f->jobs[i].as.ntasks;
    gap_s = all_s / (f->capacity * f->conf.load) / f->conf.jobs;
    for (uint32_t i = 0; i < f->conf.jobs; i++) {
        f->jobs[i].arrives_s = at_s;
        at_s -= gap_s * log(1 - lot(f, GAP, i));
    }
}

static int faster_first(const void *a, const void *b)
{
    const struct hct_host *x = *(const struct hct_host *const *)a;
    const struct hct_host *y = *(const struct hct_host *const *)b;

    return x->speed < y->speed   ? 1
           : x->speed > y->speed ? -1
           : x->id > y->id       ? 1
                                 : -1;
}

/* On the fastest nodes, and more than one task on a processor where that is not
 * slower than on the next. */
static double alone(const struct fleet *f, struct hct_host *const *by_speed,
                    uint32_t ntasks)
{
    uint64_t slots = 0;

    for (uint32_t i = 0; i < f->conf.nodes; i++) {
        slots += by_speed[i]->slots;
        if (slots >= ntasks)
            return by_speed[i]->speed;
    }
    return f->capacity / ntasks;
}

static int set_alone(struct fleet *f)
{
    struct hct_host **by_speed =
        calloc(f->conf.nodes, sizeof(struct hct_host *));

    if (!by_speed)
        return -1;
    for (uint32_t i = 0; i < f->conf.nodes; i++)
        by_speed[i] = &f->hosts[i];
    qsort(by_speed, f->conf.nodes, sizeof(struct hct_host *), faster_first);
    for (uint32_t i = 0; i < f->conf.jobs; i++)
        f->jobs[i].alone_s =
            f->jobs[i].work_s / alone(f, by_speed, f->jobs[i].as.ntasks);
    free(by_speed);
    return 0;
}

int fleet_draw(struct fleet *f, const struct fleet_conf *conf, struct err *err)
{
    *f = (struct fleet){ .conf = *conf };
    f->hosts = calloc(conf->nodes, sizeof(*f->hosts));
    f->jobs = calloc(conf->jobs, sizeof(*f->jobs));
    if (!f->hosts || !f->jobs)
        goto failed;
    for (uint32_t i = 0; i < conf->nodes; i++)
        draw_host(f, i);
    for (uint32_t i = 0; i < conf->jobs; i++)
        draw_job(f, i);
    draw_arrivals(f);
    if (set_alone(f) == 0)
        return 0;
failed:
    fleet_fini(f);
    return err_memory(err);
}

void fleet_fini(struct fleet *f)
{
    free(f->hosts);
    free(f->jobs);
    *f = (struct fleet){ .hosts = NULL };
}

static double others(const struct fleet *f, uint32_t host, double now_s)
{
    uint64_t epoch = (uint64_t)(now_s / EPOCH_S);

    return lot(f, OTHERS, epoch * f->conf.nodes + host);
}

/* One node of ten has somebody else's work, for a while. */
double fleet_load(const struct fleet *f, uint32_t host, double now_s)
{
    double part = others(f, host, now_s);

    return part < 0.1 ? f->hosts[host].slots * (0.5 + part * 5) : 0;
}

/* ... of whom every third is its owner. */
bool fleet_owned(const struct fleet *f, uint32_t host, double now_s)
{
    return others(f, host, now_s) < 0.1 / 3;
}

/* All processors cannot do what comes from then on any sooner, whenever that
 * is, and no job is sooner than alone. */
double fleet_bound(const struct fleet *f)
{
    double rest_s = 0, bound_s = 0;

    for (uint32_t i = f->conf.jobs; i-- > 0;) {
        const struct fleet_job *j = &f->jobs[i];

        rest_s += j->work_s * j->as.ntasks;
        bound_s = fmax(bound_s, j->arrives_s + rest_s / f->capacity);
        bound_s = fmax(bound_s, j->arrives_s + j->alone_s);
    }
    return bound_s;
}
