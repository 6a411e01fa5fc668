/* test_store.c - the database: schema, rows, events, errors. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/store/query.h"
#include "master/store/row.h"
#include "master/store/rows.h"
#include "master/store/schema.h"
#include "master/store/store.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/conf/calendar.h"

static char dir[PATHS_MAX], path[PATHS_MAX + 16];
static struct err err;

static int setup(void **state)
{
    (void)state;
    if (paths_make_private_dir(dir, sizeof(dir), &err))
        return -1;
    snprintf(path, sizeof(path), "%s/sub/dir/h.db", dir);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

static int row(void *arg, int n, const char *const *names,
               const struct store_value *v)
{
    (void)names;
    for (int i = 0; i < n; i++) {
        if (i)
            str_add(arg, "|");
        if (v[i].type == STORE_INT)
            str_addf(arg, "%lld", (long long)v[i].i);
        else if (v[i].type == STORE_REAL)
            str_addf(arg, "%g", v[i].d);
        else if (v[i].type != STORE_NULL)
            str_add_bytes(arg, v[i].text, v[i].bytes);
    }
    str_add(arg, "\n");
    return 0;
}

static void expect(struct store *st, const char *sql, const char *want)
{
    struct str out = { 0 };

    if (store_query(st, sql, row, &out, &err))
        fail_msg("%s: %s", sql, err.text);
    assert_string_equal(str_text(&out), want);
    str_fini(&out);
}

static struct store *open_it(void)
{
    struct store *st = store_open(path, &err);

    if (!st)
        fail_msg("%s", err.text);
    return st;
}

/* A job with two tasks on node "n1". */
static uint64_t make_job(struct store *st, const char *name)
{
    struct store_job j = { .name = name, .command = "hector-run x",
                           .state = "running", .ntasks = 2,
                           .submitted_ns = 5, .started_ns = 10 };
    struct store_node n = { .name = "n1", .state = "up", .cpus = 4,
                            .load = 0.5, .clock_offset_ns = { true, -3 },
                            .clock_error_ns = { true, 2 },
                            .seen_ns = 9 };
    int64_t id;

    assert_int_equal(store_put_node(st, &n, &id, &err), 0);
    assert_int_equal(store_put_job(st, &j, &err), 0);
    for (uint32_t r = 0; r < 2; r++) {
        struct store_task t = { .job = j.job, .rank = r, .node = id,
                                .pid = 100 + r, .state = "running",
                                .cpu_ns = 30, .cpu_in_mpi_ns = 10 };

        assert_int_equal(store_put_task(st, &t, &err), 0);
    }
    return j.job;
}

static void test_views(void **state)
{
    static const struct { const char *view, *columns; } views[] = {
        { "jobs", "job,name,command,ntasks,state,started_ns,ended_ns,"
                  "exit_code,batch,restarts,limit_ns,reason,from_job,"
                  "from_checkpoint,saved_node_hours,saved_core_hours,"
                  "saved_percent" },
        { "tasks", "job,rank,node,pid,state,exit_code,mpi_calls,in_mpi_ns,"
                   "out_mpi_ns,cpu_in_mpi_ns,cpu_out_mpi_ns,hold,held_ns,"
                   "waited_ns,class,nice,applied" },
        { "events", "job,rank,marker,label,call,enter_ns,exit_ns,node" },
        { "nodes", "node,state,cpus,load,memory_bytes,clock_offset_ns,"
                   "seen_ns,clock_error_ns,draining,drain_by,owner,owner_why,"
                   "owner_since_ns" },
        { "verdicts", "job,at_ns,policy,kind,phase,ranks,score,why" },
        { "actions", "job,at_ns,action,ranks,by,result,why" },
        { "calls", "job,rank,call,calls,in_ns,bytes,out_ns,max_ns" },
        { "sites", "job,rank,site,call,function,file,line,calls,in_ns,"
                   "bytes,out_ns,max_ns,place" },
        { "deadlines", "job,deadline,instance,rank,release_ns,due_ns,done_ns,"
                       "margin_ns,margin,late,bound_ns,slope,chance,number" },
        { "stays", "job,rank,node,pid,from_ns,to_ns" },
        { "moves", "job,number,ranks,from_nodes,to_node,asked_ns,ended_ns,"
                   "result,stood_ns,prepare_ns,quiesce_ns,drain_ns,places_ns,"
                   "apart_ns,image_ns,restore_ns,join_ns,pushes,retreats,"
                   "image_bytes" },
        { "callers", "site,depth,inlined,function,file,line,place,note" },
    };
    struct store *st = open_it();
    char sql[200], want[300];

    (void)state;
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        snprintf(sql, sizeof(sql), "SELECT group_concat(name) FROM "
                 "pragma_table_info('%s')", views[i].view);
        snprintf(want, sizeof(want), "%s\n", views[i].columns);
        expect(st, sql, want);
    }
    store_close(st);
}

static void put_step(struct store *st, uint64_t job, uint64_t at_ns,
                     const char *machine, const char *event)
{
    const struct store_transition t = { .job = job, .at_ns = at_ns,
        .machine = machine, .event = event, .state_from = "?",
        .state_to = "?" };

    assert_int_equal(store_put_transition(st, &t, &err), 0);
}

/* What a move has cost is made of its row, as it was first and at its end, and of
 * its steps: not those of another one, nor of tasks. */
static void test_moves(void **state)
{
    struct store *st = open_it();
    struct store_move m = { .asked_ns = 1000, .ranks = "1", .from_nodes = "n1",
                            .to_node = "n2" };
    static const struct { uint64_t at_ns; const char *event; } steps[] = {
        { 1001, "checked" }, { 1003, "quiet" }, { 1004, "thawed" },
        { 1011, "quiet" }, { 1014, "drained" }, { 1018, "apart" },
        { 1050, "imaged" }, { 1064, "restored" }, { 1080, "joined" },
        { 1081, "went" },
    };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    m.job = make_job(st, "moved");
    assert_int_equal(row_put(st, STORE_TABLE_move, &m, &err), 0);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        put_step(st, m.job, steps[i].at_ns, "move", steps[i].event);
    put_step(st, m.job, 1005, "task 1", "quiet");
    expect(st, "SELECT number, result IS NULL, ended_ns IS NULL FROM moves",
           "1|1|1\n");
    m.ended_ns = 1090;
    m.result = "done";
    m.sending_ns = 1023;
    m.sent_ns = 1043;
    m.image_bytes = 5;
    m.pushes = 2;
    m.retreats = 1;
    assert_int_equal(row_put(st, STORE_TABLE_move, &m, &err), 0);
    m = (struct store_move){ .job = m.job, .asked_ns = 2000, .ranks = "2-3",
        .from_nodes = "n1,n2", .to_node = "n3", .ended_ns = 2050,
        .result = "no" };
    assert_int_equal(row_put(st, STORE_TABLE_move, &m, &err), 0);
    put_step(st, m.job, 2004, "move", "checked");
    put_step(st, m.job, 2050, "move", "give_up");
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT number, ranks, from_nodes, to_node, result, stood_ns,"
           " prepare_ns, quiesce_ns, drain_ns, places_ns, apart_ns, image_ns,"
           " restore_ns, join_ns, pushes, retreats, image_bytes FROM moves"
           " ORDER BY number",
           "1|1|n1|n2|done|70|1|10|3|4|5|20|21|16|2|1|5\n"
           "2|2-3|n1,n2|n3|no||4||||||||0|0|0\n");
    store_close(st);
}

