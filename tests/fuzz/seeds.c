/* seeds.c - writes the corpora of the fuzzers of conversations: whole lives
 * of jobs, as the processes really tell them. Run by `make seeds` after a
 * change of the protocol.
 *
 * usage: seeds DIRECTORY        (writes DIRECTORY/NAME.corpus/seed-WORD) */
#include "tests/fuzz/steps.h"

#include <stdio.h>
#include <sys/stat.h>

#include "mpi-wrappers/page.h"
#include "proto/prefixtree.h"
#include "slave/emulate/options.h"

static struct { uint8_t bytes[1 << 16]; size_t n; } tale;

static void raw(unsigned who, unsigned what, const void *p, size_t n)
{
    uint8_t *to = tale.bytes + tale.n;

    to[0] = (uint8_t)who;
    to[1] = (uint8_t)what;
    to[2] = (uint8_t)n;
    to[3] = (uint8_t)(n >> 8);
    memcpy(to + STEP_HEAD, p, n);
    tale.n += STEP_HEAD + n;
}

static void say(unsigned who, enum message_type type, const void *m)
{
    uint8_t body[STEP_BODY];

    raw(who, type, body, protobuf_c_message_pack(m, body));
}

/* say(who, TYPE, Type, .field = value, ...) */
#define SAY(who, TYPE, Type, TYPE_INIT, ...)                            \
    do {                                                                \
        Hct__##Type m_ = TYPE_INIT;                                     \
        Hct__##Type *m = &m_;                                           \
        __VA_ARGS__;                                                    \
        say(who, MESSAGE_##TYPE, m);                                    \
    } while (0)
#define BYTES(text) (ProtobufCBinaryData){ sizeof(text) - 1,            \
                                           (uint8_t *)(text) }

static void tell(const char *dir, const char *fuzzer, const char *word)
{
    char path[1000];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s.corpus", dir, fuzzer);
    mkdir(path, 0777);
    snprintf(path, sizeof(path), "%s/%s.corpus/seed-%s", dir, fuzzer, word);
    f = fopen(path, "w");
    if (!f || fwrite(tale.bytes, 1, tale.n, f) != tale.n || fclose(f)) {
        perror(path);
        exit(1);
    }
    tale.n = 0;
}

/* ------------------------------------------------------------ the master */

enum { N0, N1, N2, RUN, RUN2, OPERATOR, NOBODY };

static char *words[] = { (char *)"unix:/tmp/stream.sock" };

static void submit(unsigned who, uint32_t ntasks)
{
    Hct__App app = HCT__APP__INIT, *apps[] = { &app };
    ProtobufCBinaryData argv[] = { BYTES("./solver"), BYTES("-v") };
    ProtobufCBinaryData env[] = { BYTES("PATH=/bin") };

    app.n_argv = 2;
    app.argv = argv;
    app.n_env = 1;
    app.env = env;
    app.ntasks = ntasks;
    app.wdir = (char *)"/tmp";
    SAY(who, SUBMIT, Submit, HCT__SUBMIT__INIT, m->n_apps = 1, m->apps = apps,
        m->n_stream_addresses = 1, m->stream_addresses = words,
        m->cookie = BYTES("0123456789abcdef"),
        m->stdin_ranks = (char *)"0", m->command = (char *)"hector-run");
}

static void start(uint32_t ntasks)
{
    uint32_t pids[] = { 100, 101 };

    submit(RUN, ntasks);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, PREPARED, Prepared, HCT__PREPARED__INIT, m->job = 1,
            m->ok = 1);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, LAUNCHED, Launched, HCT__LAUNCHED__INIT, m->job = 1,
            m->n_pids = 2, m->pids = pids, m->at_ns = 5);
}

static void task_exited(unsigned who, uint32_t rank, int code, int sig)
{
    SAY(who, TASK_EXITED, TaskExited, HCT__TASK_EXITED__INIT, m->job = 1,
        m->rank = rank, m->code = code, m->signal = sig, m->at_ns = 9,
        m->last_tag = (char *)"step", m->finalized = 1);
}

static void finish(void)
{
    for (unsigned r = 0; r < 4; r++)
        task_exited(r / 2, r, 0, 0);
    SAY(N0, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1);
    SAY(N1, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1);
}

