/* SPDX-License-Identifier: Apache-2.0 */
/* Signs of railway stations: a text and how many letters it has. */
#include <stdlib.h>
#include <string.h>

struct sign {
    int letters, platform;
    char *text;
};

struct sign *sign_new(const char *text, int letters, int platform)
{
    struct sign *sign = malloc(sizeof *sign);
    sign->letters = letters;
    sign->platform = platform;
    sign->text = malloc(letters + 1);
    strcpy(sign->text, text);
    return sign;
}

int sign_width(const struct sign *sign) { return sign->letters * 48 + 2 * 64; }

void sign_delete(struct sign *sign)
{
    free(sign->text);
    free(sign);
}
