/* restore_start.c - in the machine's own language: see restore_start.h. */
#include "mpi-wrappers/restore/restore_start.h"

#include "mpi-wrappers/image/sys.h"

#if defined(__x86_64__)
_Static_assert(offsetof(struct image_context, mxcsr) == 64, "asm below");
_Static_assert(offsetof(struct image_context, x87) == 68, "asm below");

__asm__(".text\n"
        ".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        "    mov %rsp, %rdi\n"
        "    xor %ebp, %ebp\n"
        "    and $-16, %rsp\n"
        "    call restore_main\n"
        "    hlt\n"
        ".globl restore_start_on\n"
        ".hidden restore_start_on\n"
        "restore_start_on:\n"
        "    mov %rdi, %rsp\n"
        "    mov %rsi, %rdi\n"
        "    xor %ebp, %ebp\n"
        "    call *%rdx\n"
        "    hlt\n"
        ".globl restore_start_jump\n"
        ".hidden restore_start_jump\n"
        "restore_start_jump:\n"
        "    ldmxcsr 64(%rdi)\n"
        "    fldcw 68(%rdi)\n"
        "    mov 0(%rdi), %rbx\n"
        "    mov 8(%rdi), %rbp\n"
        "    mov 16(%rdi), %r12\n"
        "    mov 24(%rdi), %r13\n"
        "    mov 32(%rdi), %r14\n"
        "    mov 40(%rdi), %r15\n"
        "    mov 48(%rdi), %rsp\n"
        "    mov $1, %eax\n"
        "    jmp *56(%rdi)\n");

long restore_start_thread(uint64_t flags, const struct image_thread *t)
{
    register uint64_t child __asm__("r10") = t->tid_address;
    register uint64_t fs __asm__("r8") = t->fs;
    register const struct image_thread *self __asm__("r12") = t;
    long result;

    __asm__ volatile("syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 1f\n"
                     "mov %%r12, %%rdi\n"
                     "xor %%ebp, %%ebp\n"
                     "call restore_threads_one\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags),
                       "S"((t->context.rsp - 512) & ~15ull),
                       "d"(t->tid_address), "r"(child), "r"(fs), "r"(self)
                     : "rcx", "r11", "memory");
    return result;
}

long restore_start_helper(uint64_t flags, char *top, _Atomic uint32_t *number,
                          void (*f)(void *), void *arg)
{
    register _Atomic uint32_t *child __asm__("r10") = number;
    register uint64_t fs __asm__("r8") = 0;
    register void *first __asm__("r12") = arg;
    register void (*begin)(void *) __asm__("r13") = f;
    long result;

    __asm__ volatile("syscall\n"
                     "test %%rax, %%rax\n"
                     "jnz 1f\n"
                     "mov %%r12, %%rdi\n"
                     "xor %%ebp, %%ebp\n"
                     "call *%%r13\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(top), "d"(number),
                       "r"(child), "r"(fs), "r"(first), "r"(begin)
                     : "rcx", "r11", "memory");
    return result;
}
#endif
