/* imageheap.h - memory of this process while images pass through it.
 *
 * Pieces of images (256 KiB) are allocated and freed as they come. malloc gives
 * each back to the kernel and asks for it again, page by page: where that is
 * slow, half of what a slave does for an image. While one passes, freed memory
 * stays with the process, up to IMAGEHEAP_KEPT bytes. */
#ifndef HECTOR_IMAGEHEAP_H
#define HECTOR_IMAGEHEAP_H

enum { IMAGEHEAP_KEPT = 16 << 20 };

/* An image begins to pass, or has passed: called as often as the other one. With
 * the last one that has passed, what is free goes back to the kernel. */
void imageheap_keep(void);
void imageheap_release(void);

#endif