static void state(unsigned who, uint32_t rank, Hct__TaskState__Kind kind)
{
    SAY(who, TASK_STATE, TaskState, HCT__TASK_STATE__INIT, m->job = 1,
        m->rank = rank, m->kind = kind, m->at_ns = 6);
}

static void events(unsigned who, uint32_t rank, uint64_t first)
{
    Hct__Events__Record a = HCT__EVENTS__RECORD__INIT, b = a,
                        *records[] = { &a, &b };
    ProtobufCBinaryData labels[] = { BYTES("step") };

    a.seq = first;
    a.enter_ns = 10;
    b.seq = first;
    b.exit_ns = 20;
    SAY(who, EVENTS, Events, HCT__EVENTS__INIT, m->job = 1, m->rank = rank,
        m->first = first, m->n_records = 2, m->records = records,
        m->n_labels = 1, m->labels = labels);
}

static void exchange(void)
{
    char *keys[] = { (char *)"port" };

    for (unsigned i = N0; i <= N1; i++)
        SAY(i, FENCE, Fence, HCT__FENCE__INIT, m->job = 1,
            m->signature = BYTES("world"), m->data = BYTES("blob"),
            m->ranks = (char *)"all");
    SAY(N1, LOOKUP, Lookup, HCT__LOOKUP__INIT, m->job = 1, m->n_keys = 1,
        m->keys = keys, m->wait = 1, m->ticket = 4, m->timeout_ns = 1);
    SAY(N0, PUBLISH, Publish, HCT__PUBLISH__INIT, m->job = 1,
        m->key = keys[0], m->value = BYTES("x"), m->ticket = 3,
        m->nspace = (char *)"a");
    SAY(N0, UNPUBLISH, Unpublish, HCT__UNPUBLISH__INIT, m->job = 1,
        m->n_keys = 1, m->keys = keys, m->ticket = 5);
    SAY(N0, MODEX_REQUEST, ModexRequest, HCT__MODEX_REQUEST__INIT, m->job = 1,
        m->rank = 2, m->ticket = 6);
    SAY(N1, MODEX_REPLY, ModexReply, HCT__MODEX_REPLY__INIT, m->job = 1,
        m->ticket = 6, m->data = BYTES("y"));
}

static void reports(void)
{
    Hct__TaskSamples__Task t = HCT__TASK_SAMPLES__TASK__INIT, *tasks[] = { &t };

    t.rank = 1;
    t.mpi_calls = 5;
    SAY(N0, NODE_LOAD, NodeLoad, HCT__NODE_LOAD__INIT, m->load = 0.5);
    SAY(N0, TASK_SAMPLES, TaskSamples, HCT__TASK_SAMPLES__INIT, m->job = 1,
        m->n_tasks = 1, m->tasks = tasks);
}

static void costs(unsigned who, uint32_t rank)
{
    Hct__Profile__Module module = HCT__PROFILE__MODULE__INIT,
                         *modules[] = { &module };
    Hct__Profile__Frame frame = HCT__PROFILE__FRAME__INIT, *frames[] = { &frame };
    Hct__Profile__Site site = HCT__PROFILE__SITE__INIT, *sites[] = { &site };
    Hct__Profile__Task task = HCT__PROFILE__TASK__INIT, *tasks[] = { &task };
    Hct__Profile__Name name = HCT__PROFILE__NAME__INIT, *names[] = { &name };
    uint32_t first[] = { 0 };
    uint64_t some[] = { 7 };

    module.path = (char *)"/bin/solver";
    module.build_id = BYTES("id");
    frame.module = 1;
    frame.offset = 0x1234;
    site.call = 12;
    site.n_frames = 1;
    site.frames = first;
    task.rank = rank;
    task.n_site = task.n_calls = task.n_in_ns = task.n_out_ns = 1;
    task.n_bytes = task.n_max_ns = 1;
    task.site = first;
    task.calls = task.in_ns = task.out_ns = task.bytes = task.max_ns = some;
    name.function = (char *)"solve";
    name.file = (char *)"solve.c";
    name.line = 12;
    SAY(who, PROFILE, Profile, HCT__PROFILE__INIT, m->job = 1,
        m->n_modules = 1, m->modules = modules, m->n_frames = 1,
        m->frames = frames, m->n_sites = 1, m->sites = sites, m->n_tasks = 1,
        m->tasks = tasks, m->n_names = 1, m->names = names);
}

