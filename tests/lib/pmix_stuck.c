/* pmix_stuck.c - a PMIx library that stops answering, for tests: loaded before
 * the real one, it never answers a slave that registers a job while the file
 * $PMIX_STUCK is there. The file goes, so the next process is spared. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <pmix_server.h>

static bool stuck;

pmix_status_t PMIx_server_register_nspace(const pmix_nspace_t nspace, int n,
                                          pmix_info_t info[], size_t ninfo,
                                          pmix_op_cbfunc_t done, void *arg)
{
    __typeof__(&PMIx_server_register_nspace) next =
        (__typeof__(next))dlsym(RTLD_NEXT, "PMIx_server_register_nspace");
    const char *file = getenv("PMIX_STUCK");

    stuck = stuck || (file && unlink(file) == 0);
    return stuck ? PMIX_SUCCESS : next(nspace, n, info, ninfo, done, arg);
}

pmix_status_t PMIx_server_register_client(const pmix_proc_t *proc, uid_t uid,
                                          gid_t gid, void *object,
                                          pmix_op_cbfunc_t done, void *arg)
{
    __typeof__(&PMIx_server_register_client) next =
        (__typeof__(next))dlsym(RTLD_NEXT, "PMIx_server_register_client");

    return stuck ? PMIX_SUCCESS : next(proc, uid, gid, object, done, arg);
}
