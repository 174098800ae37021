// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

struct track {
    size_t size;
    const int *format;
    char samples[];
};

static const int stereo = 2;

struct track *
track_new(size_t size)
{
    struct track *track = malloc(sizeof *track + size);

    track->size = size;
    track->format = &stereo;
    memset(track->samples, 0x40, size);
    return track;
}

int
track_length(const struct track *track)
{
    return (int)(track->size / (size_t)*track->format);
}

void
track_trim(struct track *track)
{
    uintptr_t low = (uintptr_t)track & -(uintptr_t)PAGE;
    uintptr_t high = ((uintptr_t)(track->samples + track->size) + PAGE - 1) & -(uintptr_t)PAGE;

    madvise((void *)low, high - low, MADV_DONTNEED);
}
