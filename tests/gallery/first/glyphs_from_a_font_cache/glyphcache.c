/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of glyphs in a mapped file: a header, an index of offsets, then the glyphs. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct header {
    char magic[8];
    uint64_t glyphs;
    uint64_t index[];
};

struct glyph {
    uint32_t code;
    uint16_t advance;
    uint16_t bytes;
    uint8_t outline[];
};

struct cache {
    const uint8_t *base;
    size_t bytes;
};

struct cache *glyphcache_open(const char *path) {
    struct stat state;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &state) < 0)
        return NULL;
    const uint8_t *base = mmap(NULL, state.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (base == MAP_FAILED || memcmp(base, "GLYPHS1", 8))
        return NULL;
    struct cache *cache = malloc(sizeof *cache);
    cache->base = base;
    cache->bytes = state.st_size;
    return cache;
}

int glyphcache_advance(struct cache *cache, uint32_t code) {
    const struct header *header = (const struct header *)cache->base;
    const struct glyph *glyph =
        (const struct glyph *)(cache->base + header->index[code % header->glyphs]);
    return glyph->code == code ? glyph->advance : -1;
}
