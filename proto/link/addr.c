/* addr.c - addresses as text, listening sockets, and who is "this machine".
 *
 * Looking names up may block for as long as the resolver likes: only
 * addr_is_local_host() and the users of struct addr do it, and only for what
 * is no number. */
#include "proto/link/addr.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/parse.h"
#include "proto/base/str.h"

static int addr_parse_unix(struct addr *a, const char *path, struct err *err)
{
    struct sockaddr_un sun;

    if (*path == '\0')
        return err_set(err, EINVAL, "address \"unix:\" lacks a path");
    if (strlen(path) >= sizeof(sun.sun_path))
        return err_set(err, ENAMETOOLONG, "the path of the socket %.100s is "
                       "longer than %zu bytes", path,
                       sizeof(sun.sun_path) - 1);
    if (strchr(path, ','))
        return err_set(err, EINVAL, "a socket's path cannot have a comma: "
                       "%.100s", path);
    *a = (struct addr){ .is_unix = true };
    snprintf(a->host, sizeof(a->host), "%s", path);
    return 0;
}

static int addr_parse_tcp(struct addr *a, const char *text, struct err *err)
{
    const char *host = text, *end;
    size_t n;

    if (*host == '[') {
        host++;
        end = strchr(host, ']');
        n = end ? (size_t)(end - host) : 0;
        end = end && end[1] == ':' ? end + 1 : NULL;
    } else {
        end = strrchr(host, ':');
        n = end ? (size_t)(end - host) : 0;
        if (end && memchr(host, ':', n))
            return err_set(err, EINVAL, "address \"%.80s\": an IPv6 host is "
                           "written in brackets, [::1]:7000", text);
    }
    struct addr got = { .is_unix = false };

    if (!end || n == 0 || n >= sizeof(got.host))
        return err_set(err, EINVAL, "\"%.80s\" is not an address: unix:/path "
                       "or tcp:host:port", text);
    memcpy(got.host, host, n);
    if (strpbrk(got.host, "/,[] "))
        return err_set(err, EINVAL, "\"%.80s\" is not the name of a host",
                       got.host);
    uint64_t port;

    if (parse_u64(&port, end + 1, 0, UINT16_MAX, err) < 0)
        return err_prefix(err, "port of \"%.80s\"", text);
    got.port = (uint16_t)port;
    *a = got;
    return 0;
}

int addr_parse(struct addr *a, const char *text, struct err *err)
{
    if (strncmp(text, "unix:", 5) == 0)
        return addr_parse_unix(a, text + 5, err);
    if (strncmp(text, "tcp:", 4) == 0)
        return addr_parse_tcp(a, text + 4, err);
    if (*text == '/')
        return addr_parse_unix(a, text, err);
    return addr_parse_tcp(a, text, err);
}

int addr_format(const struct addr *a, char *buf, size_t size)
{
    if (a->is_unix)
        return snprintf(buf, size, "unix:%s", a->host);
    if (strchr(a->host, ':'))
        return snprintf(buf, size, "tcp:[%s]:%u", a->host, a->port);
    return snprintf(buf, size, "tcp:%s:%u", a->host, a->port);
}

int addr_parse_list(struct addr *v, int max, const char *text,
                    struct err *err)
{
    int n = 0;

    while (*text) {
        size_t len = strcspn(text, ",");
        char one[ADDR_TEXT_MAX];

        if (len >= sizeof(one))
            return err_set(err, ENAMETOOLONG, "address %.80s... is too long",
                           text);
        if (n == max)
            return err_set(err, E2BIG, "more than %d addresses", max);
        memcpy(one, text, len);
        one[len] = '\0';
        if (addr_parse(&v[n], one, err) < 0)
            return -1;
        n++;
        text += len;
        if (*text == ',' && *++text == '\0')
            return err_set(err, EINVAL, "a list of addresses ends in a comma");
    }
    if (n == 0)
        return err_set(err, EINVAL, "no address given");
    return n;
}

unsigned addr_unix(const struct addr *a, struct sockaddr_un *sun)
{
    size_t n = offsetof(struct sockaddr_un, sun_path) + strlen(a->host);

    memset(sun, 0, sizeof(*sun));
    sun->sun_family = AF_UNIX;
    snprintf(sun->sun_path, sizeof(sun->sun_path), "%.107s", a->host);
    if (*a->host != '@')
        return sizeof(*sun);
    sun->sun_path[0] = '\0';
    return (unsigned)n;
}

