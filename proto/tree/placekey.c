/* placekey.c - numbers of places, see placekey.h. */
#include "proto/tree/placekey.h"

static uint64_t placekey_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
    return h ? h : 1;
}

uint64_t placekey_begin(uint32_t call)
{
    return placekey_mix(0x243f6a8885a308d3u, call);
}

uint64_t placekey_frame(uint64_t key, const uint8_t *id, size_t id_bytes,
                        uint64_t offset)
{
    if (!key || !id_bytes)
        return 0;
    for (size_t i = 0; i < id_bytes; i++)
        key = placekey_mix(key, id[i]);
    return placekey_mix(key, offset);
}
