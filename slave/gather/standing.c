/* standing.c - see standing.h. */
#include "slave/gather/standing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/model/whereabouts.h"

struct standing {
    struct witness *witness;    /* owned, as the next */
    struct whereabouts *are;
    uint32_t nasked;
};

static struct witness *open_question(const void *question, size_t bytes,
                                     struct err *err)
{
    void *copy = malloc(bytes + 1), *room = NULL;
    size_t need;

    if (!copy)
        return err_memory(err), NULL;
    memcpy(copy, question, bytes);      /* aligned */
    need = witness_room(copy, bytes);
    if (!need)
        err_set(err, EBADMSG, "this is no question about progress");
    else if (!(room = malloc(need)))
        err_memory(err);
    else
        witness_open(room, copy);
    free(copy);
    return room;
}

struct standing *standing_open(const void *question, size_t bytes,
                               uint32_t width, struct err *err)
{
    struct standing *s = calloc(1, sizeof(*s));
    struct hct_progress_question q;

    if (!s)
        return err_memory(err), NULL;
    if (!(s->witness = open_question(question, bytes, err)) ||
        !(s->are = whereabouts_create(width, err))) {
        standing_close(s);
        return NULL;
    }
    memcpy(&q, question, sizeof(q));
    s->nasked = q.nplaces;
    return s;
}

void standing_close(struct standing *s)
{
    if (!s)
        return;
    free(s->witness);
    free(s->are);
    free(s);
}

void standing_add(struct standing *s, const struct standing_task *t,
                  const struct witness_step *v, size_t n)
{
    const struct hct_place is = {
        .place = t->place, .call = t->call, .in = t->in,
        .asked = witness_task(s->witness, t->place, t->in, v, n) };

    whereabouts_put(s->are, t->position, &is);
}

int standing_write(struct standing *s, struct str *out, struct err *err)
{
    for (uint32_t j = 1; j < s->nasked; j++)
        for (uint32_t i = 0; i < j; i++)
            whereabouts_say(s->are, i, j, witness_says(s->witness, i, j));
    return whereabouts_write(s->are, NULL, 0, out, err);
}
