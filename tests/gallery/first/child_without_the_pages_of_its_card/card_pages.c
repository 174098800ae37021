// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

struct card {
    size_t count;
    int *words;
};

struct card *
card_open(size_t size)
{
    struct card *card = malloc(sizeof *card);

    card->count = size / sizeof(int);
    card->words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(card->words, 1, size);
    madvise(card->words, size, MADV_DONTFORK);
    return card;
}

long
card_sum(const struct card *card)
{
    long sum = 0;

    for (size_t n = 0; n < card->count; n++)
        sum += card->words[n];
    return sum;
}
