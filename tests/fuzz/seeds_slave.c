/* seeds_slave.c - what a master and other slaves tell a slave, or one that
 * hector-emulate plays. */
#include "tests/fuzz/seeds.h"

#include "slave/emulate/options.h"

static int may_move, restores;

static void prepare(uint64_t job)
{
    Hct__App app = HCT__APP__INIT, *apps[] = { &app };
    Hct__Prepare__Deal deal = HCT__PREPARE__DEAL__INIT, *deals[] = { &deal };
    ProtobufCBinaryData argv[] = { BYTES("true") };
    ProtobufCBinaryData env[] = { BYTES("PATH=/bin") };
    Hct__SwapGo__Arrival known = HCT__SWAP_GO__ARRIVAL__INIT;
    Hct__SwapGo__Arrival *arrivals[] = { &known };

    known.records = known.tagged = known.out_bytes = known.in_bytes = 3;
    known.reads = 1;
    app.n_argv = app.n_env = 1;
    app.argv = argv;
    app.env = env;
    app.ntasks = 4;
    app.wdir = (char *)"/";
    deal.nodes = deal.each = 2;
    deal.rounds = 1;
    SAY(0, PREPARE, Prepare, HCT__PREPARE__INIT, m->job = job,
        m->nspace = (char *)"hector.1", m->ntasks = 4, m->n_apps = 1,
        m->apps = apps, m->hosts = (char *)"n[0-1]", m->n_deals = 1,
        m->deals = deals, m->stdin_ranks = (char *)"0",
        m->migratable = may_move, m->attempt = (unsigned)restores,
        m->restore = (char *)(restores ? "/tmp/d/1" : ""),
        m->n_arrivals = (unsigned)restores, m->arrivals = arrivals);
}

/* Tasks of others, and answers to what nobody has asked. */
static void slave_rest(const char *dir)
{
    Hct__JobNode n0 = HCT__JOB_NODE__INIT, *nodes[] = { &n0 };

    n0.name = (char *)"n0";
    SAY(0, PREPARE, Prepare, HCT__PREPARE__INIT, m->job = 1,
        m->nspace = (char *)"hector.1", m->n_nodes = 1, m->nodes = nodes,
        m->adopt_socket = (char *)"@hct-fuzz");
    raw(4, STEP_SPECIAL, "\1\0", 2);            /* asks for its page */
    SAY(0, ADOPTED, Adopted, HCT__ADOPTED__INIT, m->session = 1, m->job = 2,
        m->world = (char *)"a");
    SAY(0, ADOPTED, Adopted, HCT__ADOPTED__INIT, m->session = 1, m->rank = 1,
        m->world = (char *)"a", m->why = (char *)"no");
    SAY(0, LOOKUP_REPLY, LookupReply, HCT__LOOKUP_REPLY__INIT, m->ticket = 1);
    SAY(0, MODEX_REPLY, ModexReply, HCT__MODEX_REPLY__INIT, m->ticket = 1,
        m->data = BYTES("y"));
    SAY(0, PING, Ping, HCT__PING__INIT, m->sent_ns = 1);
    SAY(0, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = 9,
        m->kind = (char *)"stack", m->job = 1, m->own = 1, m->width = 1);
    SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 9);
    SAY(0, ADOPT_END, AdoptEnd, HCT__ADOPT_END__INIT, m->job = 1);
    tell(dir, "slave", "adoption");
}

