// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

/* Labels are written in the printer's markup: & < > and quotes become entities. */

struct label {
    size_t width;
    char *markup;
};

static size_t
expanded(const char *text)
{
    size_t room = 1;
    for (; *text; text++)
        room += (*text == '&') ? 5 : 1;
    return room;
}

static char *
append(char *out, const char *word)
{
    size_t length = strlen(word);
    memcpy(out, word, length);
    return out + length;
}

struct label *
label_new(const char *text)
{
    struct label *label = malloc(sizeof *label);
    label->width = strlen(text);
    label->markup = malloc(expanded(text));
    char *out = label->markup;
    for (; *text; text++) {
        switch (*text) {
        case '&': out = append(out, "&amp;"); break;
        case '<': out = append(out, "&lt;"); break;
        case '>': out = append(out, "&gt;"); break;
        case '"': out = append(out, "&quot;"); break;
        case '\'': out = append(out, "&apos;"); break;
        default: *out++ = *text;
        }
    }
    *out = 0;
    return label;
}

const char *
label_markup(const struct label *label)
{
    return label->markup;
}

void
label_free(struct label *label)
{
    free(label->markup);
    free(label);
}
