// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

static char model[] = "thermometer T-90";
static char greeting[] = "T-90 ready, firmware 2.4, calibrated";

char *device_name(int port)
{
    char *name = malloc(64);
    if (name != NULL)
        snprintf(name, 64, "%s on port %d", model, port);
    return name;
}

char *device_greeting(void)
{
    return greeting;
}
