/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

static void (*flush)(void);
static void metrics_exit(void)
{
    if (flush)
        flush();
}

void metrics_flush_with(void (*function)(void))
{
    if (!flush)
        atexit(metrics_exit);
    flush = function;
}
