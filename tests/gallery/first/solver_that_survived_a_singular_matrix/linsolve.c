// SPDX-License-Identifier: Apache-2.0
// A solver whose inner routines assert; the entry point turns an abort into a status.
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf recover;

static void on_abort(int signo)
{
    (void)signo;
    siglongjmp(recover, 1);
}

static double eliminate(double a, double b, double c, double d)
{
    double determinant = a * d - b * c;
    assert(determinant != 0.0);
    return 1.0 / determinant;
}

int solve_2x2(double a, double b, double c, double d)
{
    volatile double scale = 0.0;
    void (*before)(int) = signal(SIGABRT, on_abort);
    if (sigsetjmp(recover, 1)) {
        signal(SIGABRT, before);
        return 0;
    }
    scale = eliminate(a, b, c, d);
    signal(SIGABRT, before);
    return scale != 0.0;
}
