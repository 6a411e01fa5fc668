/* image_blake3.c - BLAKE3: see image_blake3.h. Sections are of that paper.
 *
 * The last chunk is kept until it is known whether more comes, so all others can
 * be hashed into the tree at once: many of them side by side, then their parents,
 * then those of these. What is left over on a level waits in `left` for the next
 * one there. */
#include "mpi-wrappers/image/image_blake3.h"

#include <string.h>

#include "mpi-wrappers/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK = 64, ROUNDS = 7, AT_ONCE = 128 };

/* Table 3: flags of compressions. */
enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };

static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
    0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

/* Table 2, as often as there are rounds: where its words are in the message. */
static const uint8_t order[ROUNDS][16] = {
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8 },
    { 3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1 },
    { 10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6 },
    { 12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4 },
    { 9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7 },
    { 11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13 }
};

/* What nodes of the tree are made of: their blocks, how many numbers the next
 * one is on, flags of all blocks, of the first and of the last one. */
struct kind { size_t blocks; uint32_t step, flags, begin, end; };
static const struct kind chunk = { 16, 1, 0, CHUNK_START, CHUNK_END };
static const struct kind parent = { 1, 0, PARENT, 0, 0 };

static inline uint32_t word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline void put_word(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)x;
    p[1] = (uint8_t)(x >> 8);
    p[2] = (uint8_t)(x >> 16);
    p[3] = (uint8_t)(x >> 24);
}

#define SHIFTED(x, n) ((x) >> (n) | (x) << (32 - (n)))

#define LANES 1
#define NAME(x) x##_1
#define WORD uint32_t
#define TARGET
#define ROTATE SHIFTED
#include "mpi-wrappers/image/image_blake3_lanes.inc"

#if defined(__x86_64__)
#define LOAD_4(in, at) _mm_loadu_si128((const void *)((in)[0] + (at)))
#define LOAD_8(in, at) \
    _mm256_inserti128_si256(_mm256_castsi128_si256(LOAD_4(in, at)), \
                            LOAD_4((in) + 4, at), 1)
#define LOAD_16(in, at) \
    _mm512_inserti64x4(_mm512_castsi256_si512(LOAD_8(in, at)), \
                       LOAD_8((in) + 8, at), 1)

#define STORE_4(out, x) _mm_storeu_si128((void *)(out), x)
#define STORE_8(out, x) \
    (STORE_4(out, _mm256_castsi256_si128(x)), \
     STORE_4((out) + 4 * 32, _mm256_extracti128_si256(x, 1)))
#define STORE_16(out, x) \
    (STORE_8(out, _mm512_castsi512_si256(x)), \
     STORE_8((out) + 8 * 32, _mm512_extracti64x4_epi64(x, 1)))

typedef uint32_t word_4 __attribute__((vector_size(16)));
#define LANES 4
#define NAME(x) x##_4
#define WORD word_4
#define TARGET
#define ROTATE SHIFTED
#define LOAD LOAD_4
#define STORE STORE_4
#define WIDE __m128i
#define OP(x) _mm_##x
#include "mpi-wrappers/image/image_blake3_lanes.inc"

/* Whole bytes are moved faster than shifted. */
#define MOVED_2 0x0d0c0f0e09080b0all, 0x0504070601000302ll
#define MOVED_1 0x0c0f0e0d080b0a09ll, 0x0407060500030201ll
#define MOVED(x, by) \
    (word_8)_mm256_shuffle_epi8((__m256i)(x), _mm256_set_epi64x(by, by))
typedef uint32_t word_8 __attribute__((vector_size(32)));
#define LANES 8
#define NAME(x) x##_8
#define WORD word_8
#define TARGET __attribute__((target("avx2")))
#define ROTATE(x, n) ((n) == 16 ? MOVED(x, MOVED_2) : \
                      (n) == 8 ? MOVED(x, MOVED_1) : SHIFTED(x, n))
#define LOAD LOAD_8
#define STORE STORE_8
#define WIDE __m256i
#define OP(x) _mm256_##x
#include "mpi-wrappers/image/image_blake3_lanes.inc"

typedef uint32_t word_16 __attribute__((vector_size(64)));
#define LANES 16
#define NAME(x) x##_16
#define WORD word_16
#define TARGET __attribute__((target("avx512f")))
#define ROTATE(x, n) (word_16)_mm512_ror_epi32((__m512i)(x), n)
#define LOAD LOAD_16
#define STORE STORE_16
#define WIDE __m512i
#define OP(x) _mm512_##x
#include "mpi-wrappers/image/image_blake3_lanes.inc"

static int widest(void)
{
    struct cpu_set here;

    cpu_read(&here);
    return cpu_names(&here, "AVX512F") ? 16 : cpu_names(&here, "AVX2") ? 8 : 4;
}

/* What is in registers that not each processor has keeps a thread from going on
 * at one without: it is in frames of signals, unless the processor knows that it
 * is as it was at the beginning. Of ymm and zmm0 to 15 it does after vzeroupper,
 * which nodes_8() and nodes_16() end with; these are all others. */
__attribute__((target("avx512f"), noinline))
static void leave_registers(void)
{
    static const uint8_t beginning[576] __attribute__((aligned(64)));
    const uint32_t masks = 1 << 5, zmm16_to_31 = 1 << 7;

    __asm__ volatile("xrstor %0"
                     : : "m"(beginning), "a"(masks | zmm16_to_31), "d"(0)
                     : "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
                       "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",
                       "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
                       "xmm28", "xmm29", "xmm30", "xmm31");
}