static void part(unsigned who, uint32_t member, const char *text,
                 Hct__Lack lack, uint32_t missing)
{
    Hct__ReducePart__Missing x = HCT__REDUCE_PART__MISSING__INIT,
                             *list[] = { &x };

    x.first = x.last = missing;
    x.lack = lack;
    SAY(who, REDUCE_PART, ReducePart, HCT__REDUCE_PART__INIT, m->id = 101,
        m->member = member, m->last = 1, m->n_missing = lack != 0,
        m->missing = list,
        m->piece = (ProtobufCBinaryData){ strlen(text), (uint8_t *)text });
}

static void gather(uint64_t job)
{
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, REDUCE_AT, ReduceAt, HCT__REDUCE_AT__INIT,
            m->addresses = (char *)"unix:/tmp/s");
    SAY(OPERATOR, GATHER, Gather, HCT__GATHER__INIT, m->job = job,
        m->kind = (char *)"who");
}

/* Two slaves, one below the other. */
static void reductions(const char *dir)
{
    gather(0);
    part(N0, 0, "0 n0\n1 n1\n", HCT__LACK__LACK_NONE, 0);
    gather(0);
    tell(dir, "master", "reduce");
    gather(0);
    part(N1, 1, "0 n1\n", HCT__LACK__LACK_NONE, 0);
    part(N0, 0, "0 n0\n", HCT__LACK__LACK_LINK, 1);
    tell(dir, "master", "reduce-alone");
    start(4);
    gather(1);
    raw(N0, STEP_CLOSE, "", 0);
    part(N1, 1, "0 n1\n", HCT__LACK__LACK_FAILED, 1);
    tell(dir, "master", "reduce-dead");
}

/* Only what has been asked for counts, but it is read in any case. */
static void looks(const char *dir)
{
    Hct__Looked__Task t = HCT__LOOKED__TASK__INIT, *tasks[] = { &t };
    Hct__Looked__Request q = HCT__LOOKED__REQUEST__INIT, *requests[] = { &q };
    Hct__Looked__Comm c = HCT__LOOKED__COMM__INIT, *comms[] = { &c };
    Hct__Looked__Flight f = HCT__LOOKED__FLIGHT__INIT, *flights[] = { &f };

    start(4);
    t.rank = q.rank = c.rank = f.rank = 1;
    t.life = 3;
    t.flags = 11;
    t.calls = 7;
    t.tag_text = BYTES("step");
    for (uint64_t seq = 1; seq < 4; seq++)
        SAY(N0, LOOKED, Looked, HCT__LOOKED__INIT, m->job = 1, m->seq = seq,
            m->tasks = tasks, m->n_tasks = 1, m->requests = requests,
            m->n_requests = 1, m->comms = comms, m->n_comms = 1,
            m->flights = flights, m->n_flights = 1);
    finish();
    tell(dir, "master", "looks");
}

static void adopt(unsigned who, uint32_t rank, const char *world)
{
    SAY(who, ADOPT, Adopt, HCT__ADOPT__INIT, m->job = 1, m->ntasks = 2,
        m->rank = rank, m->pid = 100 + rank, m->world = (char *)world,
        m->name = (char *)"solver", m->command = (char *)"./solver");
}

