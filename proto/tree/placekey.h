/* placekey.h - a number for a place that MPI is called from, the same in every
 * run of a program: made of the function of MPI, and of each address on the
 * stack under it by the build id of its file and where it is in there. Another
 * build has other numbers. */
#ifndef HECTOR_PLACEKEY_H
#define HECTOR_PLACEKEY_H

#include <stddef.h>
#include <stdint.h>

uint64_t placekey_begin(uint32_t call);
/* The next frame, from the caller of MPI outwards. 0: the file has no build id,
 * and nobody can say whether another run had the same; so it stays. */
uint64_t placekey_frame(uint64_t key, const uint8_t *id, size_t id_bytes,
                        uint64_t offset);

#endif