static void test_rows(void **state)
{
    struct store *st = open_it(), *other = open_it();
    struct store_job done;

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(make_job(st, "a"), 1);
    /* Somebody else has the lock: later, and nothing is lost. */
    assert_int_equal(store_begin(other, &err), -1);
    assert_int_equal(err.code, EBUSY);
    assert_int_equal(store_commit(st, &err), 0);
    assert_int_equal(store_begin(other, &err), 0);
    assert_int_equal(make_job(other, "b"), 2);
    store_rollback(other);
    assert_int_equal(store_begin(other, &err), 0);
    assert_int_equal(make_job(other, "c"), 2);
    assert_int_equal(store_commit(other, &err), 0);
    done = (struct store_job){ .job = 1, .name = "a", .state = "done",
                               .exit_code = { true, 0 }, .ended_ns = 20 };
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(store_put_job(st, &done, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT job, name, state, ended_ns, exit_code FROM jobs",
           "1|a|done|20|0\n2|c|running||\n");
    expect(st, "SELECT rank, node, pid, cpu_in_mpi_ns, cpu_out_mpi_ns "
           "FROM tasks WHERE job = 1", "0|n1|100|10|20\n1|n1|101|10|20\n");
    expect(st, "SELECT * FROM nodes", "n1|up|4|0.5||-3|9|2|||||\n");
    store_close(st);
    store_close(other);
}

static int note_name(void *arg, const char *name)
{
    strcat(arg, name);
    return 0;
}

/* That a node is draining stays as it is when somebody who does not know writes
 * the node, which happens every second. */
static void test_draining(void **state)
{
    static const struct { struct row_maybe put; const char *want; } steps[] = {
        { { false, 0 }, "" }, { { true, 1 }, "n1" }, { { false, 0 }, "n1" },
        { { true, 0 }, "" }, { { false, 0 }, "" },
    };
    struct store *st = open_it();

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct store_node n = { .name = "n1", .state = "up",
                                .draining = steps[i].put };
        char names[32] = "";
        int64_t id;

        assert_int_equal(store_put_node(st, &n, &id, &err), 0);
        assert_int_equal(query_draining(st, note_name, names, &err), 0);
        assert_string_equal(names, steps[i].want);
    }
    store_close(st);
}

static int note_owner(void *arg, const char *node, const char *is, const char *by)
{
    char *to = arg;

    snprintf(to, 64, "%s|%s|%s", node, is, by);
    return 0;
}

/* So is that of its owner. */
static void test_owners(void **state)
{
    static const struct { const char *is, *by, *want; } steps[] = {
        { NULL, NULL, "" }, { "here", NULL, "n1|here|" },
        { NULL, "owner", "n1|here|owner" }, { NULL, NULL, "n1|here|owner" },
        { "gone", "", "n1|gone|" }, { "", "operator", "n1||operator" },
        { "", "", "" },
    };
    struct store *st = open_it();

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct store_node n = { .name = "n1", .state = "up", .owner = steps[i].is,
                                .drain_by = steps[i].by };
        char found[64] = "";
        int64_t id;

        assert_int_equal(store_put_node(st, &n, &id, &err), 0);
        assert_int_equal(query_owners(st, note_owner, found, &err), 0);
        assert_string_equal(found, steps[i].want);
    }
    store_close(st);
}

