/* seeds_master.c - what slaves, redirectors and operators tell a master. */
#include "tests/fuzz/seeds.h"

enum { N0, N1, N2, RUN, RUN2, OPERATOR, NOBODY };

static int may_move, keeps;     /* as it is submitted */
static char *words[] = { (char *)"unix:/tmp/stream.sock" };

/* What a job goes on from. */
static Hct__Checkpoint *past(void)
{
    static Hct__TaskMoved of[4];
    static Hct__TaskMoved *tasks[] = { &of[0], &of[1], &of[2], &of[3] };
    static Hct__Checkpoint c;

    for (uint32_t r = 0; r < 4; r++) {
        hct__task_moved__init(&of[r]);
        of[r].rank = r;
        of[r].kind = HCT__TASK_MOVED__KIND__SAVED;
        of[r].tagged = of[r].out_bytes = 3;
    }
    hct__checkpoint__init(&c);
    c.job = 1;
    c.number = 3;
    c.serial = 1;
    c.at_ns = 5;
    c.ntasks = c.n_tasks = 4;
    c.tasks = tasks;
    c.dir = (char *)"/tmp/d";
    return &c;
}

static void submit(unsigned who, uint32_t ntasks)
{
    Hct__Checkpoint *from[] = { past(), past() };
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
        m->stdin_ranks = (char *)"0", m->command = (char *)"hector-run",
        m->migratable = may_move, m->no_oversubscribe_notice = may_move,
        m->checkpoint_dir = (char *)(keeps ? "/tmp/d" : ""),
        m->checkpoint_every_ns = keeps ? 3600000000000 : 0,
        m->max_restarts = 2u * (unsigned)keeps, m->restore = from,
        m->n_restore = keeps > 1 ? 2 : 0);
}

static void started(void)
{
    uint32_t pids[] = { 100, 101 };

    for (unsigned i = N0; i <= N1; i++)
        SAY(i, PREPARED, Prepared, HCT__PREPARED__INIT, m->job = 1,
            m->ok = 1);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, LAUNCHED, Launched, HCT__LAUNCHED__INIT, m->job = 1,
            m->n_pids = 2, m->pids = pids, m->at_ns = 5);
}

static void start(uint32_t ntasks)
{
    submit(RUN, ntasks);
    started();
}

static void task_exited(unsigned who, uint32_t rank, int code, int sig)
{
    SAY(who, TASK_EXITED, TaskExited, HCT__TASK_EXITED__INIT, m->job = 1,
        m->rank = rank, m->code = code, m->signal = sig, m->at_ns = 9,
        m->last_tag = (char *)"step", m->finalized = 1);
}

static void stands(unsigned who, uint64_t look, uint32_t swap)
{
    Hct__StopLook__Comm comm = HCT__STOP_LOOK__COMM__INIT, *comms[] = { &comm };
    Hct__StopLook__Task task[2], *tasks[] = { &task[0], &task[1] };

    comm.id = 1;
    comm.entered = 3;
    comm.size = 4;
    for (unsigned i = 0; i < 2; i++) {
        hct__stop_look__task__init(&task[i]);
        task[i].rank = 2 * who + i;
        task[i].where = 5;
        task[i].peer = -1;
        task[i].able = 1;
        task[i].order = look - 1;
        task[i].swap = swap;
        task[i].generation = swap == 2;
        task[i].n_comms = 1;
        task[i].comms = comms;
    }
    SAY(who, STOP_LOOK, StopLook, HCT__STOP_LOOK__INIT, m->job = 1,
        m->look = look, m->n_tasks = 2, m->tasks = tasks);
}

/* It is another master for them. */
static void come_apart(unsigned who, const char *leaving, const char *coming)
{
    SAY(who, COME_APART, ComeApart, HCT__COME_APART__INIT, m->job = 1,
        m->serial = 1, m->generation = 1, m->leaving = (char *)leaving,
        m->coming = (char *)coming, m->let = 1);
}