/* Two worlds of others in one session; the link of its hector-run is lost. */
static void adoption(const char *dir)
{
    uint64_t jobs[] = { 1 };

    SAY(RUN, SUBMIT, Submit, HCT__SUBMIT__INIT,
        m->cookie = BYTES("0123456789abcdef"), m->adopt_socket = words[0],
        m->command = (char *)"mpirun");
    for (unsigned i = N0; i <= N2; i++)
        SAY(i, PREPARED, Prepared, HCT__PREPARED__INIT, m->job = 1, m->ok = 1);
    for (unsigned r = 0; r < 2; r++) {
        adopt(r, r, "a");
        state(r, r, HCT__TASK_STATE__KIND__CONNECTED);
        adopt(N0, r, "b");
    }
    raw(RUN, STEP_CLOSE, "", 0);
    SAY(RUN, ATTACH, Attach, HCT__ATTACH__INIT, m->job = 1,
        m->cookie = BYTES("0123456789abcdef"));
    SAY(RUN, PING, Ping, HCT__PING__INIT, m->sent_ns = 1);
    SAY(N0, PONG, Pong, HCT__PONG__INIT, m->sent_ns = 1, m->received_ns = 2);
    raw(N0, STEP_CLOSE, "", 0);
    SAY(N0, SLAVE_JOBS, SlaveJobs, HCT__SLAVE_JOBS__INIT, m->n_jobs = 1,
        m->jobs = jobs);
    task_exited(N0, 0, 0, 0);
    SAY(N1, FAREWELL, Farewell, HCT__FAREWELL__INIT, m->why = (char *)"killed");
    SAY(RUN, ADOPT_END, AdoptEnd, HCT__ADOPT_END__INIT, m->job = 1);
    for (unsigned i = N0; i <= N2; i++)
        SAY(i, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1);
    tell(dir, "master", "adoption");
}

static void master_tales(const char *dir)
{
    reductions(dir);
    start(4);
    for (unsigned r = 0; r < 4; r++)
        for (int k = 1; k <= 3; k++)
            state(r / 2, r, (Hct__TaskState__Kind)k);
    exchange();
    finish();
    tell(dir, "master", "life");
    start(4);
    reports();
    events(N0, 0, 0);
    events(N0, 0, 1);
    events(N0, 0, 2);
    costs(N0, 1);
    task_exited(N0, 0, 3, 0);
    costs(N0, 0);
    events(N1, 3, 0);
    finish();
    tell(dir, "master", "fails");
    start(4);
    SAY(RUN, SIGNAL, Signal, HCT__SIGNAL__INIT, m->job = 1,
        m->ranks = (char *)"0-1", m->signal = 10);
    SAY(N0, TASK_ABORT, TaskAbort, HCT__TASK_ABORT__INIT, m->job = 1,
        m->rank = 1, m->code = 7, m->text = (char *)"bad");
    SAY(OPERATOR, KILL, Kill, HCT__KILL__INIT, m->job = 1,
        m->ranks = (char *)"2", m->at_once = 1);
    raw(N1, STEP_CLOSE, "", 0);
    raw(RUN, STEP_CLOSE, "", 0);
    finish();
    tell(dir, "master", "killed");
    start(4);
    SAY(OPERATOR, HOLD, Hold, HCT__HOLD__INIT, m->job = 1,
        m->ranks = (char *)"0-2", m->why = (char *)"lunch");
    for (unsigned r = 0; r < 3; r++)
        SAY(r / 2, HELD, Held, HCT__HELD__INIT, m->job = 1, m->rank = r,
            m->held = 1, m->at_ns = 7);
    SAY(RUN, HOLD, Hold, HCT__HOLD__INIT, m->job = 1, m->release = 1);
    SAY(N0, HELD, Held, HCT__HELD__INIT, m->job = 1, m->at_ns = 9);
    SAY(OPERATOR, KILL, Kill, HCT__KILL__INIT, m->job = 1,
        m->ranks = (char *)"2");
    SAY(N1, HELD, Held, HCT__HELD__INIT, m->job = 1, m->rank = 2);
    finish();
    tell(dir, "master", "held");
    looks(dir);
    adoption(dir);
    submit(RUN2, 2);
    SAY(N0, PREPARED, Prepared, HCT__PREPARED__INIT, m->job = 1,
        m->why = (char *)"no");
    submit(RUN, 1);
    SAY(NOBODY, HELLO, Hello, HCT__HELLO__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_SLAVE, m->name = (char *)"n0");
    SAY(NOBODY, HELLO, Hello, HCT__HELLO__INIT, m->protocol = 99);
    raw(NOBODY, STEP_RAW, "GET / HTTP/1.0\r\n\r\n", 18);
    tell(dir, "master", "refused");
}

/* ----------------------------------------------- slaves, redirectors, tasks */

