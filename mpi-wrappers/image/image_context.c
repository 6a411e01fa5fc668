/* image_context.c - where a thread goes on: see image_context.h. */
#include "mpi-wrappers/image/image_context.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/rseq.h>

#include "mpi-wrappers/image/sys.h"

/* C libraries before 2.35 have none. */
#pragma weak __rseq_offset
#pragma weak __rseq_size

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

#if defined(__x86_64__)
_Static_assert(offsetof(struct image_context, rsp) == 48, "asm below");
_Static_assert(offsetof(struct image_context, mxcsr) == 64, "asm below");
_Static_assert(offsetof(struct image_context, x87) == 68, "asm below");

__asm__(".text\n"
        ".globl image_context_save\n"
        ".hidden image_context_save\n"
        ".type image_context_save, @function\n"
        "image_context_save:\n"
        "    mov %rbx, 0(%rdi)\n"
        "    mov %rbp, 8(%rdi)\n"
        "    mov %r12, 16(%rdi)\n"
        "    mov %r13, 24(%rdi)\n"
        "    mov %r14, 32(%rdi)\n"
        "    mov %r15, 40(%rdi)\n"
        "    lea 8(%rsp), %rax\n"
        "    mov %rax, 48(%rdi)\n"
        "    mov (%rsp), %rax\n"
        "    mov %rax, 56(%rdi)\n"
        "    stmxcsr 64(%rdi)\n"
        "    fnstcw 68(%rdi)\n"
        "    xor %eax, %eax\n"
        "    ret\n"
        ".size image_context_save, . - image_context_save\n"
        ".globl image_context_sigreturn\n"
        ".hidden image_context_sigreturn\n"
        ".type image_context_sigreturn, @function\n"
        "image_context_sigreturn:\n"
        "    mov $15, %eax\n"           /* rt_sigreturn(2) */
        "    syscall\n"
        ".size image_context_sigreturn, . - image_context_sigreturn\n");

enum { GET_FS = 0x1003, GET_GS = 0x1004 };      /* of arch_prctl(2) */

static long bases(struct image_thread *t)
{
    long rc = sys(SYS_arch_prctl, GET_FS, &t->fs);

    return rc ? rc : sys(SYS_arch_prctl, GET_GS, &t->gs);
}
#else
int image_context_save(struct image_context *c) { return (void)c, 0; }
void image_context_sigreturn(void) { }
static long bases(struct image_thread *t) { return (void)t, -ENOSYS; }
#endif

/* The C library registers what its thread pointer has, 32 bytes at least. */
static void restartable(struct image_thread *t)
{
    if (!&__rseq_size || !&__rseq_offset || !__rseq_size)
        return;
    t->rseq = t->fs + (uint64_t)__rseq_offset;
    t->rseq_bytes = __rseq_size < 32 ? 32 : __rseq_size;
    t->rseq_mark = RSEQ_SIG;
}

long image_context_thread(struct image_thread *t)
{
    stack_t other = { 0 };
    long rc = bases(t);

    if (!rc)
        rc = sys(SYS_prctl, PR_GET_TID_ADDRESS, &t->tid_address);
    if (!rc)
        rc = sys(SYS_get_robust_list, 0, &t->robust, &t->robust_bytes);
    if (!rc)
        rc = sys(SYS_sigaltstack, 0, &other);
    if (rc)
        return rc;
    t->other_stack = (uint64_t)other.ss_sp;
    t->other_bytes = other.ss_size;
    t->other_flags = other.ss_flags;
    t->tid = (int32_t)sys(SYS_gettid);
    sys(SYS_prctl, PR_GET_NAME, t->name);
    restartable(t);
    return 0;
}
