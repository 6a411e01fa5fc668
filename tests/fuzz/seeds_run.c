/* seeds_run.c - what hector-run and hector(1) hear: streams, answers, trees. */
#include "tests/fuzz/seeds.h"

#include "proto/base/str.h"
#include "proto/plan/systembytes.h"
#include "proto/tree/prefixtree.h"

void redirector_tales(const char *dir)
{
    Hct__FindingTask task = HCT__FINDING_TASK__INIT, *where[1];

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
    SAY(1, INPUT_CREDIT, InputCredit, HCT__INPUT_CREDIT__INIT, m->bytes = 10,
        m->again = 1, m->came = 1);
    SAY(0, INPUT_CREDIT, InputCredit, HCT__INPUT_CREDIT__INIT, m->left = 1);
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
    where[0] = &task;
    task.rank = 1;
    task.node = (char *)"n1";
    task.function = task.file = (char *)"f";
    task.text = (char *)"task 1 on n1 waits";
    SAY(0, FINDING, Finding, HCT__FINDING__INIT, m->job = 7, m->kind = (char *)"hang",
        m->n_where = 1, m->where = where, m->ends = 1, m->ends_in_ns = 9);
    SAY(0, JOB_STATE, JobState, HCT__JOB_STATE__INIT, m->job = 7,
        m->state = (char *)"running", m->started = 1, m->ntasks = 2);
    SAY(0, JOB_ENDED, JobEnded, HCT__JOB_ENDED__INIT, m->job = 7,
        m->exit_code = 3, m->why = (char *)"it failed");
    tell(dir, "uplink", "life");
    SAY(0, REFUSE, Refuse, HCT__REFUSE__INIT, m->why = (char *)"no");
    tell(dir, "uplink", "refused");
}

void stream_tales(const char *dir)
{
    SAY(0, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_REDIRECTOR);
    SAY(0, INPUT, Input, HCT__INPUT__INIT, m->data = BYTES("line\n"));
    SAY(0, TERMINAL, Terminal, HCT__TERMINAL__INIT, m->rows = 33,
        m->columns = 99);
    raw(0, STEP_SPECIAL, "output", 6);
    SAY(0, INPUT_END, InputEnd, HCT__INPUT_END__INIT, m->at = 5);
    raw(0, STEP_CLOSE, "", 0);
    tell(dir, "streams", "life");
    SAY(0, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_REDIRECTOR);
    SAY(0, INPUT, Input, HCT__INPUT__INIT, m->data = BYTES("line\n"));
    raw(4, STEP_SPECIAL, "", 0);
    SAY(0, INPUT, Input, HCT__INPUT__INIT, m->data = BYTES("more\n"), m->at = 5);
    raw(5, STEP_SPECIAL, "", 0);
    raw(7, STEP_SPECIAL, "at2", 2);
    SAY(0, INPUT, Input, HCT__INPUT__INIT, m->data = BYTES("line\nmore\n"));
    raw(6, STEP_SPECIAL, "", 0);
    raw(7, STEP_SPECIAL, "", 0);
    tell(dir, "streams", "moves");
}

/* What a master answers to hector(1). */
void operator_welcome(unsigned command)
{
    SAY(command, WELCOME, Welcome, HCT__WELCOME__INIT, m->protocol = 1,
        m->role = HCT__ROLE__ROLE_MASTER);
}

/* Two nodes, and a job that has a task on each. */
static void tell_system(void)
{
    static const struct hct_host hosts[] = {
        { .id = 1, .slots = 2, .speed = 1 },
        { .id = 2, .slots = 4, .speed = 2 } };
    static const struct hct_work works[] = { { .id = 7, .ntasks = 2 } };
    static const struct hct_seat seats[] = {
        { .rank = 0, .host = 0, .wants = 1 },
        { .rank = 1, .host = 1, .wants = 1 } };
    const struct hct_system in = {
        .seq = 1, .move_s = 1, .move_bytes_s = 1e8, .nhosts = 2, .nworks = 1,
        .nseats = 2, .host_size = sizeof(hosts[0]),
        .work_size = sizeof(works[0]), .seat_size = sizeof(seats[0]),
        .traffic_size = sizeof(struct hct_traffic), .hosts = hosts,
        .works = works, .seats = seats };
    char a[] = "n1", b[] = "n2", *names[] = { a, b };
    struct str bytes = { 0 };

    systembytes_pack(&bytes, &in, names);
    SAY(0, SYSTEM, System, HCT__SYSTEM__INIT,
        m->optimizer = (char *)"stay",
        m->system.data = (uint8_t *)(uintptr_t)str_text(&bytes),
        m->system.len = bytes.n);
    str_fini(&bytes);
}

void operator_tales(const char *dir)
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
    SAY(0, MOVING, Moving, HCT__MOVING__INIT, m->job = 1,
        m->state = (char *)"apart", m->image_bytes = 4096);
    SAY(0, RESULT, Result, HCT__RESULT__INIT, m->ok = 1,
        m->text = (char *)"2 tasks are being ended");
    tell(dir, "operator", "kill");
    operator_welcome(66);
    SAY(0, LEAVING, Leaving, HCT__LEAVING__INIT, m->job = 1, m->ntasks = 2,
        m->fate = HCT__LEAVING__FATE__STAYS, m->text = (char *)"no room");
    SAY(0, RESULT, Result, HCT__RESULT__INIT, m->text = (char *)"1 job stays");
    tell(dir, "operator", "drain");
    operator_welcome(67);
    SAY(0, PLAN, Plan, HCT__PLAN__INIT, m->optimizer = (char *)"balance",
        m->seq = 3, m->n_steps = 1, m->steps = (Hct__Plan__Step *[]){
            &(Hct__Plan__Step){ .base = PROTOBUF_C_MESSAGE_INIT(
                                    &hct__plan__step__descriptor),
                                .kind = (char *)"move", .job = 7,
                                .node_from = (char *)"n1",
                                .node_to = (char *)"n2", .gain_s = 3,
                                .reason = (char *)"a faster node",
                                .error = (char *)"" } });
    SAY(0, RESULT, Result, HCT__RESULT__INIT, m->ok = 1,
        m->text = (char *)"1 step planned");
    tell(dir, "operator", "optimize");
    operator_welcome(83);
    tell_system();
    SAY(0, RESULT, Result, HCT__RESULT__INIT, m->ok = 1);
    tell(dir, "operator", "system");
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
    char *remarks[] = { (char *)"unix:/tmp/stream.sock" };
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
    m.remarks = remarks;
    m.copies = width;
    m.held_p50_ns = 40000;
    tale.bytes[0] = (uint8_t)width;
    tale.n = 1 + hct__call_tree__pack(&m, tale.bytes + 1);
    tell(dir, "stack", word);
    str_fini(&s);
}

void stack_tales(const char *dir)
{
    stack_tale(dir, "2d", 4, 1);
    stack_tale(dir, "3d", 70, 3);
}
