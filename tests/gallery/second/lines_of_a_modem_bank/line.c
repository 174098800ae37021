// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stddef.h>
#include <sys/select.h>
#include <sys/time.h>

/* Waits until a line has something to read: 1, or 0 after the time, or -1. */
int line_wait(int fd, int milliseconds)
{
    fd_set lines;
    struct timeval most = {milliseconds / 1000, milliseconds % 1000 * 1000};
    int ready;

    FD_ZERO(&lines);
    FD_SET(fd, &lines);
    do
        ready = select(fd + 1, &lines, NULL, NULL, &most);
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? 1 : ready;
}
