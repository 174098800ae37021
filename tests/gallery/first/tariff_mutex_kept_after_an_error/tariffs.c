/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t tariffs_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { char kind[24]; double rate; } table[64];
static int used;

int tariffs_load(const char *text)
{
    pthread_mutex_lock(&tariffs_mutex);
    int count = 0;
    while (*text && count < 64) {
        const char *end = strchr(text, '\n'), *sign = memchr(text, '=', end - text);
        if (!sign || sign - text > 23)
            return -1;
        memcpy(table[count].kind, text, sign - text);
        table[count].kind[sign - text] = 0;
        table[count++].rate = atof(sign + 1);
        text = end + 1;
    }
    used = count;
    pthread_mutex_unlock(&tariffs_mutex);
    return 0;
}

double tariffs_price(const char *kind, double weight)
{
    double price = -1;
    pthread_mutex_lock(&tariffs_mutex);
    for (int n = 0; n < used; n++)
        if (!strcmp(table[n].kind, kind))
            price = table[n].rate * weight;
    pthread_mutex_unlock(&tariffs_mutex);
    return price;
}
