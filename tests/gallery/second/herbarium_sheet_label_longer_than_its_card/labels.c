#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lays out the label of a herbarium sheet: one line per field, on a card of fixed size. */

#define CARD 2048

struct card {
    char *text;
    size_t used;
};

struct card *
card_new(void)
{
    struct card *card = malloc(sizeof *card);

    card->text = malloc(CARD);
    card->text[0] = 0;
    card->used = 0;
    return card;
}

int
card_line(struct card *card, const char *field, const char *value)
{
    size_t length = strlen(field) + strlen(value) + 3;

    if (card->used > CARD)
        return -1;
    memcpy(card->text + card->used, field, strlen(field));
    card->used += strlen(field);
    memcpy(card->text + card->used, ": ", 2);
    card->used += 2;
    memcpy(card->text + card->used, value, strlen(value) + 1);
    card->used += strlen(value);
    card->text[card->used++] = '\n';
    return (int)length;
}

size_t
card_print(struct card *card, char *out, size_t size)
{
    size_t length = card->used < size ? card->used : size;

    memcpy(out, card->text, length);
    return length;
}

void
card_discard(struct card *card)
{
    free(card->text);
    free(card);
}
