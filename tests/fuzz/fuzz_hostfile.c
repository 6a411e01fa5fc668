/* fuzz_hostfile.c - any bytes as a hostfile, as -H, and as what Slurm says:
 * hosts with sound names and slots, or one sentence. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "redirector/batch/allocation.h"
#include "redirector/batch/hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct hosts *h, int rc, const struct err *err)
{
    if (rc < 0) {
        assert(err->code != 0 && err->text[0] != '\0');
        assert(!strchr(err->text, '\n'));
        assert(memchr(err->text, '\0', sizeof(err->text)));
    } else {
        assert(h->n > 0);
    }
    for (size_t i = 0; i < h->n; i++) {
        const struct host *host = &h->v[i];

        assert(host->name[0] != '\0' && host->name[0] != '-');
        assert(!strpbrk(host->name, " \t\r\n/:@;&|$`'\"\\"));
        assert(!host->user || (host->user[0] && host->user[0] != '-'));
        assert(host->slots <= HOSTS_SLOTS_MAX);
        assert(!host->max_slots || host->slots <= host->max_slots);
        for (size_t k = 0; k < i && i < 50; k++)
            assert(strcmp(h->v[k].name, host->name) != 0);
    }
    hosts_fini(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hosts h = { 0 };
    struct err err = { 0 };
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    check(&h, hosts_add_file(&h, text, size, "f", &err), &err);
    err = (struct err){ 0 };
    check(&h, hosts_add_list(&h, text, &err), &err);
    char *half = strchr(text, '\n');

    if (half) {
        *half++ = '\0';
        err = (struct err){ 0 };
        int rc = allocation_add_slurm(&h, text, half, &err);

        if (rc < 0 || h.n > 0)
            check(&h, rc, &err);
    }
    free(text);
    return 0;
}