/* Tasks that are brought to stand, and one that is to be elsewhere. */
static void slave_moves(const char *dir)
{
    Hct__StopOrder__Raise raise = HCT__STOP_ORDER__RAISE__INIT;
    Hct__StopOrder__Raise *raises[] = { &raise };
    Hct__Prepare places = HCT__PREPARE__INIT;
    Hct__Prepare__Deal deal = HCT__PREPARE__DEAL__INIT, *deals[] = { &deal };
    Hct__SwapGo__Arrival arrival = HCT__SWAP_GO__ARRIVAL__INIT;
    Hct__SwapGo__Arrival *arrivals[] = { &arrival };
    uint32_t signals[] = { 0, 1 };
    uint64_t spans[] = { 1 << 20, 2 << 20 };

    raise.comm = 1;
    raise.target = 7;
    deal.nodes = deal.rounds = 1;
    deal.each = 4;
    places.nspace = (char *)"hector.1.1";
    places.ntasks = 4;
    places.hosts = (char *)"n[0-1]";
    places.n_deals = 1;
    places.deals = deals;
    arrival.rank = 2;
    may_move = 1;
    prepare(1);
    may_move = 0;
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    raw(4, STEP_SPECIAL, "\1\0", 2);
    for (unsigned word = 0; word <= 4; word++)
        SAY(0, STOP_ORDER, StopOrder, HCT__STOP_ORDER__INIT, m->job = 1,
            m->number = word, m->look = word + 1, m->word = word,
            m->generation = 1, m->n_raises = 1, m->raises = raises,
            m->n_signals = 2, m->signals = signals);
    SAY(0, ROOM_ASK, RoomAsk, HCT__ROOM_ASK__INIT, m->job = 1,
        m->ranks = (char *)"0-1");
    SAY(0, ROOM, Room, HCT__ROOM__INIT, m->job = 1, m->rank = 2, m->n_spans = 2,
        m->spans = spans);
    SAY(0, SWAP, Swap, HCT__SWAP__INIT, m->job = 1, m->serial = 1,
        m->places = &places, m->leaving = (char *)"0",
        m->coming = (char *)"2");
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, IMAGE_CREDIT, ImageCredit, HCT__IMAGE_CREDIT__INIT, m->job = 1,
        m->serial = 1, m->bytes = 1024, m->came = 1);
    SAY(0, IMAGE, Image, HCT__IMAGE__INIT, m->job = 1, m->serial = 1,
        m->rank = 2, m->data = BYTES("image"), m->last = 1);
    SAY(0, SWAP_GO, SwapGo, HCT__SWAP_GO__INIT, m->job = 1, m->serial = 1,
        m->n_arrivals = 1, m->arrivals = arrivals);
    SAY(0, SWAP_END, SwapEnd, HCT__SWAP_END__INIT, m->job = 1, m->serial = 1);
    SAY(0, STOP_ORDER, StopOrder, HCT__STOP_ORDER__INIT, m->job = 1,
        m->number = 9, m->look = 9, m->end = 1);
    SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1);
    tell(dir, "slave", "moves");
}

/* Tasks are made of images in files, and write new ones. */
static void slave_checkpoints(const char *dir)
{
    Hct__Prepare places = HCT__PREPARE__INIT;
    Hct__Prepare__Deal deal = HCT__PREPARE__DEAL__INIT, *deals[] = { &deal };

    deal.nodes = deal.each = 2;
    deal.rounds = 1;
    places.nspace = (char *)"hector.1.1";
    places.ntasks = 4;
    places.hosts = (char *)"n[0-1]";
    places.n_deals = 1;
    places.deals = deals;
    may_move = restores = 1;
    prepare(1);
    may_move = restores = 0;
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    raw(4, STEP_SPECIAL, "\1\0", 2);
    for (unsigned work = 0; work < 3; work++)
        SAY(0, KEEP, Keep, HCT__KEEP__INIT, m->job = 1, m->ticket = 1 + work,
            m->work = work, m->dir = (char *)"/tmp/d", m->number = 2,
            m->ranks = (char *)"0-1", m->checkpoint = BYTES("what it is"));
    raw(5, STEP_SPECIAL, "\1\2\0", 3);          /* it has done that */
    raw(5, STEP_SPECIAL, "\1\3\1", 3);
    SAY(0, STOP_ORDER, StopOrder, HCT__STOP_ORDER__INIT, m->job = 1,
        m->number = 1, m->look = 1, m->word = 4, m->generation = 1);
    SAY(0, SWAP, Swap, HCT__SWAP__INIT, m->job = 1, m->serial = 1,
        m->places = &places, m->saving = (char *)"/tmp/d/2");
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, SWAP_GO, SwapGo, HCT__SWAP_GO__INIT, m->job = 1, m->serial = 1);
    SAY(0, SWAP_END, SwapEnd, HCT__SWAP_END__INIT, m->job = 1, m->serial = 1);
    SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1);
    tell(dir, "slave", "checkpoint");
}

