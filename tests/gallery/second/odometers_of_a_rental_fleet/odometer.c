// SPDX-License-Identifier: Apache-2.0
// Odometers of rented cars: metres since delivery, and what is due for them.
// Built with traps for overflow, as all of the firmware is.
#include <stdint.h>
#include <string.h>

struct car {
    char plate[12];
    int32_t metres;
    int32_t trips;
    int32_t rate; /* cents for 100 kilometres */
};

int32_t car_drive(struct car *car, int32_t metres)
{
    car->metres += metres;
    car->trips++;
    return car->metres;
}

int32_t car_due(const struct car *car)
{
    int32_t hundreds = car->metres / 1000 * car->rate;
    return hundreds / 100;
}

int32_t fleet_due(const struct car *cars, int count)
{
    int32_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += car_due(cars + i);
    return sum;
}
