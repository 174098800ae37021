/* SPDX-License-Identifier: Apache-2.0 */
/* The light panel above the entrance: a line of characters, padded to the width of the panel. */
#include <stdlib.h>
#include <string.h>

#define NARROW 24
#define WIDE 48

struct panel {
    unsigned char lamps[96 * 64];
    char line[NARROW];
};

struct panel *panel_new(void) { return calloc(1, sizeof(struct panel)); }

void panel_show(struct panel *panel, const char *text) {
    size_t length = strlen(text);
    if (length > WIDE)
        length = WIDE;
    memcpy(panel->line, text, length);
    memset(panel->line + length, ' ', WIDE - length);
}