void slave_tales(const char *dir)
{
    slave_checkpoints(dir);
    slave_moves(dir);
    prepare(1);
    raw(0, STEP_SPECIAL, "\1", 1);              /* registered */
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    raw(4, STEP_SPECIAL, "\1\0", 2);            /* asks for its page */
    raw(1, STEP_SPECIAL, "\1\1", 2);            /* connected */
    raw(6, STEP_SPECIAL, "\1\0\0", 3);          /* a fence */
    raw(6, STEP_SPECIAL, "\1\2\1", 3);          /* a modex */
    SAY(0, FENCE_DONE, FenceDone, HCT__FENCE_DONE__INIT, m->job = 1,
        m->signature = BYTES("world"), m->data = BYTES("blob"));
    SAY(0, EVENT_ACK, EventAck, HCT__EVENT_ACK__INIT, m->job = 1,
        m->upto = 1);
    SAY(0, TASK_SIGNAL, TaskSignal, HCT__TASK_SIGNAL__INIT, m->job = 1,
        m->ranks = (char *)"0", m->signal = 10);
    for (int i = 0; i < 3; i++)
        SAY(0, LOOK, Look, HCT__LOOK__INIT, m->job = 1, m->seq = 1,
            m->full = i == 0, m->parts = i == 2 ? 3 : 0, m->polls = BYTES("\377"));
    SAY(0, TASK_HOLD, TaskHold, HCT__TASK_HOLD__INIT, m->job = 1,
        m->ranks = (char *)"0-1");
    SAY(0, TASK_HOLD, TaskHold, HCT__TASK_HOLD__INIT, m->job = 1,
        m->ranks = (char *)"1", m->order = 1);
    SAY(0, PRIORITY, Priority, HCT__PRIORITY__INIT, m->job = 1,
        m->priority = -3, m->class_ = (char *)"idle");
    SAY(0, PROMPT, Prompt, HCT__PROMPT__INIT, m->job = 1, m->prompt = 1);
    SAY(0, YIELD, Yield, HCT__YIELD__INIT, m->job = 1, m->look = 1);
    SAY(0, YIELD, Yield, HCT__YIELD__INIT, m->job = 1, m->serial = 2, m->calm = 1,
        m->aside = 1, m->held = 1, m->for_job = 1);
    SAY(0, YIELD, Yield, HCT__YIELD__INIT, m->job = 1, m->serial = 3, m->raise = 20);
    SAY(0, YIELD, Yield, HCT__YIELD__INIT, m->job = 1, m->serial = 4);
    raw(5, STEP_SPECIAL, "\1\0\1", 3);          /* dead */
    SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1,
        m->ranks = (char *)"all");
    raw(5, STEP_SPECIAL, "\1\1\0", 3);
    SAY(0, FORGET, Forget, HCT__FORGET__INIT, m->job = 1);
    tell(dir, "slave", "life");
    prepare(1);
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    for (unsigned i = 0; i < 2; i++) {
        SAY(0, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = 9 + i,
            m->kind = (char *)"model", m->job = 1, m->own = 2, m->width = 2,
            m->wait_ns = 1000000);
        raw(4, STEP_SPECIAL, "\1\0", 2);        /* asks for its page */
    }
    SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1,
        m->ranks = (char *)"all");
    tell(dir, "slave", "model");
    prepare(1);
    raw(0, STEP_SPECIAL, "\1", 1);
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    for (unsigned i = 0; i < 2; i++)            /* of more tasks than there are */
        SAY(0, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = 9 + i,
            m->kind = (char *)(i ? "model" : "stack"), m->job = 1,
            m->own = UINT32_MAX, m->width = UINT32_MAX);
    tell(dir, "slave", "too-wide");
    prepare(2);
    prepare(2);
    SAY(0, MODEX_REQUEST, ModexRequest, HCT__MODEX_REQUEST__INIT, m->job = 2,
        m->rank = 1, m->ticket = 6);
    SAY(0, FORGET, Forget, HCT__FORGET__INIT, m->job = 2);
    tell(dir, "slave", "forget");
    slave_rest(dir);
}

/* From the master, or (1) a slave above: two more below, one below the other. */
static void reduce(unsigned who, uint64_t id, uint32_t own)
{
    Hct__Reduce__Below x = HCT__REDUCE__BELOW__INIT, y = x;
    Hct__Reduce__Below *below[] = { &x, &y };

    x.members = 2;
    x.own = y.own = y.members = 1;
    x.addresses = (char *)"child";
    SAY(who, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = id,
        m->kind = (char *)"who", m->member = 3, m->own = own,
        m->width = own + 2, m->n_below = 2, m->below = below,
        m->wait_ns = 1000000000, m->step_ns = 1000);
}

