/* may_trace.c - ends well where this process may look into others by ptrace(2). */
#include "../unit/may_trace.h"

int main(void)
{
    return !may_trace();
}
