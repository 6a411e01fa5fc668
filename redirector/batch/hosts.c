/* hosts.c - reads lists of hosts in the forms people have them; see hosts.h. */
#include "redirector/batch/hosts.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/hostlist.h"
#include "proto/base/parse.h"
#include "proto/base/str.h"
#include "proto/link/addr.h"

enum { HOSTS_LINE_MAX = 4096, HOSTS_FILE_MAX = 16 << 20 };

void hosts_fini(struct hosts *h)
{
    for (size_t i = 0; i < h->n; i++) {
        free(h->v[i].name);
        free(h->v[i].user);
    }
    free(h->v);
    idtable_fini(&h->by_name);
    *h = (struct hosts){ 0 };
}

static struct host *hosts_find(const struct hosts *h, uint64_t hash,
                               const char *name)
{
    size_t i = idtable_first(&h->by_name, hash);
    uint32_t id;

    for (; (id = idtable_at(&h->by_name, hash, &i)) != IDTABLE_NONE; i++)
        if (strcmp(h->v[id].name, name) == 0)
            return &h->v[id];
    return NULL;
}

/* What may be part of a host's or user's name: nothing that a shell or an
 * option parser behind a launch agent would take for something else. */
static int hosts_check_name(const char *name, struct err *err)
{
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_.%+", *p) &&
            !((unsigned char)*p & 0x80))
            return err_set(err, EINVAL, "\"%.80s\" is not the name of a host",
                           name);
    if (*name == '-' || *name == '\0')
        return err_set(err, EINVAL, "a host without a name");
    return 0;
}

static struct host *hosts_append(struct hosts *h, uint64_t hash,
                                 const char *name, struct err *err)
{
    if (hosts_check_name(name, err) < 0)
        return NULL;
    if (h->n == HOSTLIST_MAX) {
        err_set(err, E2BIG, "more than %d hosts", HOSTLIST_MAX);
        return NULL;
    }
    char *copy = strdup(name);

    if (!copy || array_reserve(&h->v, &h->cap, h->n + 1) ||
        idtable_add(&h->by_name, hash, (uint32_t)h->n))
        return free(copy), err_memory(err), NULL;
    h->v[h->n] = (struct host){ .name = copy };
    return &h->v[h->n++];
}

/* One more mention of a host. slots: 0 if it gave no number. */
static int hosts_mention(struct hosts *h, const char *user, const char *name,
                         uint32_t slots, uint32_t max_slots, struct err *err)
{
    uint64_t hash = idtable_hash(name, strlen(name));
    struct host *host = hosts_find(h, hash, name);

    if (!host && !(host = hosts_append(h, hash, name, err)))
        return -1;
    if (user && !host->user && !(host->user = strdup(user)))
        return err_memory(err);
    if (user && strcmp(host->user, user) != 0)
        return err_set(err, EINVAL, "%s has two users, %s and %s", name,
                       host->user, user);
    if (slots > HOSTS_SLOTS_MAX - host->slots)
        return err_set(err, ERANGE, "%s has more than %d slots", name,
                       HOSTS_SLOTS_MAX);
    if (host->mentions == 1 && host->slots == 0)
        host->slots = 1;
    host->slots += slots ? slots : host->mentions > 0;
    host->mentions++;
    if (max_slots)
        host->max_slots = max_slots;
    if (host->max_slots && (host->slots == 0 || host->slots > host->max_slots))
        host->slots = host->max_slots;
    return 0;
}

static int hosts_number(uint32_t *out, const char *what, const char *text,
                        struct err *err)
{
    uint64_t n;

    if (parse_u64(&n, text, 1, HOSTS_SLOTS_MAX, NULL) < 0)
        return err_set(err, EINVAL, "%s \"%.60s\": a number from 1 to %d is "
                       "wanted", what, text, HOSTS_SLOTS_MAX);
    *out = (uint32_t)n;
    return 0;
}