static void prepare(uint64_t job)
{
    Hct__App app = HCT__APP__INIT, *apps[] = { &app };
    Hct__JobNode n0 = HCT__JOB_NODE__INIT, n1 = n0, *nodes[] = { &n0, &n1 };
    ProtobufCBinaryData argv[] = { BYTES("true") };
    ProtobufCBinaryData env[] = { BYTES("PATH=/bin") };

    app.n_argv = app.n_env = 1;
    app.argv = argv;
    app.env = env;
    app.ntasks = 4;
    app.wdir = (char *)"/";
    n0.name = (char *)"n0";
    n0.ranks = (char *)"0-1";
    n1.name = (char *)"n1";
    n1.ranks = (char *)"2-3";
    SAY(0, PREPARE, Prepare, HCT__PREPARE__INIT, m->job = job,
        m->nspace = (char *)"hector.1", m->ntasks = 4, m->n_apps = 1,
        m->apps = apps, m->n_nodes = 2, m->nodes = nodes,
        m->stdin_ranks = (char *)"0");
}

static void slave_tales(const char *dir)
{
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
            m->full = i == 0, m->detail = i == 2, m->polls = BYTES("\377"));
    SAY(0, TASK_HOLD, TaskHold, HCT__TASK_HOLD__INIT, m->job = 1,
        m->ranks = (char *)"0-1");
    SAY(0, TASK_HOLD, TaskHold, HCT__TASK_HOLD__INIT, m->job = 1,
        m->ranks = (char *)"1", m->release = 1);
    raw(5, STEP_SPECIAL, "\1\0\1", 3);          /* dead */
    SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 1,
        m->ranks = (char *)"all");
    raw(5, STEP_SPECIAL, "\1\1\0", 3);
    SAY(0, FORGET, Forget, HCT__FORGET__INIT, m->job = 1);
    tell(dir, "slave", "life");
    prepare(2);
    prepare(2);
    SAY(0, MODEX_REQUEST, ModexRequest, HCT__MODEX_REQUEST__INIT, m->job = 2,
        m->rank = 1, m->ticket = 6);
    SAY(0, FORGET, Forget, HCT__FORGET__INIT, m->job = 2);
    tell(dir, "slave", "forget");
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

