/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

struct parser { long tag; long kept; char *name; long (*more)(long); long counts[8]; };
static void *rows[32];

int load_rows(const char *text, int count)
{
    for (int n = 0; n < count; n++) {
        rows[n] = malloc(sizeof(struct parser));
        memcpy(rows[n], text + n * 100, sizeof(struct parser));
    }
    for (int n = 0; n < count; n++)
        free(rows[n]);
    return count;
}

int parse(long tag)
{
    struct parser *parser = malloc(sizeof *parser);
    parser->tag = tag;
    parser->kept = 1;
    return parser->name[0] + (int)tag;
}