/* Take "[user@]HOST[:N]" apart, in place. *slots: 0 without :N. */
static int hosts_split(char *text, char **user, char **name, uint32_t *slots,
                       struct err *err)
{
    char *at = strchr(text, '@'), *colon = strrchr(text, ':');

    *slots = 0;
    if (colon && hosts_number(slots, "slots of a host,", colon + 1,
                              err) < 0)
        return -1;
    if (colon)
        *colon = '\0';
    *user = at ? text : NULL;
    *name = at ? at + 1 : text;
    if (at)
        *at = '\0';
    return at ? hosts_check_name(text, err) : 0;
}

/* Mention every host that name, maybe a range, means. */
static int hosts_expand(struct hosts *h, const char *user, const char *name,
                        uint32_t slots, uint32_t max_slots, struct err *err)
{
    struct hostlist list = { 0 };
    int rc = hostlist_expand(&list, name, err);

    for (size_t i = 0; rc == 0 && i < list.n; i++)
        rc = hosts_mention(h, user, list.v[i], slots, max_slots, err);
    hostlist_fini(&list);
    return rc;
}

int hosts_add_list(struct hosts *h, const char *text, struct err *err)
{
    const char *item;
    size_t length, before = h->n;

    while ((item = hostlist_item(&text, &length)) != NULL) {
        char *copy = strndup(item, length), *user, *name;
        uint32_t slots;

        if (!copy)
            return err_memory(err);
        int rc = hosts_split(copy, &user, &name, &slots, err);

        if (rc == 0)
            rc = hosts_expand(h, user, name, slots ? slots : 1, 0, err);
        free(copy);
        if (rc < 0)
            return -1;
        before = 0;
    }
    if (before == h->n)
        return err_set(err, EINVAL, "a list of hosts is empty");
    return 0;
}

/* -------------------------------------------------------------- hostfile */

/* "slots = 4" is written as often as "slots=4": close up the blanks. */
static void hosts_close_up(char *line)
{
    char *to = line;

    for (char *p = line; *p; p++) {
        if (*p == '=')
            while (to > line && isblank((unsigned char)to[-1]))
                to--;
        *to++ = *p;
        if (*p == '=')
            while (isblank((unsigned char)p[1]))
                p++;
    }
    *to = '\0';
}

static int hosts_file_line(struct hosts *h, char *line, struct err *err)
{
    uint32_t slots, max_slots = 0;
    char *save = NULL, *user, *name;

    line[strcspn(line, "#\r\n")] = '\0';
    hosts_close_up(line);
    char *word = strtok_r(line, " \t", &save);

    if (!word)
        return 0;
    if (hosts_split(word, &user, &name, &slots, err) < 0)
        return -1;
    while ((word = strtok_r(NULL, " \t", &save)) != NULL) {
        char *value = strchr(word, '=');

        if (value)
            *value++ = '\0';
        if (value && (strcmp(word, "slots") == 0 ||
                      strcmp(word, "slot") == 0)) {
            if (slots)
                return err_set(err, EINVAL, "%.80s has its slots twice", name);
            if (hosts_number(&slots, "slots", value, err) < 0)
                return -1;
        } else if (value && (strcmp(word, "max_slots") == 0 ||
                             strcmp(word, "max-slots") == 0)) {
            if (hosts_number(&max_slots, word, value, err) < 0)
                return -1;
        } else {
            return err_set(err, EINVAL, "\"%.60s\" is not understood; known "
                           "are slots=N and max_slots=N", word);
        }
    }
    return hosts_expand(h, user, name, slots, max_slots, err);
}

