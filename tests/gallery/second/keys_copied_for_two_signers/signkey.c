// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int bits;
    unsigned uses;
    uint64_t *words;
} signkey;

signkey *signkey_new(const unsigned char *seed, size_t size)
{
    signkey *key = calloc(1, sizeof *key);
    key->bits = 2048;
    key->words = malloc(32 * sizeof(uint64_t));
    for (int at = 0; at < 32; at++)
        key->words[at] = seed[at % size] * 0x9e3779b97f4a7c15u + (uint64_t)at;
    return key;
}

uint64_t signkey_sign(signkey *key, const unsigned char *text, size_t size)
{
    uint64_t sum = key->bits;
    for (size_t at = 0; at < size; at++)
        sum = (sum ^ text[at]) * key->words[at % 32];
    key->uses++;
    return sum;
}

void signkey_free(signkey *key)
{
    if (!key)
        return;
    free(key->words);
    free(key);
}