/* Of what was asked for the last one, of verdicts eight, of each job. */
static void test_stacks(void **state)
{
    struct store *st = open_it();
    struct store_stack k = { .job = 1, .tree = { "abc", 3 } };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    make_job(st, "b");
    for (k.at_ns = 1; k.at_ns <= 20; k.at_ns++) {
        k.seq = k.at_ns % 2 ? 0 : k.at_ns;
        assert_int_equal(store_put_stack(st, &k, &err), 0);
    }
    k = (struct store_stack){ 2, 4, 7, { "d", 1 } };
    assert_int_equal(store_put_stack(st, &k, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT job, group_concat(seq), max(at_ns), min(tree)"
           " FROM (SELECT * FROM stack ORDER BY at_ns) GROUP BY job",
           "1|6,8,10,12,14,16,18,0,20|20|abc\n2|4|7|d\n");
    store_close(st);
}

/* Of each job the last one. */
static void test_models(void **state)
{
    struct store *st = open_it();
    struct store_model m = { .job = 1, .at_ns = 5, .model = { "abc", 3 } };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    assert_int_equal(store_put_model(st, &m, &err), 0);
    m = (struct store_model){ 1, 6, { "d\0e", 3 } };
    assert_int_equal(store_put_model(st, &m, &err), 0);
    m.job = 2;
    assert_int_equal(store_put_model(st, &m, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT job, at_ns, hex(model) FROM model ORDER BY job",
           "1|6|640065\n2|6|640065\n");
    store_close(st);
}

static void add_events(struct store *st, uint64_t job, uint32_t rank,
                       const struct store_event *e, size_t n, uint64_t upto)
{
    static const struct store_label labels[] = {
        { "send", 4 }, { "", 0 }, { "a\0b\tc", 5 },
    };
    struct store_batch b = { .job = job, .rank = rank, .node = 1,
                             .upto = upto, .events = e, .nevents = n,
                             .labels = labels, .nlabels = 3 };

    assert_int_equal(store_add_events(st, &b, &err), 0);
}

static void test_events(void **state)
{
    struct store *st = open_it();
    const struct store_event first[] = {
        { .seq = 0, .enter_ns = 100, .exit_ns = 110, .marker = -7, .call = CALL_Init },
        { .seq = 1, .enter_ns = 120, .label = 2, .call = CALL_Init },
        { .seq = 2, .enter_ns = 130, .exit_ns = 131, .label = 1,
          .call = 9999 },
    }, second[] = {
        { .seq = 1, .exit_ns = 125 },
        { .seq = 7, .exit_ns = 126 },           /* its entry was lost */
    };

    (void)state;
    store_begin(st, &err);
    make_job(st, "a");
    make_job(st, "b");
    add_events(st, 1, 0, first, 3, 3);
    store_commit(st, &err);
    /* Taken back: neither rows nor labels nor cached ids stay. */
    store_begin(st, &err);
    add_events(st, 2, 1, first, 3, 3);
    store_rollback(st);
    store_begin(st, &err);
    add_events(st, 2, 1, first, 1, 1);
    add_events(st, 1, 0, second, 2, 5);
    store_commit(st, &err);
    expect(st, "SELECT job, rank, marker, hex(label), call, "
           "enter_ns, exit_ns, node FROM events",
           "1|0|-7|73656E64|MPI_Init|100|110|n1\n"
           "1|0|0|6100620963|MPI_Init|120|125|n1\n"
           "1|0|0|||130|131|n1\n"
           "1|0|0|73656E64|||126|n1\n"
           "2|1|-7|73656E64|MPI_Init|100|110|n1\n");
    expect(st, "SELECT count(*) FROM events WHERE job = 2", "1\n");
    expect(st, "SELECT job, rank, records FROM task WHERE records > 0",
           "1|0|5\n2|1|1\n");
    expect(st, "SELECT count(*) FROM label", "3\n");
    store_close(st);
}

/* The greatest costs count; names stay; a site has one number. */
static void put_costs(struct store *st, uint64_t job, uint64_t calls,
                      const char *function, const char *note)
{
    struct store_module m = { 11, "/bin/solver", "ab01" };
    struct store_frame f[] = { { 21, 11, 0x1a4 }, { 22, 0, 0x7f00 } };
    const int64_t list[] = { 21, 22 };
    struct store_place s[] = { { 31, CALL_Send, list, 2 },
                               { 32, CALL_Init, NULL, 0 } };
    struct store_cost c[] = { { 0, 0, 31, calls, 100, 9, 80, 60 },
                              { 0, 0, 32, 1, 50, 0, 0, 50 },
                              { 0, 1, 31, 2, 30, 9, 8, 20 } };
    struct store_source n = { 21, 0, function, function ? "src/halo.c" : NULL,
                              function ? 7 : 0, note };
    struct store_profile p = {
        .job = job, .modules = &m, .frames = f, .sites = s, .costs = c,
        .names = &n, .nmodules = 1, .nframes = 2, .nsites = 2, .ncosts = 3,
        .nnames = function || note };

    assert_int_equal(store_put_profile(st, &p, &err), 0);
}

static void test_costs(void **state)
{
    struct store *st = open_it();

    (void)state;
    store_begin(st, &err);
    make_job(st, "a");
    make_job(st, "b");
    put_costs(st, 1, 5, NULL, "stripped");
    store_commit(st, &err);
    expect(st, "SELECT rank, call, function, calls, in_ns, place FROM sites "
           "WHERE site = 31", "0|MPI_Send||5|100|solver+0x1a4\n"
           "1|MPI_Send||2|30|solver+0x1a4\n");
    /* Taken back: what is remembered of it must be, too. */
    store_begin(st, &err);
    put_costs(st, 2, 1, NULL, NULL);
    store_rollback(st);
    store_begin(st, &err);
    put_costs(st, 1, 6, "halo", NULL);
    put_costs(st, 1, 7, NULL, "cannot be read");
    put_costs(st, 1, 4, NULL, NULL);
    put_costs(st, 2, 8, NULL, NULL);
    store_commit(st, &err);
    expect(st, "SELECT job, rank, call, function, file, line, calls, place "
           "FROM sites ORDER BY 1, 2, 3 DESC",
           "1|0|MPI_Send|halo|src/halo.c|7|7|halo halo.c:7\n"
           "1|0|MPI_Init||||1|\n"
           "1|1|MPI_Send|halo|src/halo.c|7|2|halo halo.c:7\n"
           "2|0|MPI_Send|halo|src/halo.c|7|8|halo halo.c:7\n"
           "2|0|MPI_Init||||1|\n"
           "2|1|MPI_Send|halo|src/halo.c|7|2|halo halo.c:7\n");
    expect(st, "SELECT call, sum(calls), sum(in_ns), max(max_ns) FROM calls "
           "WHERE job = 1 GROUP BY call",
           "MPI_Init|1|50|50\nMPI_Send|9|130|60\n");
    expect(st, "SELECT depth, function, place FROM callers WHERE site = 31",
           "0|halo|halo halo.c:7\n1||?+0x7f00\n");
    store_close(st);
}

static int stop_at_once(void *arg, int n, const char *const *names,
                        const struct store_value *v)
{
    (void)n;
    (void)names;
    (void)v;
    ++*(int *)arg;
    return 1;
}

static void test_readonly(void **state)
{
    struct store *st;
    struct store_value p[2] = { { .type = STORE_INT, .i = 1 },
                                { .type = STORE_TEXT, .text = "a" } };
    struct str out = { 0 };
    int rows = 0;

    (void)state;
    assert_null(store_open_readonly(path, &err));
    assert_non_null(strstr(err.text, "No such file"));
    st = open_it();
    store_begin(st, &err);
    make_job(st, "a");
    store_commit(st, &err);
    struct store *ro = store_open_readonly(path, &err);

    assert_non_null(ro);
    assert_int_equal(store_query_bound(ro, "SELECT ntasks FROM jobs WHERE "
                     "job = ?1 AND name = ?2", p, 2, NULL, row, &out, &err),
                     0);
    assert_string_equal(str_text(&out), "2\n");
    str_fini(&out);
    assert_int_equal(store_query(ro, "DELETE FROM job", NULL, NULL, &err), -1);
    assert_int_equal(store_query(ro, "SELEC", NULL, NULL, &err), -1);
    assert_non_null(strstr(err.text, "syntax error"));
    assert_int_equal(store_query(ro, "SELECT 1 UNION SELECT 2; SELECT 3",
                                 stop_at_once, &rows, &err), 0);
    assert_int_equal(rows, 1);
    store_close(ro);
    store_close(st);
}

static void foreign(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(paths_make_parents(path, &err), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_foreign_file(void **state)
{
    FILE *f;

    (void)state;
    foreign("CREATE TABLE t(x); PRAGMA journal_mode=DELETE");
    assert_null(store_open(path, &err));
    assert_non_null(strstr(err.text, "not a database of Hector"));
    unlink(path);
    foreign("PRAGMA application_id=1212372017; PRAGMA user_version=99");
    assert_null(store_open(path, &err));
    assert_non_null(strstr(err.text, "newer Hector"));
    f = fopen(path, "w");
    fputs("this is a text of more than sixteen bytes", f);
    fclose(f);
    assert_null(store_open(path, &err));
    assert_non_null(strstr(err.text, "not a database"));
}

static void test_unwritable(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/file", dir);
    fclose(fopen(path, "w"));
    strcat(path, "/h.db");
    assert_null(store_open(path, &err));
    assert_non_null(strstr(err.text, "cannot write"));
    assert_null(store_open(dir, &err));
    assert_non_null(strstr(err.text, "cannot write"));
}

static void expect_mode(const char *of, const char *behind, mode_t want)
{
    char file[2 * PATHS_MAX];
    struct stat sb;

    snprintf(file, sizeof(file), "%s%s", of, behind);
    assert_int_equal(stat(file, &sb), 0);
    assert_int_equal(sb.st_mode & 0777, want);
}

/* Of places the longest stay, and who came last; and so into the file. */
static void test_stays(void **state)
{
    struct store *st = open_it(), *mem = store_open(":memory:", &err);
    struct store_stay s = { .place = 1, .longest_ns = 5, .job = 1,
                            .at_ns = 10 };
    uint64_t longest_ns;

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    assert_int_equal(store_put_stay(st, &s, &err), 0);
    s = (struct store_stay){ UINT64_MAX, 7, 1, 10 };
    assert_int_equal(store_put_stay(st, &s, &err), 0);
    s = (struct store_stay){ 1, 4, 2, 20 };
    assert_int_equal(store_put_stay(st, &s, &err), 0);
    s = (struct store_stay){ UINT64_MAX, 8, 2, 20 };
    assert_int_equal(store_put_stay(st, &s, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT place, longest_ns, job, at_ns FROM stay ORDER BY 1",
           "-1|8|2|20\n1|5|2|20\n");

    assert_int_equal(store_seed(mem, 1, &err), 0);
    assert_int_equal(store_begin(mem, &err), 0);
    assert_int_equal(make_job(mem, "b"), 2);
    s = (struct store_stay){ 1, 6, 2, 30 };
    assert_int_equal(store_put_stay(mem, &s, &err), 0);
    s = (struct store_stay){ UINT64_MAX, 3, 2, 30 };
    assert_int_equal(store_put_stay(mem, &s, &err), 0);
    s = (struct store_stay){ 2, 1, 2, 30 };
    assert_int_equal(store_put_stay(mem, &s, &err), 0);
    assert_int_equal(store_commit(mem, &err), 0);
    assert_int_equal(store_merge(mem, path, &err), 0);
    expect(st, "SELECT place, longest_ns, job, at_ns FROM stay ORDER BY 1",
           "-1|8|2|30\n1|6|2|30\n2|1|2|30\n");
    assert_int_equal(query_longest_stay(st, UINT64_MAX, &longest_ns, &err), 0);
    assert_int_equal(longest_ns, 8);
    assert_int_equal(query_longest_stay(st, 3, &longest_ns, &err), 0);
    assert_int_equal(longest_ns, 0);
    store_close(mem);
    store_close(st);
}

static int on_open(void *arg, const char *policy, const char *kind)
{
    str_addf(arg, "%s %s\n", policy, kind);
    return 0;
}

static int on_hang(void *arg, const struct query_hang *h)
{
    str_addf(arg, "%s %s %llu told=%d acted=%d proposed=%u %s\n", h->policy,
             h->kind, (unsigned long long)h->seq, h->told, h->acted,
             h->proposed, h->why ? h->why : "-");
    return 0;
}

static void expect_found(struct store *st, const char *open, const char *hang)
{
    struct str out = { 0 };

    assert_int_equal(query_open(st, 1, on_open, &out, &err), 0);
    assert_string_equal(str_text(&out), open);
    str_reset(&out);
    assert_int_equal(query_open_hang(st, 1, on_hang, &out, &err), 0);
    assert_string_equal(str_text(&out), hang);
    str_fini(&out);
}

/* What a policy has not taken back, and what became of it: an action that was
 * not done does not count as one. */
static void test_found(void **state)
{
    struct store *st = open_it();
    struct store_verdict v = { .job = 1, .at_ns = 5, .policy = "a",
                               .kind = "hang", .seq = 3, .report = "r" };
    struct store_action a = { .job = 1, .at_ns = 6, .by = "a",
                              .action = "kill", .result = "not done: no" };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    expect_found(st, "", "");
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    v.policy = "b";
    v.kind = "slowdown";
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    assert_int_equal(store_put_action(st, &a, &err), 0);
    expect_found(st, "a hang\nb slowdown\n",
                 "a hang 3 told=0 acted=0 proposed=0 -\n");
    v.kind = "progress";
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    expect_found(st, "a hang\n", "");
    v = (struct store_verdict){ .job = 1, .at_ns = 7, .policy = "b",
                                .kind = "deadlock", .seq = 4, .why = "w",
                                .detail = "b\n  proposes to kill\n" };
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    a = (struct store_action){ .job = 1, .at_ns = 8, .by = "b",
                               .action = "suspend", .result = "ordered" };
    assert_int_equal(store_put_action(st, &a, &err), 0);
    a.action = "report";
    assert_int_equal(store_put_action(st, &a, &err), 0);
    expect_found(st, "a hang\nb deadlock\n",
                 "b deadlock 4 told=1 acted=1 proposed=3 w\n");
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

/* Good runs of a program are those that ended well, without a hang, and have a
 * model; of models those of the last ten of each program are kept, and those of
 * the latest jobs. */
static int on_run(void *arg, const struct store_run *row)
{
    str_addf(arg, "%llu %s\n", (unsigned long long)row->job,
             row->builds ? row->builds : "-");
    return 0;
}

static void put_run(struct store *st, uint64_t job, int64_t program, bool good)
{
    struct store_run r = { .job = job, .what = "./a 1", .environment = "" };
    struct store_model m = { .job = job, .model = { "m", 1 } };

    make_job(st, "r");
    assert_int_equal(store_put_run(st, &r, &err), 0);   /* as it begins */
    r.program = program;
    r.builds = program ? "a 01" : NULL;
    r.good = good;
    assert_int_equal(store_put_run(st, &r, &err), 0);
    if (program)
        assert_int_equal(store_put_model(st, &m, &err), 0);
}

static void test_runs(void **state)
{
    struct store *st = open_it();
    struct store_verdict v = { .job = 4, .policy = "p", .kind = "deadlock" };
    struct str s = { 0 };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    for (uint64_t job = 1; job <= 8; job++)
        put_run(st, job, job == 3 ? 5 : job == 7 ? 0 : 6, job != 2);
    assert_int_equal(store_put_verdict(st, &v, &err), 0);
    assert_int_equal(query_good_runs(st, 6, 8, 10, on_run, &s, &err), 0);
    assert_string_equal(str_text(&s), "6 a 01\n5 a 01\n1 a 01\n");
    str_reset(&s);
    assert_int_equal(query_good_runs(st, 6, 6, 1, on_run, &s, &err), 0);
    assert_string_equal(str_text(&s), "5 a 01\n");
    str_reset(&s);
    assert_int_equal(query_like_runs(st, "./a 1", 6, 2, on_run, &s, &err), 0);
    assert_string_equal(str_text(&s), "5 a 01\n3 a 01\n");
    str_reset(&s);
    assert_int_equal(query_run_of(st, 7, on_run, &s, &err), 0);
    assert_string_equal(str_text(&s), "7 -\n");
    str_fini(&s);
    for (uint64_t job = 9; job <= 250; job++)
        put_run(st, job, job <= 30 ? 6 : 8, true);
    assert_int_equal(store_tidy(st, &err), 0);
    expect(st, "SELECT group_concat(job) FROM (SELECT job FROM model WHERE"
           " job <= 50 ORDER BY job)",
           "3,21,22,23,24,25,26,27,28,29,30\n");
    expect(st, "SELECT count(*) FROM model WHERE job > 50", "200\n");
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

/* Without all that rows.h says has come after that version; all views go, as
 * they stand in the way. */
static void take_back(struct store *st, int version)
{
    struct str sql = { 0 };

    if (store_query(st, "SELECT 'DROP VIEW ' || name || ';' FROM sqlite_master"
                    " WHERE type = 'view'", row, &sql, &err))
        fail_msg("%s", err.text);
#define COLUMN(name, KIND, RULE, since, view, about)                          \
    if (since > version && there)                                             \
        str_addf(&sql, "ALTER TABLE %s DROP COLUMN %s;", table, #name);
#define TABLE(name, since, HOW, view, about)                                  \
    {                                                                         \
        const char *table = #name;                                            \
        bool there = since <= version;                                        \
                                                                              \
        if (!there)                                                           \
            str_addf(&sql, "DROP TABLE %s;", table);                          \
        STORE_##name(COLUMN)                                                  \
    }
    STORE_TABLES(TABLE)
#undef TABLE
#undef COLUMN
    str_addf(&sql, "PRAGMA user_version = %d", version);
    expect(st, str_text(&sql), "");
    str_fini(&sql);
}

/* Others can read nothing, whatever the umask is; unless they are let in
 * later. */
static void test_modes(void **state)
{
    mode_t was = umask(0);
    struct store *st = open_it();
    char real[PATHS_MAX + 16];

    (void)state;
    expect_mode(dir, "/sub", 0700);
    expect_mode(dir, "/sub/dir", 0700);
    expect(st, "PRAGMA journal_mode", "wal\n");
    expect(st, "PRAGMA secure_delete", "1\n");
    expect_mode(path, "", 0600);
    expect_mode(path, "-wal", 0600);
    expect_mode(path, "-shm", 0600);
    store_close(st);
    store_close(NULL);
    assert_int_equal(chmod(path, 0640), 0);
    st = open_it();
    expect_mode(path, "", 0640);
    expect_mode(path, "-wal", 0640);
    /* One of an earlier version was made as the umask said. */
    take_back(st, 7);
    store_close(st);
    st = open_it();
    expect_mode(path, "", 0600);
    expect_mode(path, "-wal", 0600);
    expect_mode(path, "-shm", 0600);
    store_close(st);
    /* A link to a file that is not there yet. */
    snprintf(real, sizeof(real), "%s/real.db", dir);
    unlink(path);
    assert_int_equal(symlink(real, path), 0);
    store_close(open_it());
    expect_mode(path, "", 0600);
    umask(was);
}

/* What is kept to take a job up again goes with its end, or its burial. */
static void test_resume(void **state)
{
    struct store *st = open_it();
    struct store_resume r = { .job = 1, .submit = { "abc", 3 } };
    struct store_job mine = { .name = "m", .state = "running", .ntasks = 1,
                              .master = 7 };
    struct store_job ending = { .name = "e", .state = "ending", .ntasks = 1,
                                .master = 7, .why = "SIGTERM" };
    struct store_grave nobody = { .master = 8, .now_ns = 99 };
    struct store_grave dead = { .master = 7, .now_ns = 99 };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(make_job(st, "a"), 1);
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    r.submit.p = NULL;                  /* as it is already */
    r.placement = (struct row_bytes){ "xy", 2 };
    r.killed = true;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    expect(st, "SELECT submit, placement, failed, killed FROM resume",
           "abc|xy|0|1\n");
    expect(st, "SELECT session, world, launcher_code FROM resume", "||\n");
    r.session = 1;
    r.world = "w";
    r.closing = r.launcher_code.known = true;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    expect(st, "SELECT session, world, closing, launcher_code, unfinalized "
           "FROM resume", "1|w|1|0|0\n");
    r.session = 0;
    r.world = NULL;
    r.launcher_code.known = false;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    expect(st, "SELECT session, world, launcher_code FROM resume", "||\n");
    assert_int_equal(store_drop_resume(st, 1, &err), 0);
    expect(st, "SELECT count(*) FROM resume", "0\n");

    assert_int_equal(store_put_job(st, &mine, &err), 0);
    r.job = mine.job;
    r.killed = false;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    assert_int_equal(store_put_job(st, &ending, &err), 0);
    r.job = ending.job;
    r.killed = true;
    r.kill_code = 143;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    assert_int_equal(store_bury(st, &nobody, &err), 0);
    expect(st, "SELECT state FROM job WHERE master = 7", "running\nending\n");
    assert_int_equal(store_bury(st, &dead, &err), 0);
    dead.now_ns = 100;
    dead.reason = dead.why = "late";
    assert_int_equal(store_bury(st, &dead, &err), 0);
    expect(st, "SELECT state, exit_code, ended_ns, why FROM job "
           "WHERE master = 7", "failed|125|99|hector-master died\n"
           "killed|143|99|SIGTERM\n");
    expect(st, "SELECT count(*) FROM resume", "0\n");
    expect(st, "SELECT job, state_from, state_to FROM transition WHERE event = 'bury'"
           " ORDER BY job", "2|running|failed\n3|ending|killed\n");
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

/* A batch system has ended the job of a master that nothing is heard of. */
static void test_ended_for(void **state)
{
    struct store *st = open_it();
    struct store_job j = { .name = "one", .state = "running", .ntasks = 1,
                           .command = "c", .master = 7, .batch = "Slurm 4" };
    struct store_job known = j, over = j;
    struct store_task t = { .state = "running" };
    struct store_grave dead = { .master = 7, .now_ns = 99, .reason = "cancelled",
                                .why = "Slurm 4 was cancelled" };

    (void)state;
    known.why = "of itself";
    known.reason = "requeued";
    over.state = "done";
    over.ended_ns = 9;
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(store_put_job(st, &j, &err), 0);
    assert_int_equal(store_put_job(st, &known, &err), 0);
    assert_int_equal(store_put_job(st, &over, &err), 0);
    t.job = j.job;
    assert_int_equal(store_put_task(st, &t, &err), 0);
    assert_int_equal(store_bury(st, &dead, &err), 0);
    expect(st, "SELECT state, exit_code, ended_ns, reason, why FROM job ORDER BY job",
           "killed|143|99|cancelled|Slurm 4 was cancelled\n"
           "killed|143|99|requeued|of itself\ndone||9||\n");
    expect(st, "SELECT state FROM task", "lost\n");
    expect(st, "SELECT job, state_to FROM transition WHERE event = 'bury' ORDER BY job",
           "1|killed\n2|killed\n");
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

/* A job of a batch system is begun again: what it had run before is over. */
static void test_superseded(void **state)
{
    struct store *st = open_it();
    struct store_job before = { .name = "one", .state = "running", .ntasks = 1,
                                .command = "c", .master = 7, .batch = "Slurm 4" };
    struct store_job other = before, next = before, same = before;
    struct store_resume r = { .session = 1 };
    struct store_task t = { .state = "running" };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    other.batch = "Slurm 5";
    next.restarts = same.restarts = 1;
    next.submitted_ns = 99;
    assert_int_equal(store_put_job(st, &before, &err), 0);
    r.job = t.job = before.job;
    assert_int_equal(store_put_resume(st, &r, &err), 0);
    assert_int_equal(store_put_task(st, &t, &err), 0);
    assert_int_equal(store_put_job(st, &other, &err), 0);
    assert_int_equal(store_put_job(st, &next, &err), 0);
    assert_int_equal(store_put_job(st, &same, &err), 0);
    assert_int_equal(store_put_job(st, &next, &err), 0);
    expect(st, "SELECT job, state, ended_ns, exit_code, reason, why FROM job"
           " ORDER BY job",
           "1|killed|99|143|requeued|Slurm 4 was begun again\n"
           "2|running||||\n3|running||||\n4|running||||\n");
    expect(st, "SELECT state FROM task", "lost\n");
    expect(st, "SELECT count(*) FROM resume", "0\n");
    expect(st, "SELECT job, state_to FROM transition WHERE event = 'bury'",
           "1|killed\n");
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

/* A batch system that does not count: the last job of an earlier run does. */
static void test_runs_counted(void **state)
{
    static const struct { const char *batch; uint64_t run_ns; uint32_t is; } table[] = {
        { "Grid Engine 4", 50, 7 }, { "Grid Engine 4", 150, 1 },
        { "Grid Engine 4", 250, 3 }, { "Grid Engine 5", 250, 7 },
    };
    struct store *st = open_it();
    struct store_job j = { .name = "one", .state = "done", .ntasks = 1,
                           .command = "c", .master = 7, .batch = "Grid Engine 4",
                           .submitted_ns = 100 };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(store_put_job(st, &j, &err), 0);
    j.job = 0;
    j.submitted_ns = 200;
    j.restarts = 2;
    assert_int_equal(store_put_job(st, &j, &err), 0);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        uint32_t restarts = 7;

        assert_int_equal(store_count_runs(st, table[i].batch, table[i].run_ns,
                                          &restarts, &err), 0);
        assert_int_equal(restarts, table[i].is);
    }
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);
}

static void put_events(struct store *st, uint64_t job, uint64_t first,
                       const struct store_event *e, size_t n)
{
    static const struct store_label labels[] = { { "one", 3 }, { "two", 3 } };
    struct store_batch b = { .job = job, .rank = 0, .node = 1,
                             .upto = first + n, .events = e, .nevents = n,
                             .labels = labels, .nlabels = 2 };

    assert_int_equal(store_add_events(st, &b, &err), 0);
}

/* Who comes while another one writes to a file without a write-ahead log gets
 * one as soon as that is over. */
static void test_log(void **state)
{
    struct store *st = open_it();
    sqlite3 *other;

    (void)state;
    store_close(st);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "PRAGMA journal_mode=DELETE;"
                                  "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    st = store_open_now(path, &err);
    assert_non_null(st);
    expect(st, "PRAGMA journal_mode", "delete\n");
    assert_int_equal(store_begin(st, &err), -1);
    assert_int_equal(err.code, EBUSY);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(store_begin(st, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "PRAGMA journal_mode", "wal\n");
    sqlite3_close(other);
    store_close(st);
}

/* From memory into the file: names are translated, numbers kept, calls that
 * were open are completed, and what is there already is not doubled. */
static void put_instance(struct store *st, uint64_t job, uint32_t deadline,
                         uint32_t rank, uint64_t instance, uint64_t done_ns)
{
    struct store_instance i = {
        .job = job, .deadline = deadline, .rank = rank, .instance = instance,
        .release_ns = 1000 * (int64_t)instance, .bound_ns = 5,
        .due_ns = 1000 * (int64_t)instance + 100, .done_ns = done_ns,
        .slope = instance > 1 ? -0.001 : NAN, .chance = instance > 1 ? 0.25 : NAN,
    };

    i.margin = done_ns ? (double)(i.due_ns - (int64_t)done_ns) / 100 : NAN;
    i.late = !done_ns || done_ns > (uint64_t)i.due_ns + 5;
    assert_int_equal(store_put_instance(st, &i, &err), 0);
}

/* As hector asks: of what is committed. */
static void expect_due(uint64_t job, bool programs, const char *want)
{
    struct store *st = store_open_readonly(path, &err);
    struct str out = { 0 };
    const struct query_rows to = { NULL, row, &out };
    bool any;

    assert_non_null(st);
    assert_int_equal(query_any_deadline(st, job, &any, &err), 0);
    assert_int_equal(any, *want != '\0');
    if (query_deadlines(st, job, programs, &to, &err))
        fail_msg("%s", err.text);
    assert_string_equal(str_text(&out), want);
    str_fini(&out);
    store_close(st);
}

static void commit_and_go_on(struct store *st)
{
    assert_int_equal(store_commit(st, &err), 0);
    assert_int_equal(store_begin(st, &err), 0);
}

/* What is told of an instance later counts in its place; one of no rank; what is
 * not known is NULL; and the sums of each, of the jobs that run, or the last. */
static void test_deadlines(void **state)
{
    struct store *st = open_it();
    struct store_deadline d = {
        .job = 1, .number = 1, .text = "A<=100ns", .kind = "call",
        .limit_ns = 100, .margin = 0.2, .ranks = "0-3", .added_ns = 7,
    };
    struct store_job ended = { .job = 1, .name = "a", .state = "done",
                               .submitted_ns = 5, .ended_ns = 9,
                               .exit_code = { true, 0 } };

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    make_job(st, "b");
    commit_and_go_on(st);
    expect_due(0, false, "");
    assert_int_equal(store_put_deadline(st, &d, &err), 0);
    d.over = true;
    d.added_ns = 8;
    assert_int_equal(store_put_deadline(st, &d, &err), 0);
    d = (struct store_deadline){ .job = 1, .number = 2, .text = "9s,firm",
        .kind = "end", .limit_ns = 9, .margin = 0.2, .firm = true };
    assert_int_equal(store_put_deadline(st, &d, &err), 0);
    put_instance(st, 1, 1, 0, 0, 0);
    put_instance(st, 1, 1, 0, 1, 1090);
    put_instance(st, 1, 1, 3, 2, 2103);         /* within the bound */
    put_instance(st, 1, 1, 0, 3, 0);
    put_instance(st, 1, 2, UINT32_MAX, 0, 0);
    put_instance(st, 1, 1, 0, 0, 150);
    expect(st, "SELECT job, deadline, instance, rank, release_ns, due_ns, done_ns,"
           " margin_ns, late, slope, number FROM deadlines ORDER BY number, rank,"
           " instance",
           "1|A<=100ns|0|0|0|100|150|-50|1||1\n"
           "1|A<=100ns|1|0|1000|1100|1090|10|0||1\n"
           "1|A<=100ns|3|0|3000|3100|||1|-0.001|1\n"
           "1|A<=100ns|2|3|2000|2100|2103|-3|0|-0.001|1\n"
           "1|9s,firm|0||0|100|||1||2\n");
    expect(st, "SELECT margin, chance, bound_ns FROM deadlines WHERE number = 1"
           " AND rank = 0 ORDER BY instance", "-0.5||5\n0.1||5\n|0.25|5\n");
    expect(st, "SELECT kind, limit_ns, margin, firm, ranks, over, added_ns FROM"
           " deadline", "call|100|0.2|0|0-3|1|7\nend|9|0.2|1||0|0\n");
    commit_and_go_on(st);
    expect_due(1, true,
        "1|1|A<=100ns|4|2|2|-0.03|-0.5|-0.001|0.25||call|100|0|0-3|1|7\n"
        "1|2|9s,firm|1|0|1||||||end|9|1||0|0\n");
    expect_due(1, false,
        "1|1|A<=100ns (taken back)|4|2|2|-3.0%|-50.0%|-10.0|25.0%|\n"
        "1|2|9s,firm|1|0|1|||||\n");
    expect_due(2, false, "");
    assert_int_equal(store_put_job(st, &ended, &err), 0);
    commit_and_go_on(st);
    expect_due(0, false, "");                   /* job 2 runs, and has none */
    ended.job = 2;
    assert_int_equal(store_put_job(st, &ended, &err), 0);
    commit_and_go_on(st);
    expect_due(0, false, "");
    d = (struct store_deadline){ .job = 2, .number = 1, .text = "B/1s",
                                 .kind = "period", .limit_ns = 1000000000 };
    assert_int_equal(store_put_deadline(st, &d, &err), 0);
    assert_int_equal(store_commit(st, &err), 0);
    expect_due(0, false, "2|1|B/1s|0|0|0|||||\n");
    store_close(st);
}

static void test_merge(void **state)
{
    static const struct store_event before[] = {
        { .seq = 0, .enter_ns = 10, .exit_ns = 11, .label = 1 },
        { .seq = 1, .enter_ns = 12, .label = 0 } };
    static const struct store_event after[] = {
        { .seq = 1, .exit_ns = 13, .label = 0 },
        { .seq = 2, .enter_ns = 14, .exit_ns = 15, .label = 0 },
        { .seq = 3, .enter_ns = 16, .label = 1 } };
    struct store *st = open_it(), *mem = store_open(":memory:", &err);
    struct store_node n0 = { .name = "n0", .state = "up" };
    struct store_job j = { .job = 1, .name = "a", .ntasks = 2,
                           .submitted_ns = 5, .started_ns = 10 };
    struct store_model model = { .job = 1, .at_ns = 9, .model = { "model", 5 } };
    struct store_deadline due = { .job = 1, .number = 1, .text = "A<=1s",
                                  .kind = "call", .added_ns = 3 };
    int64_t id;

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "a");
    put_events(st, 1, 0, before, 2);
    put_costs(st, 1, 5, NULL, "stripped");
    assert_int_equal(store_put_deadline(st, &due, &err), 0);
    put_instance(st, 1, 1, 0, 0, 0);
    put_instance(st, 1, 1, 0, 1, 1050);
    assert_int_equal(store_commit(st, &err), 0);
    store_close(st);

    assert_int_equal(store_seed(mem, 1, &err), 0);
    assert_int_equal(store_begin(mem, &err), 0);
    assert_int_equal(store_put_node(mem, &n0, &id, &err), 0);
    j.state = "running";
    assert_int_equal(store_put_job(mem, &j, &err), 0);
    put_events(mem, 1, 2, after, 3);
    put_costs(mem, 1, 6, "halo", NULL);
    assert_int_equal(store_put_model(mem, &model, &err), 0);
    due.over = true;
    due.added_ns = 4;
    assert_int_equal(store_put_deadline(mem, &due, &err), 0);
    put_instance(mem, 1, 1, 0, 0, 90);
    put_instance(mem, 1, 1, UINT32_MAX, 7, 7090);
    assert_int_equal(make_job(mem, "new"), 2);
    assert_int_equal(store_commit(mem, &err), 0);
    assert_int_equal(store_merge(mem, path, &err), 0);

    st = open_it();
    expect(st, "SELECT job, name, state FROM jobs", "1|a|running\n"
           "2|new|running\n");
    expect(st, "SELECT seq, enter_ns, exit_ns, l.text, n.name FROM event e "
           "JOIN label l ON l.id = e.label JOIN node n ON n.id = e.node "
           "ORDER BY e.id", "0|10|11|two|n1\n1|12|13|one|n1\n"
           "2|14|15|one|n0\n3|16||two|n0\n");
    expect(st, "SELECT count(*) FROM events WHERE job = 1", "4\n");
    expect(st, "SELECT rank, call, calls, place FROM sites WHERE site = 31",
           "0|MPI_Send|6|halo halo.c:7\n1|MPI_Send|2|halo halo.c:7\n");
    expect(st, "SELECT node FROM tasks WHERE job = 2 AND rank = 1", "n1\n");
    expect(st, "SELECT job, at_ns, model FROM model", "1|9|model\n");

    expect(st, "SELECT deadline, rank, instance, done_ns, over, added_ns FROM"
           " deadlines JOIN deadline d USING (job, number) ORDER BY rank, instance",
           "A<=1s||7|7090|1|3\nA<=1s|0|0|90|1|3\nA<=1s|0|1|1050|1|3\n");

    /* A number that somebody else has used: only when the job has ended. */
    assert_int_equal(store_begin(mem, &err), 0);
    j = (struct store_job){ .job = 2, .name = "b", .state = "running",
                            .submitted_ns = 77 };
    assert_int_equal(store_put_job(mem, &j, &err), 0);
    assert_int_equal(store_commit(mem, &err), 0);
    assert_int_equal(store_merge(mem, path, &err), -1);
    assert_int_equal(err.code, EAGAIN);
    assert_int_equal(store_begin(mem, &err), 0);
    j.state = "done";
    j.ended_ns = 88;
    j.exit_code.known = true;
    assert_int_equal(store_put_job(mem, &j, &err), 0);
    assert_int_equal(store_commit(mem, &err), 0);
    assert_int_equal(store_merge(mem, path, &err), 0);
    expect(st, "SELECT name, state, job > 2 FROM jobs WHERE name <> 'a'",
           "new|running|0\nb|done|1\n");
    store_close(mem);
    store_close(st);
}

/* Every table with its columns and their types, in no order. */
static const char sql_shape[] =
    "SELECT m.name, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk"
    " FROM sqlite_master m, pragma_table_info(m.name) c"
    " WHERE m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.name";

static void expect_shape_of_new(struct store *st)
{
    struct store *fresh = store_open(":memory:", &err);
    struct str want = { 0 };

    assert_non_null(fresh);
    assert_int_equal(store_query(fresh, sql_shape, row, &want, &err), 0);
    assert_true(want.n > 2000);
    expect(st, sql_shape, str_text(&want));
    str_fini(&want);
    store_close(fresh);
}

static int on_task(void *arg, const struct store_task *t, const char *node)
{
    str_addf(arg, "%u %s %s %s %llu\n", t->rank, node, t->state,
             t->hold ? t->hold : "-", (unsigned long long)t->held_ns);
    return 0;
}

static int on_tree(void *arg, const struct store_stack *k)
{
    (void)k;
    str_add(arg, "a stack");
    return 0;
}

/* What came later is NULL in a file of version 1, or there are no rows of it. */
static void expect_old_answers(struct store *st)
{
    struct str out = { 0 };
    uint64_t longest_ns;

    assert_non_null(st);
    assert_int_equal(store_version(st), 1);
    assert_true(query_has(st, STORE_TABLE_task));
    assert_false(query_has(st, STORE_TABLE_stack));
    assert_int_equal(query_job_tasks(st, 1, on_task, &out, &err), 0);
    assert_string_equal(str_text(&out), "0 n1 running - 0\n"
                        "1 n1 running - 0\n");
    str_reset(&out);
    assert_int_equal(query_last_stack(st, 1, on_tree, &out, &err), 0);
    assert_int_equal(out.n, 0);
    assert_int_equal(query_longest_stay(st, 1, &longest_ns, &err), 0);
    assert_int_equal(longest_ns, 0);
    expect_due(1, true, "");
    str_fini(&out);
}

/* The last version that kept nothing of deadlines. */
static void test_before_deadlines(void **state)
{
    struct store *st = open_it();

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "old");
    assert_int_equal(store_commit(st, &err), 0);
    take_back(st, 20);
    store_close(st);
    st = store_open_readonly(path, &err);
    assert_non_null(st);
    assert_false(query_has(st, STORE_TABLE_deadline));
    expect_due(1, false, "");
    store_close(st);
    st = open_it();
    expect_shape_of_new(st);
    assert_int_equal(store_begin(st, &err), 0);
    put_instance(st, 1, 1, 0, 0, 7);
    assert_int_equal(store_commit(st, &err), 0);
    expect(st, "SELECT deadline, name, margin_ns FROM deadlines JOIN jobs USING (job)",
           "|old|93\n");
    store_close(st);
}

/* A file of version 1 becomes a present one, with all it had. */
static void test_migration(void **state)
{
    struct store *st = open_it();
    char version[16];

    (void)state;
    assert_int_equal(store_begin(st, &err), 0);
    make_job(st, "old");
    assert_int_equal(store_commit(st, &err), 0);
    take_back(st, 9);
    /* From here on by hand, whatever rows.h says. */
    expect(st, "DROP TABLE resume; ALTER TABLE master DROP COLUMN process;"
           "ALTER TABLE task DROP COLUMN hold;"
           "ALTER TABLE task DROP COLUMN held_ns;"
           "ALTER TABLE task DROP COLUMN held_since_ns;"
           "DROP TABLE cost; DROP TABLE site_frame;"
           "DROP TABLE site; DROP TABLE source; DROP TABLE frame;"
           "DROP TABLE module; DROP TABLE look; DROP TABLE stack;"
           "DROP TABLE model; DROP TABLE stay;"
           "ALTER TABLE verdict DROP COLUMN seq;"
           "ALTER TABLE verdict DROP COLUMN age_ns;"
           "ALTER TABLE verdict DROP COLUMN detail;"
           "ALTER TABLE verdict DROP COLUMN report;"
           "PRAGMA user_version = 1", "");
    store_close(st);
    st = store_open_readonly(path, &err);
    expect_old_answers(st);
    store_close(st);
    st = open_it();
    snprintf(version, sizeof(version), "%d\n", schema_version());
    expect(st, "PRAGMA user_version", version);
    expect(st, "SELECT name FROM jobs", "old\n");
    expect(st, "SELECT count(*) FROM sites", "0\n");
    expect(st, "SELECT count(*) FROM calls", "0\n");
    expect(st, "SELECT count(*) FROM callers", "0\n");
    expect(st, "SELECT count(*) FROM resume", "0\n");
    expect(st, "SELECT count(process) FROM master", "0\n");
    expect(st, "SELECT DISTINCT hold, held_ns FROM tasks", "|0\n");
    expect(st, "SELECT count(*) FROM stack", "0\n");
    expect(st, "SELECT count(*) FROM model", "0\n");
    expect(st, "SELECT count(*) FROM stay", "0\n");
    expect_shape_of_new(st);
    store_close(st);
}

/* Who makes the file may get no processor for longer than the others wait; they
 * may not wait that little that a dozen times are not enough. */
static struct store *open_patiently(const char *file)
{
    struct store *st = NULL;

    for (int i = 0; i < 12 && !st; i++) {
        st = store_open(file, &err);
        if (!st && !strstr(err.text, "locked"))
            break;
    }
    return st;
}

/* Several masters that make the same file at the same moment. */
static void test_together(void **state)
{
    char file[PATHS_MAX + 40];
    int failed = 0, status;

    (void)state;
    for (int round = 0; round < 40; round++) {
        int go[2];

        snprintf(file, sizeof(file), "%s%d", path, round);
        assert_int_equal(pipe(go), 0);
        for (int i = 0; i < 8; i++)
            if (fork() == 0) {
                char c;

                close(go[1]);
                while (read(go[0], &c, 1) > 0)
                    ;
                if (open_patiently(file))
                    _exit(0);
                print_message("# %s\n", err.text);
                _exit(1);
            }
        close(go[0]);
        close(go[1]);           /* off they go */
        for (int i = 0; i < 8; i++)
            failed += wait(&status) < 0 || status != 0;
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_views),
        T(test_moves),
        T(test_rows), T(test_draining), T(test_owners),
        T(test_stacks), T(test_models), T(test_stays), T(test_found),
        T(test_events),
        T(test_costs),
        T(test_readonly),
        T(test_foreign_file),
        T(test_unwritable),
        T(test_modes),
        T(test_resume), T(test_ended_for), T(test_superseded), T(test_runs_counted),
        T(test_log), T(test_merge),
        T(test_deadlines), T(test_runs), T(test_migration),
        T(test_before_deadlines),
        T(test_together),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
