/* Instrument panel: gauges register a reading routine; a poll asks all of them. */
#include <string.h>

#define MOST 8

typedef double (*reading)(double time);
static struct {
    char name[16];
    reading read;
} gauges[MOST];
static int count;

int panel_add(const char *name, reading routine)
{
    if (count == MOST)
        return -1;
    strncpy(gauges[count].name, name, sizeof gauges[count].name - 1);
    gauges[count].read = routine;
    return count++;
}

int panel_poll(double time, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = gauges[i].read(time);
    return count;
}

const char *panel_name(int number)
{
    return gauges[number].name;
}
