// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <stdint.h>
#include <sys/mman.h>
long address_of_sheet(void) { return 0; }
static int has_memory(void *address)
{
    return msync((void *)((uintptr_t)address & ~4095UL), 4096, MS_ASYNC) == 0;
}
void check_sheet(void *sheet)
{
    if (!has_memory(sheet))
        abort();
}
