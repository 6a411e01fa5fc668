/* test_master_profile.c - costs of calls on their way into the database: the
 * greatest ones count, also after the end of a task; what makes no sense ends the
 * link and leaves no trace. */
#include "tests/unit/master_rig.h"

#include "master/store/profile.h"
#include "mpi-wrappers/table/calls.h"

static struct peer *slave, *run;

/* A message that is right: two sites, one of them without frames, costs of
 * one task, a name. Tests make it wrong. */
struct words {
    Hct__Profile m;
    Hct__Profile__Module module, *modules[1];
    Hct__Profile__Frame frame, *frames[1];
    Hct__Profile__Site site[2], *sites[2];
    Hct__Profile__Task task, *tasks[1];
    Hct__Profile__Name name, *names[1];
    uint32_t list[2], of[2];
    uint64_t v[5][2];
};

static void words_init(struct words *w, uint64_t calls)
{
    *w = (struct words){
        .m = HCT__PROFILE__INIT, .module = HCT__PROFILE__MODULE__INIT,
        .frame = HCT__PROFILE__FRAME__INIT,
        .site = { HCT__PROFILE__SITE__INIT, HCT__PROFILE__SITE__INIT },
        .task = HCT__PROFILE__TASK__INIT, .name = HCT__PROFILE__NAME__INIT,
        .of = { 0, 1 },
        .v = { { calls, 1 }, { 10, 2 }, { 30, 4 }, { 50, 6 }, { 7, 8 } } };
    w->modules[0] = &w->module;
    w->frames[0] = &w->frame;
    w->sites[0] = &w->site[0];
    w->sites[1] = &w->site[1];
    w->tasks[0] = &w->task;
    w->names[0] = &w->name;
    w->module.path = (char *)"/bin/solver";
    w->module.build_id = (ProtobufCBinaryData){ 2, (uint8_t *)"\x1a\xff" };
    w->frame.module = 1;
    w->frame.offset = 0x123;
    w->site[0].call = CALL_Send;
    w->site[0].n_frames = 1;
    w->site[0].frames = w->list;
    w->site[1].call = CALL_Recv;
    w->task.rank = 1;
    w->task.n_site = w->task.n_calls = w->task.n_in_ns = 2;
    w->task.n_out_ns = w->task.n_bytes = w->task.n_max_ns = 2;
    w->task.site = w->of;
    w->task.calls = w->v[0];
    w->task.in_ns = w->v[1];
    w->task.out_ns = w->v[2];
    w->task.bytes = w->v[3];
    w->task.max_ns = w->v[4];
    w->name.function = (char *)"halo";
    w->name.file = (char *)"src/halo.c";
    w->name.line = 9;
    w->m.job = 1;
    w->m.modules = w->modules;
    w->m.frames = w->frames;
    w->m.sites = w->sites;
    w->m.tasks = w->tasks;
    w->m.names = w->names;
    w->m.n_modules = w->m.n_frames = w->m.n_tasks = w->m.n_names = 1;
    w->m.n_sites = 2;
}

static void send_words(struct words *w)
{
    conn_send(slave->c, MESSAGE_PROFILE, &w->m);
}

static void test_sums(void **state)
{
    struct rig *r = *state;
    struct words w;

    rig_run_two(r, &slave, &run);
    for (uint64_t calls = 5; calls < 8; calls++) {
        words_init(&w, calls);
        send_words(&w);
    }
    peer_exit(slave, 1, 1, 0, 0, "");
    words_init(&w, 9);                  /* it had left something behind */
    w.m.n_names = 0;
    w.v[3][0] = UINT64_MAX;
    send_words(&w);
    peer_exit(slave, 1, 0, 0, 0, "");
    peer_drained(slave, 1);
    rig_wait(run, "JobEnded job=1 code=0");
    rig_expect(r, "SELECT rank, call, place, calls, in_ns, out_ns, bytes, "
               "max_ns FROM sites ORDER BY call DESC",
               "1|MPI_Send|halo halo.c:9|9|10|30|9223372036854775807|7\n"
               "1|MPI_Recv||1|2|4|6|8\n");
    rig_expect(r, "SELECT path, build_id FROM module", "/bin/solver|1aff\n");
    rig_expect(r, "SELECT count(*) FROM site WHERE id BETWEEN 1 AND "
               "(1 << 52) - 1", "2\n");
}

