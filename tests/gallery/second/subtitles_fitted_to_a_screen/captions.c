// SPDX-License-Identifier: Apache-2.0
// Fits lines of subtitles into the cells of a caption screen.
#include <stddef.h>
#include <wchar.h>

/* room counts characters */
size_t caption_fit(wchar_t *line, const wchar_t *text, size_t room)
{
    wcsncpy(line, text, room);
    return wcsnlen(line, room);
}

int caption_width(const wchar_t *line)
{
    int width = 0;
    for (; *line; line++)
        width += *line > 0x2e80 ? 2 : 1;
    return width;
}
