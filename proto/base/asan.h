/* asan.h - is this built with AddressSanitizer? ASAN is 1 or 0. */
#ifndef HECTOR_ASAN_H
#define HECTOR_ASAN_H

#if defined(__SANITIZE_ADDRESS__)       /* gcc */
#define ASAN 1
#elif defined(__has_feature)            /* clang */
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifndef ASAN
#define ASAN 0
#endif

#endif
