/* test_placebook.c - names of places, as they come with the costs of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "master/places/placebook.h"
#include "proto/tree/placekey.h"

enum { SEND = 7, FRAMES = 4, SITES = 3, NAMES = 4 };

static uint8_t build[4] = { 1, 2, 3, 4 };
static struct placebook *b;

/* A message, as one slave makes it: modules, frames at these offsets. */
static struct message {
    Hct__Profile m;
    Hct__Profile__Module module[2], *modules[2];
    Hct__Profile__Frame frame[FRAMES], *frames[FRAMES];
    Hct__Profile__Site site[SITES], *sites[SITES];
    Hct__Profile__Name name[NAMES], *names[NAMES];
    uint32_t of_site[SITES][FRAMES];
    char text[NAMES][2][32];
} t;

static void clear(void)
{
    memset(&t, 0, sizeof(t));
    hct__profile__init(&t.m);
    for (unsigned i = 0; i < 2; i++) {
        hct__profile__module__init(t.modules[i] = &t.module[i]);
        t.module[i].path = (char *)(uintptr_t)"/bin/solver";
    }
    t.module[0].build_id.data = build;  /* the other one has none */
    t.module[0].build_id.len = sizeof(build);
    t.m.modules = t.modules;
    t.m.n_modules = 2;
    t.m.frames = t.frames;
    t.m.sites = t.sites;
    t.m.names = t.names;
}

static uint32_t a_frame(uint32_t module, uint64_t offset)
{
    size_t i = t.m.n_frames++;

    hct__profile__frame__init(t.frames[i] = &t.frame[i]);
    t.frame[i].module = module;
    t.frame[i].offset = offset;
    return (uint32_t)i;
}

static void a_site(uint32_t call, size_t n, const uint32_t *frames)
{
    size_t i = t.m.n_sites++;

    hct__profile__site__init(t.sites[i] = &t.site[i]);
    t.site[i].call = call;
    t.site[i].n_frames = n;
    t.site[i].frames = t.of_site[i];
    memcpy(t.of_site[i], frames, n * sizeof(*frames));
}

static void a_name(uint32_t frame, uint32_t depth, const char *function,
                   const char *file, uint32_t line)
{
    size_t i = t.m.n_names++;

    hct__profile__name__init(t.names[i] = &t.name[i]);
    snprintf(t.text[i][0], sizeof(t.text[i][0]), "%s", function);
    snprintf(t.text[i][1], sizeof(t.text[i][1]), "%s", file);
    t.name[i].frame = frame;
    t.name[i].depth = depth;
    t.name[i].function = t.text[i][0];
    t.name[i].file = t.text[i][1];
    t.name[i].line = line;
}

static uint64_t key_of(uint32_t call, size_t n, const uint64_t *offset)
{
    uint64_t key = placekey_begin(call);

    for (size_t i = 0; i < n; i++)
        key = placekey_frame(key, build, sizeof(build), offset[i]);
    return key;
}

static int begin(void **state)
{
    (void)state;
    b = placebook_create();
    clear();
    return !b;
}

static int end(void **state)
{
    (void)state;
    placebook_destroy(b);
    placebook_destroy(NULL);
    return 0;
}

static void is_at(uint64_t place, const char *function, const char *file,
                  uint32_t line)
{
    struct placebook_name is;

    assert_true(placebook_find(b, place, &is));
    assert_string_equal(is.function, function);
    if (file)
        assert_string_equal(is.file, file);
    else
        assert_null(is.file);
    assert_int_equal(is.line, line);
}

/* The site first, its names in a later message whose numbers are others. */
static void test_later(void **state)
{
    uint64_t place = key_of(SEND, 2, (const uint64_t[]){ 0x100, 0x200 });
    struct placebook_name is;

    (void)state;
    a_site(SEND, 2, (const uint32_t[]){ a_frame(1, 0x100), a_frame(1, 0x200) });
    placebook_take(b, &t.m);
    assert_false(placebook_find(b, place, &is));
    clear();
    a_frame(1, 0x900);
    a_name(a_frame(1, 0x100), 0, "exchange", "/src/stencil.c", 52);
    a_name(a_frame(1, 0x200), 0, "main", "/src/main.c", 9);
    placebook_take(b, &t.m);
    is_at(place, "exchange", "stencil.c", 52);
    assert_false(placebook_find(b, place + 1, &is));
    assert_false(placebook_find(b, 0, &is));
    assert_false(placebook_find(NULL, place, &is));
}

/* A wrapper without lines is called by a function that has some; where nobody
 * has any a name is better than nothing. */
static void test_innermost(void **state)
{
    uint64_t place = key_of(SEND, 2, (const uint64_t[]){ 0x100, 0x200 });
    uint64_t bare = key_of(SEND, 1, (const uint64_t[]){ 0x100 });

    (void)state;
    a_name(a_frame(1, 0x100), 0, "my_send", "", 0);
    a_name(a_frame(1, 0x200), 0, "inlined", "/src/kernel.h", 7);
    a_name(1, 1, "solve", "/src/solver.c", 214);
    a_site(SEND, 2, (const uint32_t[]){ 0, 1 });
    a_site(SEND, 1, (const uint32_t[]){ 0 });
    placebook_take(b, &t.m);
    placebook_take(b, &t.m);            /* another slave says the same */
    is_at(place, "inlined", "kernel.h", 7);
    is_at(bare, "my_send", NULL, 0);
}

/* What has no build id is not the same in two runs, and has no number; nor have
 * calls whose site is not known. */
static void test_nowhere(void **state)
{
    struct placebook_name is;

    (void)state;
    a_name(a_frame(2, 0x100), 0, "f", "f.c", 1);
    a_name(a_frame(0, 0x100), 0, "g", "g.c", 1);
    a_site(SEND, 1, (const uint32_t[]){ 0 });
    a_site(SEND, 1, (const uint32_t[]){ 1 });
    a_site(SEND, 0, (const uint32_t[]){ 0 });
    placebook_take(b, &t.m);
    assert_false(placebook_find(b, placekey_begin(SEND), &is));
    assert_false(placebook_find(b, key_of(SEND, 1, (const uint64_t[]){ 0x100 }), &is));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_later, begin, end),
        cmocka_unit_test_setup_teardown(test_innermost, begin, end),
        cmocka_unit_test_setup_teardown(test_nowhere, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
