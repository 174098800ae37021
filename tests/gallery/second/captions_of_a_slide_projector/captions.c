/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct caption {
    uint32_t slide;
    uint32_t length;
    uint8_t colour[24];
    char text[];
};

struct caption *caption_new(uint32_t slide, const char *text, uint32_t length)
{
    struct caption *caption = malloc(length);
    caption->slide = slide;
    caption->length = length;
    memset(caption->colour, 0xee, sizeof(caption->colour));
    memcpy(caption->text, text, length);
    return caption;
}

uint32_t caption_words(const struct caption *caption)
{
    uint32_t words = 1;
    for (uint32_t at = 0; at < caption->length; at++)
        words += caption->text[at] == ' ';
    return words;
}

void caption_free(struct caption *caption) { free(caption); }
