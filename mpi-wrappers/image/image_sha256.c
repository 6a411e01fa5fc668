/* image_sha256.c - SHA-256: see image_sha256.h. */
#include "mpi-wrappers/image/image_sha256.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t constant[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t right(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint32_t big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/* The words of a message, of which 16 are kept: the one of round i. */
static uint32_t schedule(uint32_t *w, int i)
{
    uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];

    if (i >= 16)
        w[i & 15] += w[(i + 9) & 15] +
                     (right(a, 7) ^ right(a, 18) ^ a >> 3) +
                     (right(b, 17) ^ right(b, 19) ^ b >> 10);
    return w[i & 15];
}

static void blocks_slow(uint32_t *state, const uint8_t *p, size_t n)
{
    uint32_t w[16], v[8];

    for (; n; n--, p += 64) {
        for (int i = 0; i < 16; i++)
            w[i] = big_endian(p + 4 * i);
        memcpy(v, state, sizeof(v));
        for (int i = 0; i < 64; i++) {
            uint32_t t = v[7] + constant[i] + schedule(w, i) +
                         (right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25)) +
                         ((v[4] & v[5]) ^ (~v[4] & v[6]));
            uint32_t u = (right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22)) +
                         ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

            memmove(v + 1, v, 7 * sizeof(v[0]));
            v[4] += t;
            v[0] = t + u;
        }
        for (int i = 0; i < 8; i++)
            state[i] += v[i];
    }
}

#if defined(__x86_64__)
/* The instructions keep the state as ABEF and CDGH, and do two rounds each. The
 * next four words of the message are made of the sixteen before. */
__attribute__((target("sha,sse4.1,ssse3")))
static void blocks_quick(uint32_t *state, const uint8_t *p, size_t n)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll,
                                        0x0405060700010203ll);
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
    __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

    for (; n; n--, p += 64) {
        __m128i abef_before = abef, cdgh_before = cdgh, m[4], k;

        for (int i = 0; i < 4; i++)
            m[i] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i *now = &m[i & 3];

            if (i >= 4) {
                __m128i last = m[(i + 3) & 3];

                *now = _mm_sha256msg1_epu32(*now, m[(i + 1) & 3]);
                *now = _mm_add_epi32(*now,
                                     _mm_alignr_epi8(last, m[(i + 2) & 3], 4));
                *now = _mm_sha256msg2_epu32(*now, last);
            }
            k = _mm_add_epi32(*now, _mm_load_si128(
                                        (const __m128i *)(constant + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh,
                                         _mm_shuffle_epi32(k, 0x0e));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    dcba = _mm_shuffle_epi32(abef, 0x1b);       /* FEBA */
    hgfe = _mm_shuffle_epi32(cdgh, 0xb1);       /* DCHG */
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(dcba, hgfe, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(hgfe, dcba, 8));
}

static bool has_instructions(void)
{
    uint32_t a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) &&
           __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
}
#else
#define blocks_quick blocks_slow
static bool has_instructions(void) { return false; }
#endif

static void blocks(struct image_sha256 *s, const uint8_t *p, size_t n)
{
    if (s->quick)
        blocks_quick(s->state, p, n);
    else
        blocks_slow(s->state, p, n);
}

void image_sha256_begin(struct image_sha256 *s, bool slowly)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
        0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

    memcpy(s->state, first, sizeof(first));
    s->bytes = 0;
    s->quick = !slowly && has_instructions();
}

void image_sha256_add(struct image_sha256 *s, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    size_t have = s->bytes % 64;

    s->bytes += bytes;
    if (have) {
        size_t n = bytes < 64 - have ? bytes : 64 - have;

        memcpy(s->block + have, p, n);
        p += n;
        bytes -= n;
        if (have + n < 64)
            return;
        blocks(s, s->block, 1);
    }
    blocks(s, p, bytes / 64);
    memcpy(s->block, p + bytes / 64 * 64, bytes % 64);
}

void image_sha256_end(struct image_sha256 *s, uint8_t hash[32])
{
    uint64_t bits = 8 * s->bytes;
    uint8_t pad[72] = { 0x80 };
    size_t n = (119 - s->bytes % 64) % 64 + 1;

    for (int i = 0; i < 8; i++)
        pad[n + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
    image_sha256_add(s, pad, n + 8);
    for (int i = 0; i < 32; i++)
        hash[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}
