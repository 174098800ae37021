// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

struct menu {
    int width;
    struct menu *inner;
};

int
menu_width(const struct menu *menu)
{
    char frame[200];
    int width = menu->width;

    snprintf(frame, sizeof frame, "%d", width);
    if (menu->inner != 0) {
        int inner = menu_width(menu->inner);
        width += inner + (frame[0] == '9');
    }
    return width;
}
