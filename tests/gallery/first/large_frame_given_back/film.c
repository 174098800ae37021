/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

enum { FRAME = 100003, FRAMES = 12 };

void *film_load(void)
{
    unsigned char *film = malloc(FRAME * FRAMES);
    memset(film, 7, FRAME * FRAMES);
    return film;
}

void *film_frame(unsigned char *film, int number) { return film + (size_t)FRAME * number; }

int brightness(const unsigned char *frame)
{
    int sum = 0;
    for (int n = 0; n < 64; n++)
        sum += frame[n];
    return sum;
}

void film_free(void *film) { free(film); }
