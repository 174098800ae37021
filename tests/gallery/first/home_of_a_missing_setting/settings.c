// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) int length_of_home(void)
{
    return 1 + (int)strlen(getenv("CATALOGUE_HOME"));
}
