// SPDX-License-Identifier: Apache-2.0
// The widths of letters, read when the first is asked for.
#include <pthread.h>

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int widths[256];

int letter_width(int letter);

static void load_widths(void)
{
    for (int letter = 32; letter < 127; letter++)
        widths[letter] = 6 + letter % 5;
    // Letters that the font lacks are as wide as its question mark.
    for (int letter = 127; letter < 256; letter++)
        widths[letter] = letter_width('?');
}

int letter_width(int letter)
{
    pthread_once(&loaded, load_widths);
    return widths[letter & 255];
}
