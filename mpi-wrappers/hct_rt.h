/* hct_rt.h - time stamps for chosen MPI calls, under Hector.
 *
 *     #include <hct_rt.h>
 *
 *     HCT_RT_Tag(step, "halo exchange");
 *     MPI_Sendrecv(...);
 *
 * marks the next outermost MPI call of the calling thread: Hector reports
 * the wall-clock time at which it was entered and left, with the marker, the
 * text and the number of the task. From Fortran: call HCT_RT_Tag(step, 'halo
 * exchange'). Link with -lhct; without Hector the call does nothing, so the
 * same program runs under any launcher. See HCT_RT_Tag(3).
 *
 * The interface is that of section 2.1 of Russ, Jean-Baptiste, Kumar and
 * Harmon, "Transparent Real-Time Monitoring in MPI" (1999). */
#ifndef HCT_RT_H
#define HCT_RT_H

#ifdef __cplusplus
extern "C" {
#endif

/* text is copied (up to 4096 bytes); NULL counts as "". A second tag before
 * an MPI call replaces the first. Safe from any thread, at any time. */
void HCT_RT_Tag(int marker, const char *text);

#ifdef __cplusplus
}
#endif

#endif
