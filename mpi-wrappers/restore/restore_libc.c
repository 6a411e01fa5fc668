/* restore_libc.c - the few functions of <string.h> that there are: compilers
 * call some of them by themselves. */
#include <string.h>

#if defined(__x86_64__)
void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *start = to;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return start;
}

void *memset(void *to, int c, size_t n)
{
    void *start = to;

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
    return start;
}

void *memmove(void *to, const void *from, size_t n)
{
    volatile char *t = to;
    const volatile char *f = from;

    if ((char *)to <= (const char *)from)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const volatile unsigned char *p = a, *q = b;

    for (size_t i = 0; i < n; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

size_t strlen(const char *s)
{
    const volatile char *p = s;
    size_t n = 0;

    while (p[n])
        n++;
    return n;
}

size_t strnlen(const char *s, size_t most)
{
    const volatile char *p = s;
    size_t n = 0;

    while (n < most && p[n])
        n++;
    return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++) {
        if (*a != *b)
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        if (!*a)
            break;
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, (size_t)-1);
}

char *strchr(const char *s, int c)
{
    for (; *s; s++)
        if (*s == (char)c)
            return (char *)s;
    return NULL;
}
#endif
