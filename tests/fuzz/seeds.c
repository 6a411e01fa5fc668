/* seeds.c - writes the corpora of the fuzzers of conversations: whole lives
 * of jobs, as the processes really tell them. Run by `make seeds` after a
 * change of the protocol.
 *
 * usage: seeds DIRECTORY        (writes DIRECTORY/NAME.corpus/seed-WORD) */
#include "tests/fuzz/seeds.h"

#include <sys/stat.h>

struct tale tale;

void raw(unsigned who, unsigned what, const void *p, size_t n)
{
    uint8_t *to = tale.bytes + tale.n;

    to[0] = (uint8_t)who;
    to[1] = (uint8_t)what;
    to[2] = (uint8_t)n;
    to[3] = (uint8_t)(n >> 8);
    memcpy(to + STEP_HEAD, p, n);
    tale.n += STEP_HEAD + n;
}

void say(unsigned who, enum message_type type, const void *m)
{
    uint8_t body[STEP_BODY];

    raw(who, type, body, protobuf_c_message_pack(m, body));
}

void tell(const char *dir, const char *fuzzer, const char *word)
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

int main(int argc, char **argv)
{
    static void (*const tales[])(const char *dir) = {
        master_tales,     slave_tales,    operator_tales, reduce_tales,
        redirector_tales, stream_tales,   page_tales,     lastwords_tales,
        emulate_tales,    registry_tales, admission_tales,     stack_tales,
        model_tales};

    if (argc != 2)
        return fprintf(stderr, "usage: seeds DIRECTORY\n"), 2;
    for (size_t i = 0; i < sizeof(tales) / sizeof(tales[0]); i++)
        tales[i](argv[1]);
    return 0;
}
