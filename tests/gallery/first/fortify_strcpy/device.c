// SPDX-License-Identifier: Apache-2.0
#include <string.h>
struct device { char name[16]; int number; };
int set_name(const char *name)
{
    struct device one;
    strcpy(one.name, name);
    return one.name[0];
}
