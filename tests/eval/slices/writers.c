/* writers.c - records that tasks keep in buffers of two files, and give to the
 * writer of their group when full: how many pieces first, then the pieces, each
 * when the writer asks. FAULT chooses one of its faults; the line that has it
 * is marked by its number. Nothing was chosen by it: it was written before, and
 * looked at afterwards. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 2, ROOM = 50, PIECE = 16, RECORDS = 220, FILES = 2 };
enum { TAG_HEAD, TAG_NEXT, TAG_PIECE, TAGS };

struct header { int pieces, words, last; };

struct file {
    int number, tags;           /* from this one on */
    int writer;                 /* rank of it */
    int members, closed;        /* of the group, by its writer */
    int buffer[ROOM], n;
    int dirty;
    long written;
};

struct task {
    int rank, size;
    struct file files[FILES];
};

static int writer_of(int rank)
{
#if FAULT == 1
    return rank / (GROUP + rank / 3) * GROUP;                   /*! 1 local */
#else
    return rank / GROUP * GROUP;
#endif
}

static void open_file(struct task *t, int number)
{
    struct file *f = &t->files[number];

    memset(f, 0, sizeof(*f));
    f->number = number;
#if FAULT == 2
    f->tags = 10 + (number - t->rank / 3) * TAGS;               /*! 2 memory */
#else
    f->tags = 10 + number * TAGS;
#endif
    f->writer = writer_of(t->rank);
#if FAULT == 3
    f->members = t->size / GROUP;                               /*! 3 memory */
#else
    f->members = GROUP - 1;
#endif
}

static int pieces_of(int words)
{
    return (words + PIECE - 1) / PIECE;
}

/* ------------------------------------------------------------ who has records */

__attribute__((noinline)) static void send_piece(struct file *f, int piece)
{
    int from = piece * PIECE;
    int words = f->n - from < PIECE ? f->n - from : PIECE;

    MPI_Ssend(f->buffer + from, words, MPI_INT, f->writer, f->tags + TAG_PIECE,
              MPI_COMM_WORLD);
}

static void send_buffer(struct file *f, int last)
{
    struct header h = { pieces_of(f->n), f->n, last };
    int ask;

#if FAULT == 4
    if (f->written > 100)
        h.pieces = f->n / PIECE + 1;                            /*! 4 memory */
#endif
    MPI_Send(&h, 3, MPI_INT, f->writer, f->tags + TAG_HEAD, MPI_COMM_WORLD);
    for (int i = 0; i < pieces_of(f->n); i++) {
        MPI_Recv(&ask, 1, MPI_INT, f->writer, f->tags + TAG_NEXT, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        send_piece(f, ask);
    }
    f->written += f->n;
    f->n = f->dirty = 0;
}

/* -------------------------------------------------------------- who writes it */

static void write_words(struct file *f, const int *words, int n)
{
    for (int i = 0; i < n; i++)
        f->written += words[i] > 0;
}

static int has_more(const struct file *f, const struct header *h, int piece)
{
#if FAULT == 5
    return piece < h->pieces - (f->written > 150);              /*! 5 local */
#else
    (void)f;
    return piece < h->pieces;
#endif
}

__attribute__((noinline)) static void take_buffer(struct file *f, int from)
{
    struct header h;
    int piece[PIECE], n;
    MPI_Status st;

    MPI_Recv(&h, 3, MPI_INT, from, f->tags + TAG_HEAD, MPI_COMM_WORLD, &st);
    for (int i = 0; has_more(f, &h, i); i++) {
        MPI_Send(&i, 1, MPI_INT, st.MPI_SOURCE, f->tags + TAG_NEXT,
                 MPI_COMM_WORLD);
        MPI_Recv(piece, PIECE, MPI_INT, st.MPI_SOURCE, f->tags + TAG_PIECE,
                 MPI_COMM_WORLD, &st);
        MPI_Get_count(&st, MPI_INT, &n);
        write_words(f, piece, n);
    }
#if FAULT == 6
    f->closed += h.last && h.words == ROOM;                     /*! 6 memory */
#else
    f->closed += h.last;
#endif
}

/* ------------------------------------------------------------------ all of them */

static int is_writer(const struct task *t, const struct file *f)
{
    return f->writer == t->rank;
}

static void append(struct task *t, struct file *f, int record)
{
    if (f->n == ROOM) {
        if (is_writer(t, f)) {
            write_words(f, f->buffer, f->n);
            f->n = 0;
        } else {
            send_buffer(f, 0);
        }
    }
    f->buffer[f->n++] = record;
#if FAULT == 7
    f->dirty |= record % 2 > f->number;                         /*! 7 memory */
#else
    f->dirty = 1;
#endif
}

static void close_file(struct task *t, struct file *f)
{
    if (!is_writer(t, f)) {
#if FAULT == 8
        int last = t->rank < 2 || f->number == 0;               /*! 8 local */
#else
        int last = 1;
#endif

        if (f->dirty)
            send_buffer(f, last);
        return;
    }
    while (f->closed < f->members)
        take_buffer(f, MPI_ANY_SOURCE);
    write_words(f, f->buffer, f->n);
}

static int records_of(const struct task *t, int number)
{
    int n = RECORDS + 7 * t->rank;

    return number ? n / 3 : n;
}

int main(int argc, char **argv)
{
    struct task t;
    long all = 0, mine = 0;
    int order[FILES] = { 0, 1 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.size);
    for (int i = 0; i < FILES; i++)
        open_file(&t, i);
    for (int i = 0; i < FILES; i++)
        for (int k = 0; k < records_of(&t, i); k++)
            append(&t, &t.files[i], k * t.size + t.rank + 1);
#if FAULT == 9
    order[0] = t.rank % 2;                                      /*! 9 local */
    order[1] = 1 - order[0];
#endif
    for (int i = 0; i < FILES; i++)
        close_file(&t, &t.files[order[i]]);
    for (int i = 0; i < FILES; i++)
        if (is_writer(&t, &t.files[i]))
            mine += t.files[i].written;
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (t.rank == 0)
        printf("%ld\n", all);
    return 0;
}
