/* test_options.c - the command line of hector-run: every option in every
 * spelling, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/options/options.h"
#include "redirector/options/usage.h"
#include "redirector/out/out.h"

/* Words of a command line, divided by blanks ("_" stands for one, "''" for an
 * empty word). */
struct words { char *argv[64]; int argc; char *text; };

static void words_split(struct words *w, const char *text)
{
    char *save = NULL;

    w->text = strdup(text);
    w->argc = 0;
    w->argv[w->argc++] = (char *)"hector-run";
    for (char *p = strtok_r(w->text, " ", &save); p;
         p = strtok_r(NULL, " ", &save)) {
        if (strcmp(p, "''") == 0)
            *p = '\0';
        for (char *c = p; *c; c++)
            if (*c == '_')
                *c = ' ';
        w->argv[w->argc++] = p;
    }
    w->argv[w->argc] = NULL;
}

/* Everything that was understood, as text: only what is not the default. */
static void describe(const struct options *o, struct str *s)
{
    for (size_t i = 0; i < o->napps; i++) {
        const struct options_app *a = &o->apps[i];

        str_addf(s, "%s[", i ? " " : "");
        for (size_t k = 0; k < a->argc; k++)
            str_addf(s, "%s%s", k ? " " : "", a->argv[k]);
        str_add(s, "]");
        if (a->ntasks)
            str_addf(s, " n=%u", a->ntasks);
        if (a->wdir)
            str_addf(s, " wdir=%s", a->wdir);
        for (size_t k = 0; k < a->env.n; k++)
            str_addf(s, " x=%s", a->env.v[k]);
    }
    if (o->per_node)
        str_addf(s, " N=%u", o->per_node);
    if (o->by_node)
        str_add(s, " bynode");
    if (o->oversubscribe)
        str_add(s, " over");
    for (size_t k = 0; k < o->env.n; k++)
        str_addf(s, " genv=%s", o->env.v[k]);
    for (size_t k = 0; k < o->hosts.n; k++)
        str_addf(s, " H=%s", o->hosts.v[k]);
    if (o->hostfile)
        str_addf(s, " hostfile=%s", o->hostfile);
    if (o->agent)
        str_addf(s, " agent=%s", o->agent);
    if (o->master)
        str_addf(s, " master=%s", o->master);
    if (strcmp(o->stdin_ranks, "0") != 0)
        str_addf(s, " stdin=%s", o->stdin_ranks);
    if (o->label)
        str_addf(s, " label=%d", (int)o->label);
    if (o->timestamp)
        str_add(s, " time");
    if (o->merge_stderr)
        str_add(s, " merge");
    if (o->buffer)
        str_addf(s, " buffer=%s", o->buffer);
    if (o->output_dir)
        str_addf(s, " dir=%s", o->output_dir);
    if (o->stdtim)
        str_addf(s, " stdtim=%s", o->stdtim);
    if (o->timeout_ns)
        str_addf(s, " timeout=%g", (double)o->timeout_ns / 1e9);
    if (o->migratable)
        str_add(s, " moves");
    if (o->checkpoint_dir)
        str_addf(s, " saved=%s", o->checkpoint_dir);
    if (o->checkpoint_every_ns)
        str_addf(s, " every=%g", (double)o->checkpoint_every_ns / 1e9);
    if (o->max_restarts)
        str_addf(s, " restarts=%u", o->max_restarts);
    if (o->restart)
        str_addf(s, " from=%s", o->restart);
    if (o->name)
        str_addf(s, " name=%s", o->name);
    if (o->db)
        str_addf(s, " db=%s", o->db);
    for (size_t k = 0; k < o->policies.n; k++)
        str_addf(s, " policy=%s", o->policies.v[k]);
    if (o->on_hang)
        str_addf(s, " hang=%s", o->on_hang);
    for (size_t k = 0; k < o->due.n; k++)
        str_addf(s, " due=%s", o->due.v[k].text);
    for (size_t k = 0; k < o->calendars.n; k++)
        str_addf(s, " calendar=%s", o->calendars.v[k]);
    if (o->on_deadline)
        str_addf(s, " late=%s", o->on_deadline);
    if (o->max_suspend.said)
        str_addf(s, " stands=%u", o->max_suspend.percent);
    if (o->adopt)
        str_add(s, " adopt");
    if (o->verbose)
        str_add(s, " v");
    if (o->quiet)
        str_add(s, " q");
}

