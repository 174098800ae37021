// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory for secrets: what is kept ends where a page begins that nobody may touch. */
void *vault_reserve(size_t size)
{
    size_t page = sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    char *start = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    mprotect(start + room, page, PROT_NONE);
    madvise(start, room, MADV_DONTFORK);
    return start + room - size;
}

/* FNV-1a of a token, for the audit log: the token itself must not stand there. */
__attribute__((noinline)) uint64_t vault_fingerprint(const char *token)
{
    uint64_t hash = 14695981039346656037ull;
    for (; *token; token++)
        hash = (hash ^ (unsigned char)*token) * 1099511628211ull;
    return hash;
}