static void reduce(uint64_t id, uint32_t own, const char *parent)
{
    Hct__Reduce__Child x = HCT__REDUCE__CHILD__INIT, *children[] = { &x };

    x.member = 4;
    x.members = 2;
    x.at = own;
    x.width = 2;
    SAY(0, REDUCE, Reduce, HCT__REDUCE__INIT, m->id = id,
        m->kind = (char *)"who", m->member = 3, m->own = own,
        m->width = own + 2, m->n_children = 1, m->children = children,
        m->parent = (char *)parent, m->parent_member = 1,
        m->wait_ns = 1000000000);
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
static void emulate_tales(const char *dir)
{
    const char *const kinds[] = { "tree", "stack", "who" };

    for (unsigned fault = 0; fault < 6; fault++) {
        raw(fault < 5 ? 6 : 0, STEP_SPECIAL, "-----", fault);
        prepare(1);
        SAY(0, LAUNCH, Launch, HCT__LAUNCH__INIT, m->job = 1);
        for (unsigned i = 0; i < 3; i++)
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

static void reduce_tales(const char *dir)
{
    uint32_t gone = 1;

    reduce(101, 1, "");
    part(1, 4, "0 n1\n1 n2\n", HCT__LACK__LACK_NONE, 0);
    SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 101);
    tell(dir, "reduce", "top");
    part(1, 4, "0 n1\n", HCT__LACK__LACK_LATE, 5);     /* early */
    reduce(101, 2, "up");
    raw(0, STEP_SPECIAL, "0 a", 3);
    raw(0, STEP_SPECIAL, "", 0);                /* the parent hangs up */
    tell(dir, "reduce", "alone");
    reduce(101, 2, "up");
    raw(1, STEP_CLOSE, "", 0);
    SAY(0, REDUCE_END, ReduceEnd, HCT__REDUCE_END__INIT, m->id = 101,
        m->n_gone = 1, m->gone = &gone);
    raw(0, STEP_CLOSE, "", 0);
    tell(dir, "reduce", "gone");
}

static void redirector_tales(const char *dir)
{
    for (unsigned i = 0; i < 2; i++) {
        SAY(i, INPUT_CREDIT, InputCredit, HCT__INPUT_CREDIT__INIT,
            m->bytes = 65536);
        SAY(i, OUTPUT, Output, HCT__OUTPUT__INIT, m->rank = i,
            m->stream = HCT__STREAM__STREAM_STDOUT, m->data = BYTES("a\nb"),
            m->at_ns = 5);
        SAY(i, OUTPUT, Output, HCT__OUTPUT__INIT, m->rank = i,
            m->stream = HCT__STREAM__STREAM_STDTIM, m->data = BYTES("t\n"));
        SAY(i, OUTPUT_END, OutputEnd, HCT__OUTPUT_END__INIT, m->rank = i,
            m->stream = HCT__STREAM__STREAM_STDOUT);
    }
    SAY(0, INPUT_UNWANTED, InputUnwanted, HCT__INPUT_UNWANTED__INIT, (void)m);
    raw(1, STEP_CLOSE, "", 0);
    SAY(6, HELLO, Hello, HCT__HELLO__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_SLAVE, m->job = 7);
    tell(dir, "links", "streams");
    SAY(0, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_MASTER);
    SAY(0, ACCEPTED, Accepted, HCT__ACCEPTED__INIT, m->job = 7,
        m->name = (char *)"solver");
    SAY(0, NOTICE, Notice, HCT__NOTICE__INIT, m->job = 7,
        m->text = (char *)"a word", m->error = 1);
    SAY(0, JOB_STATE, JobState, HCT__JOB_STATE__INIT, m->job = 7,
        m->state = (char *)"running", m->started = 1, m->ntasks = 2);
    SAY(0, JOB_ENDED, JobEnded, HCT__JOB_ENDED__INIT, m->job = 7,
        m->exit_code = 3, m->why = (char *)"it failed");
    tell(dir, "uplink", "life");
    SAY(0, REFUSE, Refuse, HCT__REFUSE__INIT, m->why = (char *)"no");
    tell(dir, "uplink", "refused");
}

static void stream_tales(const char *dir)
{
    SAY(0, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_REDIRECTOR);
    SAY(0, INPUT, Input, HCT__INPUT__INIT, m->data = BYTES("line\n"));
    SAY(0, TERMINAL, Terminal, HCT__TERMINAL__INIT, m->rows = 33,
        m->columns = 99);
    raw(0, STEP_SPECIAL, "output", 6);
    SAY(0, INPUT_END, InputEnd, HCT__INPUT_END__INIT, (void)m);
    raw(0, STEP_CLOSE, "", 0);
    tell(dir, "streams", "life");
}

/* What a master answers to hector(1). */
static void operator_welcome(unsigned command)
{
    SAY(command, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_MASTER);
}

static void operator_tales(const char *dir)
{
    Hct__CallTree tree = HCT__CALL_TREE__INIT;
    Hct__TreeNote note = HCT__TREE_NOTE__INIT, *notes[] = { &note };
    Hct__Gathered__Absent gone = HCT__GATHERED__ABSENT__INIT, *absent[] = { &gone };
    char *nodes[] = { (char *)"n0", (char *)"n1" };
    uint32_t parents[] = { 0, 1 };
    const char *const names[] = { "main", "solve", "MPI_Barrier" };
    struct prefixtree t;
    struct str packed = { 0 };
    uint8_t bytes[4096];
    uint32_t stack[3];
    struct err err;

    operator_welcome(0);
    SAY(0, RESULT, Result, HCT__RESULT__INIT, m->ok = 1,
        m->text = (char *)"2 tasks are being ended");
    tell(dir, "operator", "kill");
    operator_welcome(2);
    SAY(0, REFUSE, Refuse, HCT__REFUSE__INIT, m->why = (char *)"no");
    tell(dir, "operator", "refused");
    gone.node = nodes[1];
    gone.ranks = (char *)"1";
    gone.why = (char *)"it was late";
    operator_welcome(3);
    SAY(0, GATHERED, Gathered, HCT__GATHERED__INIT, m->ok = 1, m->last = 1,
        m->piece = BYTES("0 n0\n"), m->n_nodes = 2, m->nodes = nodes,
        m->n_parents = 2, m->parents = parents, m->members = 2,
        m->n_absent = 1, m->absent = absent);
    tell(dir, "operator", "tree");
    if (prefixtree_init(&t, 2, 1, &err))
        exit(1);
    for (uint32_t i = 0; i < 3; i++) {
        struct prefixtree_frame f = { .offset = i + 1, .line = i,
            .function = prefixtree_name(&t, names[i], strlen(names[i])),
            .module = prefixtree_name(&t, "/bin/solver", 11) };

        stack[i] = prefixtree_frame(&t, &f);
    }
    if (prefixtree_add(&t, 0, 0, stack, 3, &err) ||
        prefixtree_add(&t, 1, 0, stack, 2, &err) ||
        prefixtree_pack(&t, &packed))
        exit(1);
    note.ranks = (char *)"1";
    note.text = (char *)"has ended";
    tree.n_notes = 1;
    tree.notes = notes;
    tree.tree.data = (uint8_t *)(uintptr_t)str_text(&packed);
    tree.tree.len = packed.n;
    for (unsigned shape = 4; shape < 8; shape++) {
        size_t n = hct__call_tree__pack(&tree, bytes);

        operator_welcome(shape);
        SAY(0, GATHERED, Gathered, HCT__GATHERED__INIT, m->ok = 1,
            m->piece.data = bytes, m->piece.len = n / 2);
        SAY(0, GATHERED, Gathered, HCT__GATHERED__INIT, m->ok = 1, m->last = 1,
            m->piece.data = bytes + n / 2, m->piece.len = n - n / 2);
        tell(dir, "operator", shape == 4 ? "stack" : shape == 5 ? "stack-json"
             : shape == 6 ? "stack-graph" : "stack-page");
    }
    prefixtree_fini(&t);
    str_fini(&packed);
}

/* Not steps: see fuzz_page.c. */
static void piece(unsigned where, size_t at, const void *p, size_t n)
{
    const uint8_t head[] = { (uint8_t)where, 0, (uint8_t)at,
                             (uint8_t)(at >> 8), (uint8_t)n, 0 };

    memcpy(tale.bytes + tale.n, head, sizeof(head));
    memcpy(tale.bytes + tale.n + sizeof(head), p, n);
    tale.n += sizeof(head) + n;
}

static void page_tales(const char *dir)
{
    struct { struct page_record r; char text[8]; } in =
        { { 32, PAGE_RECORD_ENTER, 3, 5, 4, 1000 }, "step" };
    struct page_record out = { 24, PAGE_RECORD_EXIT, 3, 5, 0, 2000 };
    uint32_t used = 1;
    uint64_t head = sizeof(in) + sizeof(out), bad = 1 << 30;

    piece(0, offsetof(struct page_header, slots_used) -
             offsetof(struct page_header, state), &used, sizeof(used));
    piece(2, 0, &in, sizeof(in));
    piece(2, sizeof(in), &out, sizeof(out));
    piece(1, offsetof(struct page_slot, head), &head, sizeof(head));
    head += sizeof(out);
    piece(2, sizeof(in) + sizeof(out), &out, sizeof(out));
    piece(1, offsetof(struct page_slot, calls), &head, sizeof(head));
    piece(0, 8, &used, sizeof(used));
    piece(1, offsetof(struct page_slot, head), &head, sizeof(head));
    piece(1, offsetof(struct page_slot, head), &bad, sizeof(bad));
    tell(dir, "page", "calls");
}

/* Page and master of a slave that was killed. */
static void scribbled(unsigned who, unsigned where, size_t at, const void *p,
                      size_t n)
{
    uint8_t bytes[128] = { (uint8_t)where, 0, (uint8_t)at, (uint8_t)(at >> 8),
                           (uint8_t)n, 0 };

    memcpy(bytes + 6, p, n);
    raw(who, STEP_SPECIAL, bytes, 6 + n);
}

static void gasp_tales(const char *dir)
{
    const struct page_site cost = { .address = 0x1234, .call = 12,
                                    .calls = 7, .in_ticks = 700 };
    struct { struct page_record r; char text[8]; } in =
        { { 32, PAGE_RECORD_ENTER, 3, 5, 4, 1000 }, "step" };
    uint32_t used = 1;
    uint64_t head = sizeof(in);

    for (unsigned alive = 0; alive < 8; alive += 4) {
        scribbled(alive, 0, offsetof(struct page_header, slots_used) -
                  offsetof(struct page_header, state), &used, sizeof(used));
        scribbled(alive, 2, 0, &in, sizeof(in));
        scribbled(alive, 5, PAGE_SITE_FIRST * sizeof(cost), &cost,
                  sizeof(cost));
        scribbled(alive, 1, offsetof(struct page_slot, calls), &head,
                  sizeof(head));
        scribbled(alive, 1, offsetof(struct page_slot, head), &head,
                  sizeof(head));
        operator_welcome(0);
        SAY(0, TERMINATE, Terminate, HCT__TERMINATE__INIT, m->job = 7);
        SAY(0, EVENT_ACK, EventAck, HCT__EVENT_ACK__INIT, m->job = 7,
            m->upto = 1);
        tell(dir, "gasp", alive ? "read" : "unread");
    }
}

static void registry_tales(const char *dir)
{
    struct page_hello h = { .magic = PAGE_MAGIC, .major = PAGE_MAJOR,
                            .job = 7, .rank = 1, .ntasks = 4 };
    const uint8_t length = sizeof(h);

    for (int i = 0; i < 3; i++, h.rank += 4, h.major = i == 2) {
        memcpy(tale.bytes + tale.n++, &length, 1);
        memcpy(tale.bytes + tale.n, &h, sizeof(h));
        tale.n += sizeof(h);
    }
    tell(dir, "registry", "hello");
}

/* ---------------------------------------------------------------- call trees */

static uint32_t tree_frame(struct prefixtree *t, const char *module,
                           const char *function)
{
    struct prefixtree_frame f = { .line = 12, .offset = 0x40 };

    f.module = prefixtree_name(t, module, strlen(module));
    f.function = prefixtree_name(t, function, strlen(function));
    f.file = prefixtree_name(t, "/src/ring.c", 11);
    return prefixtree_frame(t, &f);
}

/* Of so many tasks; one computes, the others are in MPI. */
static void stack_tale(const char *dir, const char *word, uint32_t width,
                       uint32_t samples)
{
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    Hct__TreeNote note = HCT__TREE_NOTE__INIT, *notes[] = { &note };
    struct prefixtree t;
    struct str s = { 0 };
    uint32_t path[3];

    if (prefixtree_init(&t, width, samples, NULL))
        exit(1);
    path[0] = tree_frame(&t, "ring", "main");
    for (uint32_t i = 0; i < width * samples; i++) {
        path[1] = tree_frame(&t, "ring", i % 7 ? "MPI_Barrier" : "compute");
        path[2] = tree_frame(&t, "libmpi.so.40", "ompi_wait");
        prefixtree_add(&t, i / samples, i % samples, path, i % 7 ? 3 : 2,
                       NULL);
    }
    if (prefixtree_pack(&t, &s))
        exit(1);
    prefixtree_fini(&t);
    m.tree.data = (uint8_t *)s.s;
    m.tree.len = s.n;
    note.ranks = (char *)"0-1,3";
    note.text = (char *)"it is stopped by a signal";
    m.n_notes = 1;
    m.notes = notes;
    m.n_remarks = 1;
    m.remarks = words;
    m.copies = width;
    m.held_p50_ns = 40000;
    tale.bytes[0] = (uint8_t)width;
    tale.n = 1 + hct__call_tree__pack(&m, tale.bytes + 1);
    tell(dir, "stack", word);
    str_fini(&s);
}

static void stack_tales(const char *dir)
{
    stack_tale(dir, "2d", 4, 1);
    stack_tale(dir, "3d", 70, 3);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return fprintf(stderr, "usage: seeds DIRECTORY\n"), 2;
    master_tales(argv[1]);
    slave_tales(argv[1]);
    slave_rest(argv[1]);
    operator_tales(argv[1]);
    reduce_tales(argv[1]);
    redirector_tales(argv[1]);
    stream_tales(argv[1]);
    page_tales(argv[1]);
    gasp_tales(argv[1]);
    emulate_tales(argv[1]);
    registry_tales(argv[1]);
    stack_tales(argv[1]);
    return 0;
}

/* Of steps.h, and of no use here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    (void)data, (void)max;
    return size;
}
