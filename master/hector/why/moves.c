/* moves.c - the moves of a job in words, see moves.h. */
#include "master/hector/why/moves.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

static const char *text_of(const char *text)
{
    return text ? text : "?";
}

static bool is_one(const char *ranks)
{
    return !strpbrk(text_of(ranks), ",-");
}

/* ", restored in 40.1 ms" */
static void add_part(struct str *to, const char **before, const char *what,
                     struct row_maybe ns)
{
    char time[HUMAN_MAX];

    if (!ns.known)
        return;
    str_addf(to, "%s%s in %s", *before, what, human_duration(time, ns.v));
    *before = ", ";
}

static void add_count(struct str *to, const char *before, uint32_t n,
                      const char *one, const char *many)
{
    if (n)
        str_addf(to, "%s%" PRIu32 " %s", before, n, n == 1 ? one : many);
}

static void add_parts(struct str *to, const struct query_move *m)
{
    const char *before = "  ";
    size_t had = to->n;
    char size[HUMAN_MAX], image[HUMAN_MAX + 30];

    add_part(to, &before, "node prepared", m->prepare_ns);
    add_part(to, &before, "collectives met and all stood", m->quiesce_ns);
    add_count(to, ", ", m->pushes, "push", "pushes");
    add_count(to, ", ", m->retreats, "retreat", "retreats");
    add_part(to, &before, "messages drained", m->drain_ns);
    add_part(to, &before, "places registered", m->places_ns);
    if (to->n > had)
        str_add(to, "\n");
    before = "  ";
    had = to->n;
    add_part(to, &before, "MPI dropped", m->apart_ns);
    snprintf(image, sizeof(image), "image%s of %sB sent", is_one(m->ranks)
             ? "" : "s", human_bytes(size, m->image_bytes));
    add_part(to, &before, image, m->image_ns);
    add_part(to, &before, "restored", m->restore_ns);
    add_part(to, &before, "MPI joined", m->join_ns);
    if (to->n > had)
        str_add(to, "\n");
}

static int on_move(void *arg, const struct query_move *m)
{
    struct str *to = arg;
    char at[HUMAN_MAX], stood[HUMAN_MAX];

    human_time(at, m->asked_ns, clock_wall_ns());
    str_addf(to, "%s move %" PRIu64 " of task%s %s from %s to %s: ", at,
             m->number, is_one(m->ranks) ? "" : "s", text_of(m->ranks),
             text_of(m->from_nodes), text_of(m->to_node));
    if (!m->result)
        str_add(to, "it has not ended\n");
    else if (strcmp(m->result, "done") == 0 && m->stood_ns.known)
        str_addf(to, "the job stood for %s\n",
                 human_duration(stood, m->stood_ns.v));
    else
        str_addf(to, "%s\n", m->result);
    add_parts(to, m);
    return 0;
}

/* Of the task that is read: where it was, one after the other. */
struct stays {
    struct str *to;             /* borrowed */
    struct str places;          /* "n1 until 14:03:59, n2" */
    char node[256];             /* the last one */
    uint64_t to_ns;             /* it was there until then */
    uint32_t rank, n;
};

static void end_place(struct stays *of)
{
    char until[HUMAN_MAX];

    if (of->n && of->to_ns)
        str_addf(&of->places, " until %s",
                 human_time(until, of->to_ns, clock_wall_ns()));
}

/* "task 1 was on n1 until 14:03:59, n2"; of one that was made again where it was
 * there is nothing to be said. */
static void end_task(struct stays *of)
{
    end_place(of);
    if (of->n > 1)
        str_addf(of->to, "task %" PRIu32 " was on %s\n", of->rank,
                 str_text(&of->places));
    str_fini(&of->places);
    of->n = 0;
}

static int on_stay(void *arg, const struct query_stay *s)
{
    struct stays *of = arg;

    if (of->n && of->rank != s->rank)
        end_task(of);
    if (of->n == 0 || strcmp(of->node, text_of(s->node)) != 0) {
        end_place(of);
        str_addf(&of->places, "%s%s", of->n ? ", " : "", text_of(s->node));
        snprintf(of->node, sizeof(of->node), "%s", text_of(s->node));
        of->n++;
    }
    of->rank = s->rank;
    of->to_ns = s->to_ns;
    return 0;
}

void moves_of_job(struct str *to, struct store *st, uint64_t job)
{
    struct stays of = { .to = to };

    query_moves(st, job, on_move, to, NULL);
    query_stays(st, job, on_stay, &of, NULL);
    end_task(&of);
}
