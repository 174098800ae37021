/* Labels, padded with blanks as the ribbon wants them. */
#include <stdlib.h>
#include <string.h>

static int characters = 40; /* that fit on a label */
static int ribbon = 40;     /* that the printer reads */

void printer_set(int on_label, int on_ribbon)
{
    characters = on_label;
    ribbon = on_ribbon;
}

static void pad(char *text, size_t from, size_t to)
{
    for (volatile char *p = text + from; p < text + to - 1; p++)
        *p = ' ';
    text[to - 1] = 0;
}

char *label_make(const char *text)
{
    char *label = malloc(characters);
    size_t length = strlen(text);
    if (length > (size_t)characters)
        length = characters;
    memcpy(label, text, length);
    pad(label, length, ribbon);
    return label;
}

const char *label_text(const char *label)
{
    return label;
}

void label_drop(char *label)
{
    free(label);
}
