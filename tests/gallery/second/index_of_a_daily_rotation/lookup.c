// SPDX-License-Identifier: Apache-2.0
// Looks numbers up in a sorted index file that is mapped.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    uint32_t number;
    uint32_t offset;
};

struct index {
    const struct entry *entries;
    size_t count;
    size_t bytes;
};

struct index *index_open(const char *path)
{
    struct stat state;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &state))
        return NULL;
    struct index *index = calloc(1, sizeof *index);
    index->bytes = state.st_size;
    index->count = state.st_size / sizeof(struct entry);
    index->entries = mmap(NULL, index->bytes, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return index;
}

long index_find(const struct index *index, uint32_t number)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->entries[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < index->count && index->entries[low].number == number)
        return index->entries[low].offset;
    return -1;
}
