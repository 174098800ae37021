// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct terminal { int room, sent; char *line; };
struct terminal *terminal_open(int room)
{
    struct terminal *made = calloc(1, sizeof *made);
    made->room = room;
    made->line = malloc(room);
    return made;
}
int terminal_send(struct terminal *terminal, const char *page)
{
    char *at = terminal->line;
    if (strlen(page) >= terminal->room)
        return 0;
    for (; *page; page++) {
        if (*page == '\n')
            *at++ = '\r';
        *at++ = *page;
    }
    *at = 0;
    terminal->sent += at - terminal->line;
    return at - terminal->line;
}
