// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t scratch_key;

static void scratch_drop(void *scratch)
{
    free(scratch);
}

int convert_open(void)
{
    return pthread_key_create(&scratch_key, scratch_drop);
}

double convert_amount(double amount, double rate)
{
    double *scratch = pthread_getspecific(scratch_key);
    if (scratch == NULL) {
        scratch = calloc(64, sizeof *scratch);
        pthread_setspecific(scratch_key, scratch);
    }
    scratch[0] = amount;
    return scratch[0] * rate;
}