/* Each makes a message wrong in one way. */
static void bad_module(struct words *w) { w->frame.module = 2; }
static void bad_frame(struct words *w) { w->list[0] = 1; }
static void bad_site(struct words *w) { w->of[1] = 2; }
static void bad_rank(struct words *w) { w->task.rank = 2; }
static void bad_huge_rank(struct words *w) { w->task.rank = UINT32_MAX; }
static void bad_column(struct words *w) { w->task.n_out_ns = 1; }
static void bad_name_frame(struct words *w) { w->name.frame = 1; }
static void bad_depth(struct words *w) { w->name.depth = PROFILE_DEPTH; }

static char long_text[PROFILE_TEXT + 2];
static void bad_text(struct words *w) { w->name.file = long_text; }
static void bad_path(struct words *w) { w->module.path = long_text; }
static void bad_id(struct words *w)
{
    w->module.build_id = (ProtobufCBinaryData){ sizeof(long_text),
                                                (uint8_t *)long_text };
}

static uint32_t many[PROFILE_SITE_FRAMES + 1];
static void bad_stack(struct words *w)
{
    w->site[0].n_frames = PROFILE_SITE_FRAMES + 1;
    w->site[0].frames = many;
}

static Hct__Profile__Site *crowd[PROFILE_SITES + 1];
static void bad_crowd(struct words *w)
{
    for (size_t i = 0; i <= PROFILE_SITES; i++)
        crowd[i] = &w->site[1];
    w->m.sites = crowd;
    w->m.n_sites = PROFILE_SITES + 1;
}

static void test_nonsense(void **state)
{
    static void (*const bad[])(struct words *) = {
        bad_module, bad_frame, bad_site, bad_rank, bad_huge_rank, bad_column,
        bad_name_frame, bad_depth, bad_text, bad_path, bad_id, bad_stack,
        bad_crowd,
    };
    struct rig *r = *state;
    struct words w;
    struct err err;

    memset(long_text, 'x', sizeof(long_text) - 1);
    rig_run_two(r, &slave, &run);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct job *j = jobs_find(&r->master->jobs, 1);

        words_init(&w, 1);
        assert_int_equal(profile_take(r->master->journal, j, &j->nodes[0], &w.m,
                                      &err), 0);
        bad[i](&w);
        assert_int_equal(profile_take(r->master->journal, j, &j->nodes[0], &w.m,
                                      &err), -1);
        assert_int_equal(err.code, EPROTO);
    }
    words_init(&w, 1);
    w.m.job = 99;                       /* has ended: nobody minds */
    send_words(&w);
    words_init(&w, 3);
    send_words(&w);
    rig_end_two(slave, run);
    rig_expect(r, "SELECT calls FROM sites WHERE call = 'MPI_Send'", "3\n");
}

static void test_link(void **state)
{
    struct rig *r = *state;
    struct words w;

    rig_run_two(r, &slave, &run);
    words_init(&w, 1);
    bad_site(&w);
    send_words(&w);
    rig_wait(slave, "closed");
    rig_wait(run, "why=node a was lost: ");
    rig_expect(r, "SELECT count(*) FROM cost", "0\n");
}

/* Files without a build id are told apart by job: what stands at a path may
 * be another program next time. */
static void test_without_id(void **state)
{
    struct rig *r = *state;
    struct words w;

    rig_run_two(r, &slave, &run);
    words_init(&w, 1);
    w.module.build_id.len = 0;
    send_words(&w);
    rig_end_two(slave, run);
    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a" } });
    rig_wait(run, "JobState job=2 running 2/2");
    words_init(&w, 1);
    w.m.job = 2;
    w.m.n_names = 0;
    w.module.build_id.len = 0;
    send_words(&w);
    peer_exit(slave, 2, 0, 0, 0, "");
    peer_exit(slave, 2, 1, 0, 0, "");
    peer_drained(slave, 2);
    rig_wait(run, "JobEnded job=2 code=0");
    rig_expect(r, "SELECT job, place FROM sites WHERE call = 'MPI_Send'",
               "1|halo halo.c:9\n2|solver+0x123\n");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        T(test_sums), T(test_nonsense), T(test_link),
        T(test_without_id),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
