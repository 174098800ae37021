// SPDX-License-Identifier: Apache-2.0
#include <string.h>

/* struct meter of version 2 */
struct meter {
    long serial;
    double volume;
    double history[12];
    char unit[8];
    long tariff, flags, calibrated;
};

void meter_init(struct meter *meter, long serial)
{
    memset(meter, 0, sizeof *meter);
    meter->serial = serial;
    meter->volume = serial * 1.75 + 3;
    strcpy(meter->unit, "m3");
    meter->tariff = 2;
    meter->flags = 0x21;
    meter->calibrated = 20240301;
}

double meter_volume(const struct meter *meter)
{
    return meter->volume;
}
