/* output.c - see output.h. C++ goes with C, as long as it is synchronized with
 * stdio; gfortran writes each record to a pipe at once by itself. */
#include "mpi-wrappers/record/output.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_named(const char *text, int fd)
{
    unsigned long long device, inode;
    struct stat st;
    char end;

    return sscanf(text, "%llu:%llu%c", &device, &inode, &end) == 2 &&
           fstat(fd, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

enum output_mode output_mode(const char *text, int fd)
{
    static const struct { const char *word; enum output_mode mode; } modes[] = {
        { "line:", OUTPUT_LINE }, { "none:", OUTPUT_NONE },
    };

    for (size_t i = 0; text && i < sizeof(modes) / sizeof(modes[0]); i++) {
        size_t n = strlen(modes[i].word);

        if (strncmp(text, modes[i].word, n) == 0)
            return is_named(text + n, fd) ? modes[i].mode : OUTPUT_AS_IT_IS;
    }
    return OUTPUT_AS_IT_IS;
}

/* Python has buffers of its own, and asks the environment about them. */
static void tell_python(void)
{
    if (dlsym(RTLD_DEFAULT, "Py_BytesMain"))
        setenv("PYTHONUNBUFFERED", "1", 0);
    dlerror();
}

/* Do so, in a process that has not written yet: as the library is loaded, before
 * the program's own code, which may then decide otherwise. */
__attribute__((constructor)) static void start(void)
{
    int saved = errno;
    enum output_mode mode = output_mode(getenv("HECTOR_STDOUT"),
                                        STDOUT_FILENO);

    if (mode != OUTPUT_AS_IT_IS) {
        if (__fbufsize(stdout) == 0)    /* nobody has chosen or written yet */
            setvbuf(stdout, NULL, mode == OUTPUT_LINE ? _IOLBF : _IONBF, 0);
        tell_python();
    }
    errno = saved;
}
