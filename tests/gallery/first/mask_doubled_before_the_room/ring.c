/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <sys/mman.h>

/* A ring of samples whose size is a power of two; it lies at a multiple of its largest size. */
#define LARGEST (1ul << 24)

static char *room;
static uint64_t mask, written;

int open_ring(uint64_t bytes)
{
    char *start = mmap(0, 2 * LARGEST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return -1;
    room = (char *)(((uintptr_t)start + LARGEST - 1) & ~(LARGEST - 1));
    mask = bytes - 1;
    return mprotect(room, bytes, PROT_READ | PROT_WRITE);
}

__attribute__((noinline)) void put_sample(int64_t sample)
{
    *(int64_t *)(room + (written & mask)) = sample;
    written += sizeof sample;
}

void put_samples(const int64_t *samples, long count)
{
    for (long n = 0; n < count; n++)
        put_sample(samples[n]);
}

/* More is to be kept from now on: the room is opened when the next block comes (it never is). */
void keep_more(void)
{
    mask = mask * 2 + 1;
}