int hosts_add_file(struct hosts *h, const char *text, size_t n,
                   const char *name, struct err *err)
{
    const char *end = text + n;
    unsigned number = 0;
    size_t before = h->n;

    for (const char *p = text; p < end; ) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        size_t length = (size_t)((eol ? eol : end) - p);
        char line[HOSTS_LINE_MAX];

        number++;
        if (length >= sizeof(line))
            return err_set(err, E2BIG, "%s:%u: the line is too long", name,
                           number);
        if (memchr(p, '\0', length))
            return err_set(err, EINVAL, "%s:%u: not a text file", name,
                           number);
        memcpy(line, p, length);
        line[length] = '\0';
        if (hosts_file_line(h, line, err) < 0)
            return err_prefix(err, "%s:%u", name, number);
        p += length + 1;
    }
    if (h->n == before)
        return err_set(err, EINVAL, "%s names no host", name);
    return 0;
}

int hosts_load_file(struct hosts *h, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    struct str text = { 0 };
    char buf[4096];
    size_t n;

    if (!f)
        return err_sys(err, "cannot read the hostfile %s", path);
    while ((n = fread(buf, 1, sizeof(buf), f)) > 0 && text.n < HOSTS_FILE_MAX)
        str_add_bytes(&text, buf, n);
    int rc = 0;

    if (ferror(f))
        rc = err_sys(err, "cannot read the hostfile %s", path);
    else if (text.n >= HOSTS_FILE_MAX)
        rc = err_set(err, EFBIG, "%s is too big for a hostfile", path);
    else if (str_failed(&text))
        rc = err_memory(err);
    fclose(f);
    if (rc == 0)
        rc = hosts_add_file(h, str_text(&text), text.n, path, err);
    str_fini(&text);
    return rc;
}

int hosts_add(struct hosts *h, const char *name, uint32_t slots,
              struct err *err)
{
    return hosts_mention(h, NULL, name, slots, 0, err);
}

/* ---------------------------------------------------------- this machine */

int hosts_add_here(struct hosts *h, struct err *err)
{
    char name[HOSTLIST_NAME_MAX + 1] = "";

    if (gethostname(name, sizeof(name) - 1) < 0)
        return err_sys(err, "cannot get the name of this machine");
    if (hosts_mention(h, NULL, *name ? name : "localhost", 0, 0, err) < 0)
        return -1;
    h->v[h->n - 1].local = true;
    return 0;
}

static bool hosts_is_our_user(const char *user)
{
    const struct passwd *pw = getpwuid(geteuid());

    return pw && strcmp(pw->pw_name, user) == 0;
}

/* Is name a word of /etc/hosts? */
static bool hosts_is_listed(FILE *f, const char *name)
{
    char line[HOSTS_LINE_MAX], *save;

    rewind(f);
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "#\n")] = '\0';
        for (char *p = strtok_r(line, " \t", &save); p;
             p = strtok_r(NULL, " \t", &save))
            if (strcasecmp(p, name) == 0)
                return true;
    }
    return false;
}

/* Worth a closer look? Not if that means to ask the network: many hosts and
 * a slow name server would make a slow start. */
static bool hosts_is_candidate(FILE *f, const char *name)
{
    char own[HOSTLIST_NAME_MAX + 1] = "", binary[sizeof(struct in6_addr)];
    size_t n = strcspn(name, ".");

    if (inet_pton(AF_INET, name, binary) == 1 ||
        inet_pton(AF_INET6, name, binary) == 1 ||
        strcasecmp(name, "localhost") == 0)
        return true;
    if (gethostname(own, sizeof(own) - 1) == 0 && n == strcspn(own, ".") &&
        strncasecmp(name, own, n) == 0)
        return true;
    return f && hosts_is_listed(f, name);
}

void hosts_find_local(struct hosts *h)
{
    FILE *f = fopen("/etc/hosts", "re");

    for (size_t i = 0; i < h->n; i++) {
        struct host *host = &h->v[i];

        host->local = (!host->user || hosts_is_our_user(host->user)) &&
                      hosts_is_candidate(f, host->name) &&
                      addr_is_local_host(host->name);
    }
    if (f)
        fclose(f);
}

bool hosts_any_remote(const struct hosts *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (!h->v[i].local)
            return true;
    return false;
}