static const struct { const char *in, *out; } good[] = {
    { "p", "[p]" },
    { "p a -b --c -n 3", "[p a -b --c -n 3]" },
    { "-- -p a", "[-p a]" },
    { "-n 2 -- p -- q", "[p -- q] n=2" },
    { "- a", "[- a]" },
    { "-n 4 p", "[p] n=4" },
    { "-n4 p", "[p] n=4" },
    { "-n=4 p", "[p] n=4" },
    { "--n 4 p", "[p] n=4" },
    { "-np 4 p", "[p] n=4" },
    { "--np=4 p", "[p] n=4" },
    { "-c 4 p", "[p] n=4" },
    { "--ntasks 4 p", "[p] n=4" },
    { "--ntasks=4 p", "[p] n=4" },
    { "-N 2 p", "[p] N=2" },
    { "-npernode 2 p", "[p] N=2" },
    { "--npernode 2 p", "[p] N=2" },
    { "--ppn=2 p", "[p] N=2" },
    { "--ntasks-per-node=2 p", "[p] N=2" },
    { "-pernode p", "[p] N=1" },
    { "--map-by node p", "[p] bynode" },
    { "--map-by slot p", "[p]" },
    { "-map-by node --map-by=slot p", "[p]" },
    { "--bynode p", "[p] bynode" },
    { "--bynode --byslot p", "[p]" },
    { "--oversubscribe p", "[p] over" },
    { "-oversubscribe p", "[p] over" },
    { "--allow-run-as-root p", "[p]" },
    { "--wdir /tmp p", "[p] wdir=/tmp" },
    { "-wd x p", "[p] wdir=x" },
    { "-D x p", "[p] wdir=x" },
    { "--chdir=x p", "[p] wdir=x" },
    { "-x A p", "[p] x=A" },
    { "-x A=1 -x B= p", "[p] x=A=1 x=B=" },
    { "-x A=b=c p", "[p] x=A=b=c" },
    { "-genv A 1 p", "[p] genv=A=1" },
    { "--genv A '' p", "[p] genv=A=" },
    { "-H a,b:4 p", "[p] H=a,b:4" },
    { "-H a -H b p", "[p] H=a H=b" },
    { "--host a p", "[p] H=a" },
    { "-host a p", "[p] H=a" },
    { "--hosts=a,b p", "[p] H=a,b" },
    { "-w n[1-3] p", "[p] H=n[1-3]" },
    { "--nodelist n1 p", "[p] H=n1" },
    { "--hostfile f p", "[p] hostfile=f" },
    { "-hostfile f p", "[p] hostfile=f" },
    { "--machinefile=f p", "[p] hostfile=f" },
    { "-f f p", "[p] hostfile=f" },
    { "--launch-agent ssh_-p_22 p", "[p] agent=ssh -p 22" },
    { "--master unix:/s p", "[p] master=unix:/s" },
    { "--stdin 0 p", "[p]" },
    { "--stdin 3 -n 4 p", "[p] n=4 stdin=3" },
    { "--stdin=all p", "[p] stdin=all" },
    { "-i none p", "[p] stdin=none" },
    { "--input none p", "[p] stdin=none" },
    { "-l p", "[p] label=1" },
    { "--label p", "[p] label=1" },
    { "--tag-output p", "[p] label=2" },
    { "-tag-output p", "[p] label=2" },
    { "--timestamp-output p", "[p] time" },
    { "-l --timestamp-output p", "[p] label=1 time" },
    { "--output-dir d p", "[p] dir=d" },
    { "--merge-stderr-to-stdout p", "[p] merge" },
    { "--buffer block p", "[p] buffer=block" },
    { "--buffer=line p", "[p] buffer=line" },
    { "-u p", "[p] buffer=none" },
    { "--unbuffered p", "[p] buffer=none" },
    { "--stdtim p", "[p] stdtim=-" },
    { "--stdtim=- p", "[p] stdtim=-" },
    { "--stdtim=/tmp/f p", "[p] stdtim=/tmp/f" },
    { "--stdtim=fd:7 p", "[p] stdtim=fd:7" },
    { "--timeout 10 p", "[p] timeout=10" },
    { "--timeout=1.5s p", "[p] timeout=1.5" },
    { "--timeout 2m p", "[p] timeout=120" },
    { "--migratable p", "[p] moves" },
    { "--checkpoint-dir d p", "[p] moves saved=d restarts=3" },
    { "--checkpoint-dir=d --checkpoint-every 5m --max-restarts 0 p",
      "[p] moves saved=d every=300" },
    { "--max-restarts=7 --checkpoint-dir d p",
      "[p] moves saved=d restarts=7" },
    { "--restart d", "[] moves from=d" },
    { "-n 2 --restart d", "[] n=2 moves from=d" },
    { "--restart d p 1", "[p 1] moves from=d" },
    { "--restart d a : b", "[a] [b] moves from=d" },
    { "--restart d --checkpoint-dir d --checkpoint-every 5",
      "[] moves saved=d every=5 restarts=3 from=d" },
    { "--name n p", "[p] name=n" },
    { "--db f p", "[p] db=f" },
    { "--policy hang p", "[p] policy=hang" },
    { "--policy hang:a=1,b=x:y --policy load p",
      "[p] policy=hang:a=1,b=x:y policy=load" },
    { "--on-hang report p", "[p] hang=report" },
    { "--on-hang=suspend p", "[p] hang=suspend" },
    { "--on-hang kill p", "[p] hang=kill" },
    { "--deadline 1h p", "[p] due=1h" },
    { "--deadline A_b<=20ms --deadline=c/1s,ranks=0-3,7,firm p",
      "[p] due=A b<=20ms due=c/1s,ranks=0-3,7,firm" },
    { "--calendar f --calendar=g --on-deadline report p",
      "[p] calendar=f calendar=g late=report" },
    { "--on-deadline act --deadline 1s p", "[p] due=1s late=act" },
    { "--calendar f --on-deadline act --max-suspend 0 p",
      "[p] calendar=f late=act stands=0" },
    { "--policy none --policy deadline:h=3 --deadline 1s p",
      "[p] policy=none policy=deadline:h=3 due=1s" },
    { "--policy none --policy /x/own.so --deadline 1s p",
      "[p] policy=none policy=/x/own.so due=1s" },
    { "--adopt --deadline 1s -- m", "[m] due=1s adopt" },
    { "-v p", "[p] v" },
    { "--verbose -q p", "[p] v q" },
    { "-n 2 a 1 : -n 3 b 2", "[a 1] n=2 [b 2] n=3" },
    { "-n 1 -x A=1 --wdir d a : b", "[a] n=1 wdir=d x=A=1 [b]" },
    { "-l a : --stdin all b", "[a] [b] stdin=all label=1" },
    { "a : b : c", "[a] [b] [c]" },
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct options o;
        struct words w;
        struct err err = { 0 };
        struct str s = { 0 };

        words_split(&w, good[i].in);
        if (options_parse(&o, w.argc, w.argv, &err) < 0)
            fail_msg("%s: %s", good[i].in, err.text);
        assert_int_equal(o.action, OPTIONS_RUN);
        describe(&o, &s);
        if (strcmp(str_text(&s), good[i].out) != 0)
            fail_msg("%s: got %s", good[i].in, str_text(&s));
        str_fini(&s);
        options_fini(&o);
        free(w.text);
    }
}

