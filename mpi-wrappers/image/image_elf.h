/* image_elf.h - of a program or library: the build id, and what the vdso shows.
 * Whatever is in the file, nothing outside of it is read. */
#ifndef HECTOR_IMAGE_ELF_H
#define HECTOR_IMAGE_ELF_H

#include <stddef.h>
#include <stdint.h>

/* The build id of an open file, its first room bytes; how many, 0 without. */
uint32_t image_elf_id(int fd, uint8_t *id, uint32_t room);

/* Where in the bytes of a vdso the function begins; 0: it has none. */
uint64_t image_elf_function(const void *vdso, size_t bytes, const char *name);

#endif