static void nodes(int lanes, const uint8_t *const *in, const struct kind *k,
                  uint64_t number, uint8_t *out)
{
    if (lanes == 16)
        nodes_16(in, k, number, out);
    else if (lanes == 8)
        nodes_8(in, k, number, out);
    else if (lanes == 4)
        nodes_4(in, k, number, out);
    else
        nodes_1(in, k, number, out);
}
#else
static int widest(void) { return 1; }
static void leave_registers(void) { }

static void nodes(int lanes, const uint8_t *const *in, const struct kind *k,
                  uint64_t number, uint8_t *out)
{
    (void)lanes;
    nodes_1(in, k, number, out);
}
#endif

/* Of n inputs, which are AT_ONCE at most: `in` and `out` have room for more, up
 * to whole rows of lanes. */
static void all_nodes(const struct image_blake3 *s, const uint8_t **in,
                      size_t n, const struct kind *k, uint64_t number,
                      uint8_t *out)
{
    size_t lanes = (size_t)s->lanes;

    for (size_t i = n; i % lanes; i++)
        in[i] = in[n - 1];
    for (size_t i = 0; i < n; i += lanes)
        nodes(s->lanes, in + i, k, number + i * k->step, out + 32 * i);
}

/* The parents of n chaining values and those above, to where one is left over;
 * room[0] is for one from before, the chunks are behind it. */
static void join(struct image_blake3 *s, uint8_t (*room)[32], size_t n)
{
    uint64_t at = s->chunks;
    const uint8_t *in[AT_ONCE];

    s->chunks += n;
    for (int level = 0; n; level++, at >>= 1) {
        uint8_t (*from)[32] = room + 1;

        if (at & 1) {
            from = room;
            memcpy(from, s->left[level], 32);
            n++;
        }
        if (n & 1)
            memcpy(s->left[level], from[n - 1], 32);
        n /= 2;
        for (size_t i = 0; i < n; i++)
            in[i] = from[2 * i];
        all_nodes(s, in, n, &parent, 0, room[1]);
    }
}

/* The whole chunk that was kept, if so, and those at p: n all in all. */
static void add_chunks(struct image_blake3 *s, const uint8_t *p, size_t n)
{
    uint8_t room[1 + AT_ONCE][32];
    const uint8_t *in[AT_ONCE];

    for (size_t i = 0; i < n; i++)
        if (i == 0 && s->have)
            in[i] = s->chunk;
        else {
            in[i] = p;
            p += IMAGE_BLAKE3_CHUNK;
        }
    all_nodes(s, in, n, &chunk, s->chunks, room[1]);
    join(s, room, n);
}

void image_blake3_begin(struct image_blake3 *s, bool slowly)
{
    s->chunks = 0;
    s->have = 0;
    s->lanes = slowly ? 1 : widest();
}

void image_blake3_add(struct image_blake3 *s, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    size_t n = IMAGE_BLAKE3_CHUNK - s->have, kept;

    if (s->have) {
        n = bytes < n ? bytes : n;
        memcpy(s->chunk + s->have, p, n);
        s->have += n;
        p += n;
        bytes -= n;
    }
    if (!bytes)
        return;
    while (s->have || bytes > IMAGE_BLAKE3_CHUNK) {
        kept = s->have ? 1 : 0;
        n = kept + (bytes - 1) / IMAGE_BLAKE3_CHUNK;
        n = n < AT_ONCE ? n : AT_ONCE;
        add_chunks(s, p, n);
        s->have = 0;
        p += (n - kept) * IMAGE_BLAKE3_CHUNK;
        bytes -= (n - kept) * IMAGE_BLAKE3_CHUNK;
    }
    if (s->lanes == 16)
        leave_registers();
    memcpy(s->chunk, p, bytes);
    s->have = bytes;
}

/* The chaining value of the last chunk, or the hash, if it is the only one. */
static void end_chunk(struct image_blake3 *s, uint32_t *cv)
{
    size_t blocks = s->have ? (s->have + BLOCK - 1) / BLOCK : 1;
    const uint32_t number[2] = { (uint32_t)s->chunks,
                                 (uint32_t)(s->chunks >> 32) };
    const uint8_t *in = s->chunk;
    uint32_t m[16];

    memset(s->chunk + s->have, 0, blocks * BLOCK - s->have);
    memcpy(cv, first, sizeof(first));
    for (size_t i = 0; i < blocks; i++) {
        bool last = i + 1 == blocks;

        load_1(&in, i * BLOCK, m);
        compress_1(cv, m, number,
                   (uint32_t)(last ? s->have - i * BLOCK : BLOCK),
                   (i ? 0 : CHUNK_START) | (last ? CHUNK_END : 0) |
                   (last && !s->chunks ? ROOT : 0));
    }
}

static void put_words(uint8_t *to, const uint32_t *cv)
{
    for (size_t i = 0; i < 8; i++)
        put_word(to + 4 * i, cv[i]);
}

void image_blake3_end(struct image_blake3 *s, uint8_t hash[32])
{
    static const uint32_t none[2];
    uint8_t block[BLOCK];
    const uint8_t *in = block;
    uint32_t cv[8], m[16];

    end_chunk(s, cv);
    for (int level = 0; s->chunks >> level; level++) {
        bool top = !(s->chunks >> level >> 1);

        if (!(s->chunks >> level & 1))
            continue;
        memcpy(block, s->left[level], 32);
        put_words(block + 32, cv);
        load_1(&in, 0, m);
        memcpy(cv, first, sizeof(first));
        compress_1(cv, m, none, BLOCK, PARENT | (top ? ROOT : 0));
    }
    put_words(hash, cv);
}
