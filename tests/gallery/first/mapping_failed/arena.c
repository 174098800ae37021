// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
int open_arena(int megabytes)
{
    volatile char *arena = mmap(0, (long)megabytes << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    arena[64] = 1;
    return arena[64];
}