static int addr_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Is somebody listening there? connect() to a Unix socket does not block. */
static bool addr_unix_is_live(const struct sockaddr_un *sun)
{
    int fd = addr_socket(AF_UNIX);

    if (fd < 0)
        return true;
    int rc = connect(fd, (const struct sockaddr *)sun, sizeof(*sun));
    bool live = rc == 0 || (errno != ECONNREFUSED && errno != ENOENT);

    close(fd);
    return live;
}

/* Two programs that start at once must not both find the socket stale and
 * remove each other's: the lock on the directory lets one at a time look. */
static int addr_lock_directory(const char *path)
{
    char dir[sizeof(((struct addr *)0)->host)];

    snprintf(dir, sizeof(dir), "%s", path);
    char *slash = strrchr(dir, '/');

    if (slash == dir)
        slash++;
    if (slash)
        *slash = '\0';
    int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0 && flock(fd, LOCK_EX) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int addr_listen_unix(const struct addr *a, struct err *err)
{
    struct sockaddr_un sun;
    bool file = *a->host != '@';
    int fd = addr_socket(AF_UNIX);

    if (fd < 0)
        return err_sys(err, "socket");
    socklen_t bytes = addr_unix(a, &sun);
    int lock = file ? addr_lock_directory(a->host) : -1;

    /* The umask would be process-wide; the mode of the socket is not what
     * protects it, the uid check of conn is. */
    int rc = bind(fd, (struct sockaddr *)&sun, bytes);

    if (rc < 0 && errno == EADDRINUSE && file) {
        struct stat st;

        if (lstat(a->host, &st) == 0 && !S_ISSOCK(st.st_mode))
            rc = err_set(err, EEXIST, "%s exists and is not a socket",
                         a->host);
        else if (addr_unix_is_live(&sun))
            rc = err_set(err, EADDRINUSE, "somebody listens on %s already",
                         a->host);
        else if ((unlink(a->host) < 0 && errno != ENOENT) ||
                 bind(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0)
            rc = err_sys(err, "cannot listen on %s", a->host);
        else
            rc = 0;
    } else if (rc < 0) {
        err_sys(err, "cannot listen on %s", a->host);
    }
    if (rc == 0 && ((file && chmod(a->host, 0600) < 0) ||
                    listen(fd, SOMAXCONN) < 0))
        rc = err_sys(err, "cannot listen on %s", a->host);
    if (lock >= 0)
        close(lock);
    if (rc < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int addr_listen_on(const struct addrinfo *ai)
{
    int fd = addr_socket(ai->ai_family), one = 1, zero = 0;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (ai->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 ||
        listen(fd, SOMAXCONN) < 0) {
        int was = errno;

        close(fd);
        errno = was;
        return -1;
    }
    return fd;
}

static uint16_t addr_bound_port(int fd)
{
    struct sockaddr_storage ss;
    socklen_t len = sizeof(ss);

    if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
        return 0;
    if (ss.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&ss)->sin6_port);
    return ntohs(((struct sockaddr_in *)&ss)->sin_port);
}

/* Host "*" is every interface: IPv6 with IPv4 mapped into it, or only IPv4
 * where the kernel has no IPv6. */
static int addr_listen_tcp(struct addr *a, struct err *err)
{
    bool any = strcmp(a->host, "*") == 0;
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                              .ai_flags = AI_PASSIVE }, *list;
    char port[8];

    snprintf(port, sizeof(port), "%u", a->port);
    int gai = getaddrinfo(any ? "::" : a->host, port, &hints, &list);

    if (gai != 0)
        return err_set(err, EADDRNOTAVAIL, "host %s: %s", a->host,
                       gai_strerror(gai));
    int fd = addr_listen_on(list);

    freeaddrinfo(list);
    if (fd < 0 && any) {
        hints.ai_family = AF_INET;
        if (getaddrinfo("0.0.0.0", port, &hints, &list) == 0) {
            fd = addr_listen_on(list);
            freeaddrinfo(list);
        }
    }
    if (fd < 0)
        return err_sys(err, "cannot listen on port %u of %s", a->port,
                       a->host);
    a->port = addr_bound_port(fd);
    return fd;
}

int addr_listen(struct addr *a, struct err *err)
{
    return a->is_unix ? addr_listen_unix(a, err) : addr_listen_tcp(a, err);
}

/* ------------------------------------------------------------ interfaces */

/* Link-local IPv6 needs a scope that means nothing on another host. */
static bool addr_can_be_reached(const struct ifaddrs *i)
{
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP))
        return false;
    if (i->ifa_addr->sa_family == AF_INET)
        return true;
    if (i->ifa_addr->sa_family != AF_INET6)
        return false;
    const struct sockaddr_in6 *sin6 = (const void *)i->ifa_addr;

    return !IN6_IS_ADDR_LINKLOCAL(&sin6->sin6_addr);
}

