/* stream.c - a plain program, without MPI, for the tests of the streams.
 *
 *   stream cat            stdin to stdout, then "N bytes" on stderr
 *   stream lines N        N lines "rank R line I" on stdout
 *   stream both           one line on stdout, one on stderr
 *   stream pieces         "abc", 300 ms, "def" and a newline
 *   stream prompt         "name? " without a newline, then waits for a line
 *   stream bytes N        N bytes x, no newline
 *   stream env NAME...    the values of these variables, one a line
 *   stream where          the working directory
 *   stream head           one line of stdin, then goes
 *   stream dies           two lines and a half, then it is gone
 *   stream dies MODE      ... after setvbuf(): block, line or none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int copy(void)
{
    char buf[65536];
    size_t n, total = 0;

    while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0) {
        if (fwrite(buf, 1, n, stdout) != n)
            return 1;
        total += n;
    }
    fflush(stdout);
    fprintf(stderr, "%zu bytes\n", total);
    return 0;
}

/* Nothing is flushed. */
static _Noreturn void die(const char *mode)
{
    if (*mode)
        setvbuf(stdout, NULL, *mode == 'b' ? _IOFBF : *mode == 'l' ? _IOLBF
                                                    : _IONBF, 8192);
    printf("first\nsecond ");
    printf("line\nhalf");
    _exit(3);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("HECTOR_RANK"), *mode = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0;
    char line[4096];

    rank = rank ? rank : "?";
    if (strcmp(mode, "cat") == 0)
        return copy();
    if (strcmp(mode, "lines") == 0) {
        for (long i = 0; i < n; i++)
            printf("rank %s line %ld\n", rank, i);
    } else if (strcmp(mode, "both") == 0) {
        printf("out of %s\n", rank);
        fflush(stdout);
        fprintf(stderr, "err of %s\n", rank);
    } else if (strcmp(mode, "pieces") == 0) {
        printf("abc");
        fflush(stdout);
        usleep(300000);
        printf("def\n");
    } else if (strcmp(mode, "prompt") == 0) {
        printf("name? ");
        fflush(stdout);
        if (fgets(line, sizeof(line), stdin))
            printf("hello %s", line);
    } else if (strcmp(mode, "bytes") == 0) {
        for (long i = 0; i < n; i++)
            putchar('x');
    } else if (strcmp(mode, "env") == 0) {
        for (int i = 2; i < argc; i++)
            printf("%s=%s\n", argv[i], getenv(argv[i]) ? getenv(argv[i]) : "");
    } else if (strcmp(mode, "where") == 0) {
        puts(getcwd(line, sizeof(line)) ? line : "?");
    } else if (strcmp(mode, "dies") == 0) {
        die(argc > 2 ? argv[2] : "");
    } else if (strcmp(mode, "head") == 0) {
        if (fgets(line, sizeof(line), stdin))
            fputs(line, stdout);
    } else {
        return 2;
    }
    return 0;
}