static void moved(unsigned who, Hct__TaskMoved__Kind kind)
{
    SAY(who, TASK_MOVED, TaskMoved, HCT__TASK_MOVED__INIT, m->job = 1,
        m->rank = 1, m->serial = 1, m->kind = kind, m->pid = 200,
        m->why = (char *)"no");
}

/* One task to the other node, and what can go wrong with that. */
static void moves(const char *dir)
{
    static const Hct__TaskMoved__Kind last[] = {
        HCT__TASK_MOVED__KIND__LEFT, HCT__TASK_MOVED__KIND__STAYS,
        HCT__TASK_MOVED__KIND__FAILED };
    static const char *const names[] = { "moved", "stayed", "unmoved" };
    uint64_t spans[] = { 1 << 20, 2 << 20 };

    for (unsigned k = 0; k < 3; k++) {
        may_move = 1;
        start(4);
        may_move = 0;
        SAY(OPERATOR, MIGRATE, Migrate, HCT__MIGRATE__INIT, m->job = 1,
            m->ranks = (char *)"1", m->node = (char *)"n1",
            m->why = (char *)"test");
        SAY(N0, ROOM, Room, HCT__ROOM__INIT, m->job = 1, m->rank = 1,
            m->n_spans = 2, m->spans = spans);
        SAY(N1, ROOM_MADE, RoomMade, HCT__ROOM_MADE__INIT, m->job = 1,
            m->rank = 1);
        for (uint64_t look = 1; look < 6; look++)
            for (unsigned i = N0; i <= N1; i++)
                stands(i, look, 0);
        for (unsigned i = N0; i <= N1; i++)
            SAY(i, SWAPPED, Swapped, HCT__SWAPPED__INIT, m->job = 1,
                m->serial = 1, m->ok = 1);
        SAY(N1, IMAGE_CREDIT, ImageCredit, HCT__IMAGE_CREDIT__INIT, m->job = 1,
            m->rank = 1, m->serial = 1, m->bytes = 1024);
        SAY(N0, IMAGE, Image, HCT__IMAGE__INIT, m->job = 1, m->rank = 1,
            m->serial = 1, m->data = BYTES("image"), m->last = 1);
        SAY(N0, IMAGE_SENT, ImageSent, HCT__IMAGE_SENT__INIT, m->job = 1,
            m->rank = 1, m->serial = 1, m->bytes = 4096);
        moved(N1, HCT__TASK_MOVED__KIND__CAME);
        moved(N0, last[k]);
        for (uint64_t look = 6; look < 12; look++)
            for (unsigned i = N0; i <= N1; i++)
                stands(i, look, look < 9 ? 1 : 2);
        tell(dir, "master", names[k]);
    }
    may_move = 1;
    start(4);
    may_move = 0;
    come_apart(N0, "1", "");
    moved(N0, HCT__TASK_MOVED__KIND__LEFT);
    come_apart(N1, "", "1");
    moved(N1, HCT__TASK_MOVED__KIND__CAME);
    tell(dir, "master", "apart");
}

/* A node is drained: of one job, whose task leaves. */
static void drains(const char *dir)
{
    char *to[] = { (char *)"n1" };

    may_move = 1;
    start(4);
    may_move = 0;
    SAY(OPERATOR, DRAIN, Drain, HCT__DRAIN__INIT, m->node = (char *)"n0",
        m->to = to, m->n_to = 1, m->wait = 1, m->why = (char *)"test");
    SAY(OPERATOR, DRAIN, Drain, HCT__DRAIN__INIT, m->node = (char *)"n0",
        m->undo = 1, m->why = (char *)"test");
    SAY(N0, OWNER, Owner, HCT__OWNER__INIT, m->state = 2, m->suspends = 1,
        m->why = (char *)"alice is logged in on tty1");
    SAY(N0, OWNER, Owner, HCT__OWNER__INIT, m->state = 3, m->why = (char *)"");
    tell(dir, "master", "drain");
}

static void kept(uint64_t ticket, int ok)
{
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, KEPT, Kept, HCT__KEPT__INIT, m->job = 1, m->ticket = ticket,
            m->ok = ok, m->why = (char *)(ok ? "" : "no space"));
}

