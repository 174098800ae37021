// SPDX-License-Identifier: Apache-2.0
struct probe {
    int unit, reading;
};

struct meter {
    int number;
    struct probe *probe;
};

static struct probe first = {1, 230};
static struct meter meters[] = {{0, &first}, {1, 0}, {2, &first}};

int
meter_value(int number)
{
    return meters[number].probe->reading;
}
