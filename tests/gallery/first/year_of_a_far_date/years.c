// SPDX-License-Identifier: Apache-2.0
#include <time.h>

int
year_of(long long seconds)
{
    time_t when = (time_t)seconds;

    return gmtime(&when)->tm_year + 1900;
}