static void saved(void)
{
    for (uint64_t look = 1; look < 6; look++)
        for (unsigned i = N0; i <= N1; i++)
            stands(i, look, 0);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, SWAPPED, Swapped, HCT__SWAPPED__INIT, m->job = 1, m->serial = 1,
            m->ok = 1);
    for (unsigned r = 0; r < 4; r++)
        SAY(r / 2, TASK_MOVED, TaskMoved, HCT__TASK_MOVED__INIT, m->job = 1,
            m->rank = r, m->serial = 1, m->kind = HCT__TASK_MOVED__KIND__SAVED,
            m->image_bytes = 1024, m->out_bytes = 5);
    for (uint64_t look = 6; look < 12; look++)
        for (unsigned i = N0; i <= N1; i++)
            stands(i, look, look < 9 ? 1 : 2);
}

/* All tasks end by a signal, and their nodes are through with them. */
static void killed(void)
{
    for (unsigned r = 0; r < 4; r++)
        task_exited(r / 2, r, 0, 9);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1);
}

/* Images of all tasks in files, and back to them; an image that is no good. */
static void checkpoints(const char *dir)
{
    may_move = keeps = 1;
    for (int fails = 0; fails < 4; fails++) {
        start(4);
        SAY(OPERATOR, SAVE, Save, HCT__SAVE__INIT, m->job = 1,
            m->why = (char *)"test", m->quiesce_ns = 1000000000);
        kept(1, fails != 1);
        saved();
        kept(2, fails != 2);
        kept(3, fails != 3);
        killed();
        started();
        tell(dir, "master", (const char *[]){ "checkpoint", "no-begin",
             "no-check", "no-seal" }[fails]);
    }
    keeps = 2;
    start(4);
    SAY(N0, TASK_EXITED, TaskExited, HCT__TASK_EXITED__INIT, m->job = 1,
        m->code = 1, m->why = (char *)"no image");
    killed();
    started();
    raw(N1, STEP_CLOSE, "", 0);
    task_exited(N0, 0, 0, 9);
    started();
    may_move = keeps = 0;
    tell(dir, "master", "restart");
}

/* What is due is changed: a word that makes sense, and one that does not. */
static void due(unsigned who)
{
    char *put[] = { (char *)"in..out<=30ms", (char *)"60s" };
    char *remove[] = { (char *)"1", (char *)"x<=1s" };

    for (size_t n = 1; n <= 2; n++)
        SAY(who, CALENDAR, Calendar, HCT__CALENDAR__INIT, m->job = 1, m->put = put,
            m->n_put = 2, m->remove = remove, m->n_remove = 2 * n - 2,
            m->clear = n == 2, m->why = (char *)"so");
}