/* The sentence has to name what is wrong. */
static const struct { const char *in, *says; } bad[] = {
    { "", "no program" },
    { "-n 2", "no program" },
    { "--", "no program" },
    { "-n", "-n needs a value" },
    { "-n p", "-n \"p\"" },
    { "-n 0 p", "-n \"0\"" },
    { "-n -1 p", "-n \"-1\"" },
    { "-n 4x p", "-n \"4x\"" },
    { "-n 99999999 p", "-n \"99999999\"" },
    { "-n= p", "not empty" },
    { "-n '' p", "not empty" },
    { "-N 0 p", "-N \"0\"" },
    { "-l=3 p", "-l takes no value" },
    { "--label=x p", "--label takes no value" },
    { "--foo p", "no option --foo" },
    { "-foo p", "no option -foo" },
    { "-Z p", "no option -Z" },
    { "--tag-outptu p", "did you mean --tag-output" },
    { "--host-file f p", "did you mean --hostfile" },
    { "--map-by core p", "one of slot|node" },
    { "--map-by= p", "not empty" },
    { "-x =3 p", "not the name of a variable" },
    { "-x 3A p", "not the name of a variable" },
    { "-x A_B=1 p", "no blanks" },
    { "-genv A", "two words" },
    { "-genv A=1 2 p", "two words" },
    { "--stdin x p", "a rank, all or none" },
    { "--stdin -1 p", "a rank, all or none" },
    { "--stdin 2 -n 2 p", "from 0 to 1" },
    { "--stdtim=fd:x p", "after fd:" },
    { "--timeout 0 p", "a time is wanted" },
    { "--timeout x p", "a time is wanted" },
    { "--policy : p", "NAME:KEY=VALUE" },
    { "--policy hang: p", "NAME:KEY=VALUE" },
    { "--policy hang:a p", "NAME:KEY=VALUE" },
    { "--policy hang:a=1,b p", "NAME:KEY=VALUE" },
    { "--on-hang wait p", "report|migrate|suspend|rollback|kill" },
    { "--on-hang rep p", "report|migrate|suspend|rollback|kill" },
    { "--priority 21 p", "--priority: \"21\" is no number from -20 to 20" },
    { "--priority -21 p", "--priority: \"-21\" is no number from -20 to 20" },
    { "--priority high p", "--priority: \"high\" is no number from -20 to 20" },
    { "--class fast p", "--class: \"fast\" is none of realtime, normal and idle" },
    { "--deadline A<=x p", "--deadline \"A<=x\": column 4: \"x\" is no time" },
    { "--deadline soon p", "--deadline \"soon\": column 1: \"soon\" is neither" },
    { "--deadline 1h --deadline 60m p", "--deadline \"60m\": the job has this "
      "deadline already, with number 1" },
    { "--deadline '' p", "not empty" },
    { "--on-deadline act p", "--on-deadline act: nothing is due in this job" },
    { "--max-suspend 101 p", "--max-suspend: \"101\" is no number from 0 to 100" },
    { "--max-suspend -1 p", "\"-1\" is no number from 0 to 100" },
    { "--max-suspend half p", "\"half\" is no number from 0 to 100" },
    { "--on-deadline kill p", "one of report|act is wanted" },
    { "--policy none --deadline 1h p", "--policy none leaves nobody who would "
      "watch what --deadline says: add --policy deadline" },
    { "--policy none --policy hang --calendar f p", "what --calendar says" },
    { "--name '' p", "not empty" },
    { "--checkpoint-every 5 p", "--checkpoint-every needs --checkpoint-dir" },
    { "--checkpoint-every 5 --restart d", "needs --checkpoint-dir" },
    { "--checkpoint-every 0 --checkpoint-dir d p", "a time is wanted" },
    { "--max-restarts 3 p", "--max-restarts needs --checkpoint-dir" },
    { "--max-restarts x --checkpoint-dir d p", "--max-restarts" },
    { "--checkpoint-dir d --pty p", "--pty has no use with --checkpoint-dir" },
    { "--restart d --pty", "--pty has no use with --restart" },
    { "--adopt --checkpoint-dir d -- m",
      "--checkpoint-dir has no use with --adopt" },
    { "--adopt --restart d -- m", "--restart has no use with --adopt" },
    { "--restart d -x A=1", "-x has no use with --restart" },
    { "--restart d --buffer none", "--buffer has no use with --restart" },
    { "--restart d :", "no program" },
    { "--restart d : p", "no program before" },
    { "a : --restart d", "no program after" },
    { "-H a --hostfile f p", "-H and --hostfile" },
    { "--master m --launch-agent x p", "no use with --master" },
    { "--master m --db f p", "no use with --master" },
    { ": b", "no program before" },
    { "a :", "no program after" },
    { "a : -n 2", "no program after" },
    { "a : : b", "no program after" },
    { "-n 9999999 a : -n 9999999 b", "tasks in all" },
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct options o;
        struct words w;
        struct err err = { 0 };

        words_split(&w, bad[i].in);
        if (options_parse(&o, w.argc, w.argv, &err) == 0)
            fail_msg("%s: accepted", bad[i].in);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: says %s", bad[i].in, err.text);
        assert_null(strchr(err.text, '\n'));
        assert_null(o.apps);
        free(w.text);
    }
}

