// SPDX-License-Identifier: Apache-2.0
extern void pump_trace(int level) __attribute__((weak));

static int started;

int
pump_start(int level)
{
    if (level > 3)
        pump_trace(level);
    return ++started;
}
