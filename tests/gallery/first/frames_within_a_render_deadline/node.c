/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <string.h>
#include <time.h>

static timer_t timer;
static int made;

/* End the job, with a core, after so many milliseconds; 0: it has ended in time. */
int arm_deadline(int milliseconds)
{
    struct itimerspec when;
    if (!made) {
        struct sigevent event;
        memset(&event, 0, sizeof event);
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGQUIT;
        if (timer_create(CLOCK_MONOTONIC, &event, &timer))
            return -1;
        made = 1;
    }
    memset(&when, 0, sizeof when);
    when.it_value.tv_sec = milliseconds / 1000;
    when.it_value.tv_nsec = milliseconds % 1000 * 1000000L;
    return timer_settime(timer, 0, &when, NULL);
}
