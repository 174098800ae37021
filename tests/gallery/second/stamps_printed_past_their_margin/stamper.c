// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* Prints `copies` stamps, side by side, onto a sheet of `columns` characters. */
int stamp_sheet(char *sheet, int columns, const char *stamp, int copies)
{
    size_t length = strlen(stamp);
    int at = 0;
    for (int n = 0; n < copies; n++) {
        memcpy(sheet + at, stamp, length);
        at += (int)length + 1;
        sheet[at - 1] = '|';
    }
    return at;
}