/* Ranks that are no good for a slave of hector-emulate, faulty or not. */
static void emulate_crowd(const char *dir, const char *word, unsigned fault,
                          const char *ranks)
{
    Hct__JobNode n0 = HCT__JOB_NODE__INIT, *nodes[] = { &n0 };

    n0.ranks = (char *)(uintptr_t)ranks;
    raw(fault < 5 ? 6 : 0, STEP_SPECIAL, "-----", fault);
    SAY(0, PREPARE, Prepare, HCT__PREPARE__INIT, m->job = 1,
        m->ntasks = UINT32_MAX, m->n_nodes = 1, m->nodes = nodes);
    SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
    SAY(0, LOOK, Look, HCT__LOOK__INIT, m->job = 1, m->seq = 1);
    raw(0, STEP_SPECIAL, "", 0);                /* samples */
    raw(1, STEP_SPECIAL, "12", 2);              /* and two events */
    tell(dir, "emulate", word);
}

/* A slave that hector-emulate plays, and what it is itself. */
void emulate_tales(const char *dir)
{
    const char *const kinds[] = { "tree", "stack", "who", "model" };

    for (unsigned fault = 0; fault < 6; fault++) {
        raw(fault < 5 ? 6 : 0, STEP_SPECIAL, "-----", fault);
        prepare(1);
        SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
        for (unsigned i = 0; i < 4; i++)
            SAY(0, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = 9 + i,
                m->kind = (char *)kinds[i], m->job = 1, m->own = 2,
                m->width = 2);
        SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 9);
        SAY(0, LOOK, Look, HCT__LOOK__INIT, m->job = 1, m->seq = 1);
        raw(0, STEP_SPECIAL, "", 0);            /* samples */
        raw(1, STEP_SPECIAL, "12", 2);          /* and two events */
        SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1);
        SAY(0, FORGET, Forget, HCT__FORGET__INIT, m->job = 1);
        tell(dir, "emulate", (const char *[]){ "dies", "silent", "late",
             "noise", "lies", "life" }[fault]);
    }
    raw(2, STEP_SPECIAL, "", 0);                /* submits */
    SAY(1, ACCEPTED, Accepted, HCT__ACCEPTED__INIT, m->job = 1);
    SAY(1, JOB_STATE, JobState, HCT__JOB_STATE__INIT, m->job = 1,
        m->state = (char *)"running");
    raw(4, STEP_SPECIAL, "", 0);                /* gathers */
    SAY(1, GATHERED, Gathered, HCT__GATHERED__INIT, m->ok = 1, m->last = 1);
    raw(5, STEP_SPECIAL, "", 0);                /* prints */
    raw(3, STEP_SPECIAL, "", 0);                /* kills */
    SAY(1, JOB_ENDED, JobEnded, HCT__JOB_ENDED__INIT, m->job = 1);
    tell(dir, "emulate", "asks");
    emulate_crowd(dir, "crowd", 5, "all");
    emulate_crowd(dir, "nobody-lies", EMULATE_LIE, "");
    emulate_crowd(dir, "last-lies", EMULATE_LIE, "4294967293-4294967294");
}

void reduce_tales(const char *dir)
{
    uint32_t gone = 4;

    reduce(0, 101, 1);
    part(2, 4, "0 n1\n1 n2\n", HCT__LACK__LACK_NONE, 0);
    SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 101);
    tell(dir, "reduce", "top");
    reduce(1, 101, 2);
    part(2, 4, "0 n1\n", HCT__LACK__LACK_LATE, 5);
    raw(0, STEP_SPECIAL, "0 a", 3);
    reduce(1, 101, 2);                          /* again */
    reduce(0, 101, 2);                          /* the master goes past it */
    SAY(1, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 101);
    raw(1, STEP_CLOSE, "", 0);
    tell(dir, "reduce", "alone");
    reduce(1, 101, 2);
    raw(1, STEP_CLOSE, "", 0);
    SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 101,
        m->n_gone = 1, m->gone = &gone);
    raw(2, STEP_CLOSE, "", 0);                  /* a child hangs up */
    raw(0, STEP_CLOSE, "", 0);
    tell(dir, "reduce", "gone");
    for (uint32_t rank = 0; rank < 3; rank++) { /* the last is not waited for */
        SAY(1, IMAGE_RAW, ImageRaw, HCT__IMAGE_RAW__INIT, m->job = 7,
            m->serial = 1, m->rank = rank);
        raw(1, STEP_RAW, "image", 5);
        raw(1, STEP_CLOSE, "", 0);
    }
    reduce(1, 101, 2);                          /* of a parent that asked before */
    SAY(1, IMAGE_RAW, ImageRaw, HCT__IMAGE_RAW__INIT, m->job = 8);
    tell(dir, "reduce", "images");
}
