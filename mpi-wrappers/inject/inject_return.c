/* inject_return.c - makes a call of MPI return to us before it returns to the
 * program.
 *
 * A program that hangs between two calls has no function of MPI on its stack,
 * and nothing that looks at it, at its page or at its stack, may see one. So
 * nothing can strike from a wrapper, which the program is still inside of.
 * Instead the return address of the outermost wrapper is replaced: it returns
 * to inject_return_entry, which puts the true address back where it was, so
 * that debuggers see the program's function as the caller, runs the fault, and
 * returns.
 *
 * Invariant: an armed slot held exactly the address that unwinding says the
 * wrapper returns to. Where that does not hold, or on other processors than
 * x86-64, nothing is armed. */
#include "mpi-wrappers/inject/inject_strike.h"

#if defined(__x86_64__)
#include <dlfcn.h>
#include <stddef.h>
#include <unwind.h>

struct armed {
    void (*strike)(void *);
    void *arg;
    void *true_return;
};
static _Thread_local struct armed armed;

void inject_return_entry(void);
void inject_returned(void **slot);

/* At the entry the stack is as the program has it after the call, with what
 * the call returned in rax, rdx, xmm0 and xmm1. */
__asm__(
    ".text\n"
    ".hidden inject_return_entry\n"
    ".globl inject_return_entry\n"
    ".type inject_return_entry, @function\n"
    "inject_return_entry:\n"
    "    .cfi_startproc\n"
    "    .cfi_def_cfa_offset 0\n"
    "    subq $8, %rsp\n"               /* the slot */
    "    .cfi_def_cfa_offset 8\n"
    "    pushq %rax\n"
    "    .cfi_def_cfa_offset 16\n"
    "    pushq %rdx\n"
    "    .cfi_def_cfa_offset 24\n"
    "    subq $40, %rsp\n"
    "    .cfi_def_cfa_offset 64\n"
    "    movups %xmm0, (%rsp)\n"
    "    movups %xmm1, 16(%rsp)\n"
    "    leaq 56(%rsp), %rdi\n"
    "    call inject_returned\n"
    "    movups (%rsp), %xmm0\n"
    "    movups 16(%rsp), %xmm1\n"
    "    addq $40, %rsp\n"
    "    .cfi_def_cfa_offset 24\n"
    "    popq %rdx\n"
    "    .cfi_def_cfa_offset 16\n"
    "    popq %rax\n"
    "    .cfi_def_cfa_offset 8\n"
    "    ret\n"
    "    .cfi_endproc\n"
    ".size inject_return_entry, . - inject_return_entry\n");

/* Called by name from above, so neither static nor thrown away. */
__attribute__((used, visibility("hidden"))) void inject_returned(void **slot)
{
    *slot = armed.true_return;
    armed.strike(armed.arg);
}

struct search {
    const void *ours, *recorder;        /* where the two libraries begin */
    void **slot;
};

static const void *library_of(const void *address)
{
    Dl_info info;

    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The first frame that is the program's: its callee is the outermost wrapper,
 * and right below the callee's frame address is where that returns to. */
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *arg)
{
    struct search *s = arg;
    void *ip = (void *)_Unwind_GetIP(context);
    void **slot = (void **)_Unwind_GetCFA(context) - 1;
    const void *library = library_of((char *)ip - 1);

    if (library && (library == s->ours || library == s->recorder))
        return _URC_NO_REASON;
    if (*slot == ip)
        s->slot = slot;
    return _URC_NORMAL_STOP;
}

bool inject_return_arm(const void *recorder, void (*strike)(void *), void *arg)
{
    static const char here;
    struct search s = { .ours = library_of(&here),
                        .recorder = library_of(recorder) };

    _Unwind_Backtrace(look, &s);
    if (!s.slot)
        return false;
    armed = (struct armed){ strike, arg, *s.slot };
    *s.slot = (void *)inject_return_entry;
    return true;
}

#else
bool inject_return_arm(const void *recorder, void (*strike)(void *), void *arg)
{
    (void)recorder, (void)strike, (void)arg;
    return false;
}
#endif