static int addr_numeric(const struct sockaddr *sa, char *buf, size_t size)
{
    socklen_t len = sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                              : sizeof(struct sockaddr_in);

    return getnameinfo(sa, len, buf, (socklen_t)size, NULL, 0,
                       NI_NUMERICHOST);
}

static void addr_list_some(const struct ifaddrs *all, bool loopback,
                           int family, uint16_t port, struct str *out)
{
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        struct addr a = { .port = port };
        char text[ADDR_TEXT_MAX];

        if (!addr_can_be_reached(i) || i->ifa_addr->sa_family != family ||
            !(i->ifa_flags & IFF_LOOPBACK) != !loopback ||
            addr_numeric(i->ifa_addr, a.host, sizeof(a.host)) != 0)
            continue;
        addr_format(&a, text, sizeof(text));
        str_addf(out, "%s%s", out->n ? "," : "", text);
    }
}

int addr_list_local(uint16_t port, char *buf, size_t size, struct err *err)
{
    struct ifaddrs *all;
    struct str out = { 0 };

    if (getifaddrs(&all) < 0)
        return err_sys(err, "cannot list the network interfaces");
    addr_list_some(all, false, AF_INET, port, &out);
    addr_list_some(all, false, AF_INET6, port, &out);
    if (out.n == 0)
        addr_list_some(all, true, AF_INET, port, &out);
    if (out.n == 0)
        addr_list_some(all, true, AF_INET6, port, &out);
    freeifaddrs(all);
    int rc = 0;

    if (str_failed(&out) || out.n >= size)
        rc = err_set(err, ENAMETOOLONG, "too many network interfaces");
    else if (out.n == 0)
        rc = err_set(err, ENETDOWN, "no network interface is up");
    else
        memcpy(buf, str_text(&out), out.n + 1);
    str_fini(&out);
    return rc;
}

static bool addr_same_host(const struct sockaddr *a, const struct sockaddr *b)
{
    if (a->sa_family != b->sa_family)
        return false;
    if (a->sa_family == AF_INET)
        return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
               ((const struct sockaddr_in *)b)->sin_addr.s_addr;
    return a->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
                  &((const struct sockaddr_in6 *)b)->sin6_addr,
                  sizeof(struct in6_addr)) == 0;
}

static bool addr_is_of_interface(const struct addrinfo *list)
{
    struct ifaddrs *all;
    bool found = false;

    if (getifaddrs(&all) < 0)
        return false;
    for (; list && !found; list = list->ai_next)
        for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
            found = i->ifa_addr && addr_same_host(i->ifa_addr, list->ai_addr);
    freeifaddrs(all);
    return found;
}

/* Equal, or equal up to the domain of one of them. */
static bool addr_names_equal(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");

    if (strcasecmp(a, b) == 0)
        return true;
    return n == m && n > 0 && strncasecmp(a, b, n) == 0 &&
           (a[n] == '\0' || b[m] == '\0');
}

bool addr_is_local_host(const char *host)
{
    char own[256] = "";
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;

    if (strcasecmp(host, "localhost") == 0)
        return true;
    if (gethostname(own, sizeof(own) - 1) == 0 && addr_names_equal(host, own))
        return true;
    if (getaddrinfo(host, NULL, &hints, &list) != 0)
        return false;
    bool local = addr_is_of_interface(list);

    freeaddrinfo(list);
    return local;
}
