/* Valves behind one pump. A valve that is opened without pressure draws air: never do that. */
#include <assert.h>

#define VALVES 8

static struct {
    int pressure; /* bar */
    int open[VALVES];
    double litres;
} manifold;

void manifold_pump(int bar)
{
    manifold.pressure = bar;
}

static int number_open(void)
{
    int number = 0;
    for (int i = 0; i < VALVES; i++)
        number += manifold.open[i];
    return number;
}

void valve_open(int valve)
{
    assert(valve >= 0 && valve < VALVES);
    assert(manifold.pressure > 0);
    manifold.open[valve] = 1;
}

void valve_close(int valve)
{
    assert(valve >= 0 && valve < VALVES);
    manifold.open[valve] = 0;
}

void manifold_flow(int minutes)
{
    manifold.litres += 11.5 * minutes * number_open() * manifold.pressure;
}

double manifold_litres(void)
{
    return manifold.litres;
}
