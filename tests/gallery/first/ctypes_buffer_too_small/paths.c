// SPDX-License-Identifier: Apache-2.0
#include <string.h>
void fill(char *target)
{
    for (int n = 0; n < 4095; n++) target[n] = "/usr/lib/python"[n % 15];
    target[4095] = 0;
}
