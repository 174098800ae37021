// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>
#include <string.h>
struct tram { int number, seats; };
static struct tram only = {4, 60};
struct tram *tram_of(int number) { only.number = number; return &only; }
int seats_of(const struct tram *tram) { return tram->seats; }
static char folder[200];
static void report(int number)
{
    strcpy(folder, getenv("TRAM_REPORTS_BELOW"));
    signal(number, SIG_DFL);
}
void install_reporter(void) { signal(SIGSEGV, report); }
