/* hook.c - libhector.so's side of hook.h. */
#include "mpi-wrappers/record/hook.h"

#include "mpi-wrappers/record/record.h"
#include "mpi-wrappers/record/self.h"
#include "mpi-wrappers/record/wrap.h"

WRAP_EXPORT bool hct_hook_inside(unsigned call)
{
    return record_inside(call);
}

WRAP_EXPORT void hct_hook_dropped(void)
{
    record_unsent();
}

WRAP_EXPORT void hct_hook_note(int marker, const char *text,
                               size_t text_bytes)
{
    record_note(marker, text, text_bytes);
}

WRAP_EXPORT void hct_hook_stand(void)
{
    thread_stand();
}

WRAP_EXPORT void hct_hook_go_on(void)
{
    thread_go_on();
}

WRAP_EXPORT bool hct_hook_rests(uint64_t *step)
{
    struct page_header *h = atomic_load_explicit(&thread_page,
                                                 memory_order_acquire);

    *step = self.slot ? GET(self.slot->calls) : 0;
    return h && GET(h->rests);
}