static void finish(void)
{
    uint8_t model[1024];

    for (unsigned r = 0; r < 4; r++)
        task_exited(r / 2, r, 0, 0);
    SAY(N0, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1,
        m->model.data = model, m->model.len = pack_model(model));
    SAY(N1, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1,
        m->model = BYTES("odd"));
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

static void efforts(void)
{
    Hct__Effort__Task t = HCT__EFFORT__TASK__INIT, *tasks[] = { &t };
    uint64_t sites[] = { 77, 78 }, calls[] = { 10, 20 };
    uint64_t out_ns[] = { 300000000, 10000000 }, bytes[] = { 5000000 };
    uint32_t partners[] = { 0 };

    t.rank = 1;
    t.outside_ns = 5000000000u;
    t.computed_ns = 2500000000u;
    t.sites = sites;
    t.calls = calls;
    t.out_ns = out_ns;
    t.n_sites = t.n_calls = t.n_out_ns = 2;
    t.partners = partners;
    t.bytes = bytes;
    t.n_partners = t.n_bytes = 1;
    SAY(N0, PACE, Pace, HCT__PACE__INIT, m->speed = 1.5, m->part = 0.5);
    SAY(N0, EFFORT, Effort, HCT__EFFORT__INIT, m->job = 1, m->n_tasks = 1,
        m->tasks = tasks);
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

void part(unsigned who, uint32_t member, const char *text,
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

/* One state, and a step from it to itself. */
static Hct__Looked__Model model_of(uint32_t rank)
{
    static uint32_t none[] = { 0 };
    static uint64_t some[] = { 9 };
    static double time[] = { 1e6 };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;

    m.rank = rank;
    m.threads = 1;
    m.n_sites = m.n_calls = m.n_places = m.n_visits = 1;
    m.n_in_ns = m.n_longest_ns = m.n_out_ns = 1;
    m.n_from = m.n_to = m.n_phases = m.n_n = 1;
    m.n_in_mean = m.n_in_m2 = m.n_out_mean = m.n_out_m2 = 1;
    m.n_bytes_mean = m.n_bytes_m2 = 1;
    m.sites = m.calls = m.from = m.to = m.phases = none;
    m.places = m.visits = m.in_ns = m.longest_ns = m.out_ns = m.n = some;
    m.in_mean = m.in_m2 = m.out_mean = m.out_m2 = time;
    m.bytes_mean = m.bytes_m2 = time;
    m.ago_ns = 5000000000;
    return m;
}

/* The same of the last time: between the states of the other. */
static Hct__Looked__Model last_of(uint32_t rank)
{
    Hct__Looked__Model m = model_of(rank);

    m.n_sites = m.n_calls = m.n_places = m.n_visits = 0;
    m.n_in_ns = m.n_longest_ns = m.n_out_ns = 0;
    return m;
}

/* A slave's answer for both of its tasks, in the same place for ever; what has
 * no tag is without any bytes of it. */
static void looked(unsigned who, uint64_t seq, uint32_t call, bool tagged)
{
    Hct__Looked__Task t[2], *tasks[] = { &t[0], &t[1] };
    Hct__Looked__Request q = HCT__LOOKED__REQUEST__INIT, *requests[] = { &q };
    Hct__Looked__Comm c = HCT__LOOKED__COMM__INIT, *comms[] = { &c };
    Hct__Looked__Model l = model_of(2 * who), *models[] = { &l };
    Hct__Looked__Model last = last_of(2 * who);

    for (unsigned i = 0; i < 2; i++) {
        t[i] = (Hct__Looked__Task)HCT__LOOKED__TASK__INIT;
        t[i].rank = 2 * who + i;
        t[i].life = 3;
        t[i].flags = 11;
        t[i].calls = 7;
        t[i].call = call;
        t[i].peer = (t[i].rank + 1) % 4;
        t[i].age_ns = 3000000000;
        t[i].wchan = (char *)"do_wait";
        if (tagged)
            t[i].tag_text = BYTES("step");
    }
    l.last = &last;
    q.rank = c.rank = 2 * who;
    SAY(who, LOOKED, Looked, HCT__LOOKED__INIT, m->job = 1, m->seq = seq,
        m->tasks = tasks, m->n_tasks = 2, m->requests = requests,
        m->n_requests = 1, m->comms = comms, m->n_comms = 1,
        m->models = models, m->n_models = 1);
}

/* As they are asked: a look, then two more; the slave of N0 tells several at
 * once at last. */
static void looks_in_time(const char *dir)
{
    Hct__Looked one = HCT__LOOKED__INIT;
    uint8_t packed[64];
    ProtobufCBinaryData more[2];

    start(4);
    for (uint64_t seq = 1; seq < 4; seq++) {
        raw(NOBODY, STEP_SPECIAL, "", 0);       /* time passes: a look begins */
        looked(N0, seq, seq == 2 ? 20 : 12, seq == 3);
        looked(N1, seq, 12, seq != 2);
    }
    raw(NOBODY, STEP_SPECIAL, "", 0);
    more[0].data = more[1].data = packed;
    more[0].len = more[1].len = hct__looked__pack(&one, packed);
    for (unsigned i = N0; i <= N1; i++)
        SAY(i, LOOKED, Looked, HCT__LOOKED__INIT, m->job = 1, m->seq = 4,
            m->n_more = 2, m->more = more);
    finish();
    tell(dir, "master", "looks-in-time");
}

/* Only what has been asked for counts, but it is read in any case. */
static void looks(const char *dir)
{
    Hct__Looked__Task t = HCT__LOOKED__TASK__INIT, *tasks[] = { &t };
    Hct__Looked__Request q = HCT__LOOKED__REQUEST__INIT, *requests[] = { &q };
    Hct__Looked__Comm c = HCT__LOOKED__COMM__INIT, *comms[] = { &c };
    Hct__Looked__Flight f = HCT__LOOKED__FLIGHT__INIT, *flights[] = { &f };
    Hct__Looked__Meeting e = HCT__LOOKED__MEETING__INIT, *meetings[] = { &e };
    uint32_t first = 0, two = 2;
    int32_t step = 1;

    start(4);
    t.rank = q.rank = c.rank = f.rank = e.rank = 1;
    e.id = 5;
    e.n_firsts = e.n_ns = e.n_steps = 1;
    e.firsts = &first;
    e.ns = &two;
    e.steps = &step;
    t.life = 3;
    t.flags = 11;
    t.calls = 7;
    t.tag_text = BYTES("step");
    for (uint64_t seq = 1; seq < 4; seq++)
        SAY(N0, LOOKED, Looked, HCT__LOOKED__INIT, m->job = 1, m->seq = seq,
            m->tasks = tasks, m->n_tasks = 1, m->requests = requests,
            m->n_requests = 1, m->comms = comms, m->n_comms = 1,
            m->flights = flights, m->n_flights = 1,
            m->meetings = meetings, m->n_meetings = 1);
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
    SAY(RUN, ALLOTMENT, Allotment, HCT__ALLOTMENT__INIT, m->job = 1,
        m->end_ns = 99, m->ending = true, m->reason = (char *)"requeued");
    SAY(RUN, ADOPT_END, AdoptEnd, HCT__ADOPT_END__INIT, m->job = 1);
    for (unsigned i = N0; i <= N2; i++)
        SAY(i, DRAINED, Drained, HCT__DRAINED__INIT, m->job = 1);
    tell(dir, "master", "adoption");
}

void master_tales(const char *dir)
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
    efforts();
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
    SAY(RUN, HOLD, Hold, HCT__HOLD__INIT, m->job = 1, m->order = 1);
    SAY(OPERATOR, PRIORITY, Priority, HCT__PRIORITY__INIT, m->job = 1,
        m->priority = -7, m->keep_class = 1);
    due(OPERATOR);
    SAY(N0, SCHEDULED, Scheduled, HCT__SCHEDULED__INIT, m->job = 1, m->sort = 1,
        m->nice = 7, m->applied = 3, m->why = (char *)"no");
    SAY(N0, YIELDED, Yielded, HCT__YIELDED__INIT, m->job = 1, m->serial = 1,
        m->tasks = 2, m->ran_ns = 5, m->cpus = (char *)"0", m->all = (char *)"0-1",
        m->raised = 1, m->may_raise = 20);
    SAY(OPERATOR, OPTIMIZE, Optimize, HCT__OPTIMIZE__INIT, m->dry_run = 1);
    SAY(OPERATOR, OPTIMIZE, Optimize, HCT__OPTIMIZE__INIT, m->dry_run = 0);
    SAY(OPERATOR, ASK, Ask, HCT__ASK__INIT, m->window = 1, m->phase = 2, m->job = 1);
    SAY(N0, HELD, Held, HCT__HELD__INIT, m->job = 1, m->at_ns = 9);
    SAY(OPERATOR, KILL, Kill, HCT__KILL__INIT, m->job = 1,
        m->ranks = (char *)"2");
    SAY(N1, HELD, Held, HCT__HELD__INIT, m->job = 1, m->rank = 2);
    finish();
    tell(dir, "master", "held");
    moves(dir);
    checkpoints(dir);
    drains(dir);
    looks(dir);
    looks_in_time(dir);
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
