/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/select.h>

static int readable(int descriptor, long milliseconds)
{
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(descriptor, &set);
    return select(descriptor + 1, &set, NULL, NULL, &time);
}

int modbus_poll(int descriptor) { return readable(descriptor, 1); }