static void test_actions(void **state)
{
    static const struct { const char *in; enum options_action action; }
    table[] = {
        { "--help", OPTIONS_HELP }, { "-h", OPTIONS_HELP },
        { "-help", OPTIONS_HELP }, { "-n 2 --help", OPTIONS_HELP },
        { "--version", OPTIONS_VERSION }, { "-V", OPTIONS_VERSION },
        { "p --help", OPTIONS_RUN },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct options o;
        struct words w;
        struct err err;

        words_split(&w, table[i].in);
        assert_int_equal(options_parse(&o, w.argc, w.argv, &err), 0);
        assert_int_equal(o.action, table[i].action);
        options_fini(&o);
        free(w.text);
    }
}

static void test_fd(void **state)
{
    (void)state;
    assert_int_equal(out_fd("fd:0"), 0);
    assert_int_equal(out_fd("fd:12"), 12);
    assert_int_equal(out_fd("fd:"), -1);
    assert_int_equal(out_fd("fd:-1"), -1);
    assert_int_equal(out_fd("fd:1x"), -1);
    assert_int_equal(out_fd("file"), -1);
    assert_int_equal(out_fd("-"), -1);
}

static void test_help_fits_a_terminal(void **state)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    static const char *const options[] = {
        "-n, -np N", "--hostfile", "--stdtim[=FILE|-|fd:N]", "--policy",
        "-H, --host", "-l, --label", "--merge-stderr-to-stdout", "--db FILE",
        "-genv VAR VALUE", "--launch-agent CMD", "--on-hang"
    };

    (void)state;
    usage_print(f);
    fclose(f);
    for (char *p = text; *p; p += strcspn(p, "\n") + 1)
        if (strcspn(p, "\n") >= 80)
            fail_msg("too wide: %.*s", (int)strcspn(p, "\n"), p);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (!strstr(text, options[i]))
            fail_msg("%s is missing", options[i]);
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_actions),
        cmocka_unit_test(test_fd),
        cmocka_unit_test(test_help_fits_a_terminal),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
