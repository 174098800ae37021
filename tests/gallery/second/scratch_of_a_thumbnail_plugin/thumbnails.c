/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH = 64 * 1024 };

static pthread_key_t scratch_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release_scratch(void *scratch)
{
    memset(scratch, 0, SCRATCH);
    free(scratch);
}

static void make_key(void) { pthread_key_create(&scratch_key, release_scratch); }

/* Return the size of a photo's thumbnail; each thread has its own scratch. */
int scale_photo(int number)
{
    pthread_once(&once, make_key);
    unsigned char *scratch = pthread_getspecific(scratch_key);
    if (!scratch) {
        scratch = calloc(1, SCRATCH);
        pthread_setspecific(scratch_key, scratch);
    }
    for (int i = 0; i < SCRATCH; i++)
        scratch[i] = (unsigned char)(scratch[i] + number * i);
    return scratch[number] * 16 + number;
}
