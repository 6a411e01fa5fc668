/* program_print.c - programs for people to read. */
#include "tests/sim/program.h"

static const struct { const char *name; bool peer, tag, request; }
kinds[OP_KINDS] = {
    [OP_COMPUTE] = { "compute", 0, 0, 0 }, [OP_SLEEP] = { "sleep", 0, 0, 0 },
    [OP_FOREVER] = { "loop for ever", 0, 0, 0 },
    [OP_THREAD] = { "other thread sends", 1, 1, 0 },
    [OP_SEND] = { "MPI_Send", 1, 1, 0 }, [OP_SSEND] = { "MPI_Ssend", 1, 1, 0 },
    [OP_BSEND] = { "MPI_Bsend", 1, 1, 0 },
    [OP_RSEND] = { "MPI_Rsend", 1, 1, 0 },
    [OP_ISEND] = { "MPI_Isend", 1, 1, 1 },
    [OP_ISSEND] = { "MPI_Issend", 1, 1, 1 },
    [OP_IBSEND] = { "MPI_Ibsend", 1, 1, 1 },
    [OP_SEND_INIT] = { "MPI_Send_init", 1, 1, 1 },
    [OP_SSEND_INIT] = { "MPI_Ssend_init", 1, 1, 1 },
    [OP_RECV] = { "MPI_Recv", 1, 1, 0 }, [OP_IRECV] = { "MPI_Irecv", 1, 1, 1 },
    [OP_RECV_INIT] = { "MPI_Recv_init", 1, 1, 1 },
    [OP_SENDRECV] = { "MPI_Sendrecv", 1, 1, 0 },
    [OP_PROBE] = { "MPI_Probe", 1, 1, 0 },
    [OP_IPROBE] = { "MPI_Iprobe", 1, 1, 0 },
    [OP_START] = { "MPI_Start", 0, 0, 1 },
    [OP_WAIT] = { "MPI_Wait", 0, 0, 0 },
    [OP_WAITALL] = { "MPI_Waitall", 0, 0, 0 },
    [OP_WAITANY] = { "MPI_Waitany", 0, 0, 0 },
    [OP_WAITSOME] = { "MPI_Waitsome", 0, 0, 0 },
    [OP_TEST] = { "MPI_Test", 0, 0, 0 },
    [OP_TESTALL] = { "MPI_Testall", 0, 0, 0 },
    [OP_TESTANY] = { "MPI_Testany", 0, 0, 0 },
    [OP_REQUEST_FREE] = { "MPI_Request_free", 0, 0, 1 },
    [OP_CANCEL] = { "MPI_Cancel", 0, 0, 1 },
    [OP_BARRIER] = { "MPI_Barrier", 0, 0, 0 },
    [OP_ALLREDUCE] = { "MPI_Allreduce", 0, 0, 0 },
    [OP_ALLGATHER] = { "MPI_Allgather", 0, 0, 0 },
    [OP_BCAST] = { "MPI_Bcast", 1, 0, 0 },
    [OP_SCATTER] = { "MPI_Scatter", 1, 0, 0 },
    [OP_REDUCE] = { "MPI_Reduce", 1, 0, 0 },
    [OP_GATHER] = { "MPI_Gather", 1, 0, 0 },
    [OP_SCAN] = { "MPI_Scan", 0, 0, 0 },
    [OP_IBARRIER] = { "MPI_Ibarrier", 0, 0, 1 },
    [OP_IALLREDUCE] = { "MPI_Iallreduce", 0, 0, 1 },
    [OP_IBCAST] = { "MPI_Ibcast", 1, 0, 1 },
    [OP_IREDUCE] = { "MPI_Ireduce", 1, 0, 1 },
    [OP_DUP] = { "MPI_Comm_dup", 0, 0, 0 },
    [OP_SPLIT] = { "MPI_Comm_split", 0, 0, 0 },
    [OP_FREE] = { "MPI_Comm_free", 0, 0, 0 },
    [OP_WIN_CREATE] = { "MPI_Win_create", 0, 0, 0 },
    [OP_FENCE] = { "MPI_Win_fence", 0, 0, 0 },
    [OP_LOCK] = { "MPI_Win_lock", 1, 0, 0 },
    [OP_UNLOCK] = { "MPI_Win_unlock", 1, 0, 0 },
    [OP_POST] = { "MPI_Win_post", 0, 0, 0 },
    [OP_START_EPOCH] = { "MPI_Win_start", 0, 0, 0 },
    [OP_COMPLETE] = { "MPI_Win_complete", 0, 0, 0 },
    [OP_WAIT_EPOCH] = { "MPI_Win_wait", 0, 0, 0 },
    [OP_WIN_FREE] = { "MPI_Win_free", 0, 0, 0 },
    [OP_FINALIZE] = { "MPI_Finalize", 0, 0, 0 },
};

const char *program_call(uint32_t kind)
{
    return kind > OP_THREAD && kind < OP_KINDS ? kinds[kind].name : "";
}

const char *program_mistake(uint32_t mistake)
{
    static const char *const names[MISTAKE_KINDS] = {
        "none", "an operation missing", "wrong tag", "wrong partner",
        "wrong communicator", "order changed", "an operation twice",
        "wrong collective", "wrong root", "large", "synchronous",
        "ends early", "loops for ever",
    };

    return mistake < MISTAKE_KINDS ? names[mistake] : "";
}

static void print_set(FILE *out, uint32_t mask)
{
    fputs(" {", out);
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1)
            fprintf(out, " %u", i);
    fputs(" }", out);
}

static void print_number(FILE *out, const char *what, int v)
{
    if (v == PROGRAM_ANY)
        fprintf(out, " %s any", what);
    else if (v == PROGRAM_NULL)
        fprintf(out, " %s null", what);
    else
        fprintf(out, " %s %d", what, v);
}

void program_print_op(FILE *out, const struct op *o)
{
    uint32_t k = o->kind;

    fputs(kinds[k].name, out);
    if (k <= OP_SLEEP || k == OP_THREAD)
        fprintf(out, " %.6f s", (double)o->ns / 1e9);
    if (kinds[k].peer)
        print_number(out, "rank", o->peer);
    if (kinds[k].tag) {
        print_number(out, "tag", o->tag);
        fprintf(out, " bytes %u", o->bytes);
    }
    if (k == OP_SENDRECV) {
        print_number(out, "source", o->source);
        print_number(out, "tag", o->source_tag);
    }
    if (o->comm)
        fprintf(out, " comm %u", o->comm);
    if (kinds[k].request)
        fprintf(out, " request %u", o->made);
    if (k == OP_DUP || k == OP_SPLIT || k == OP_WIN_CREATE)
        fprintf(out, " makes %u of", o->made);
    if (o->mask)
        print_set(out, o->mask);
    if (o->patience_ns)
        fprintf(out, " for %.6f s at most", (double)o->patience_ns / 1e9);
    if (o->ignores && (k == OP_RECV || k == OP_WAIT || k == OP_TEST))
        fputs(" status ignored", out);
}

void program_print(FILE *out, const struct program *p)
{
    for (uint32_t i = 0; i < p->nmistakes; i++)
        fprintf(out, "mistake: %s\n", program_mistake(p->mistake[i]));
    for (uint32_t r = 0; r < p->ntasks; r++) {
        fprintf(out, "rank %u:\n", r);
        for (uint32_t i = 0; i < p->nops[r]; i++) {
            fprintf(out, "  %3u ", i);
            program_print_op(out, &p->op[r][i]);
            fputc('\n', out);
        }
    }
}
