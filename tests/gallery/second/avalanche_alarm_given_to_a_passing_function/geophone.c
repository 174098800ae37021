/* A chain of geophones: measures, sorts, and calls the alarm function that was given to it. */
#include <stdlib.h>

typedef struct {
    int station;
    int amplitude;
} shock;

typedef void (*alarm_function)(long station, long amplitude);
typedef int (*order_function)(const shock *, const shock *);

static alarm_function on_alarm;
static int threshold;

void geophone_watch(alarm_function function, int level)
{
    on_alarm = function;
    threshold = level;
}

void geophone_sort(shock *shocks, int count, order_function order)
{
    qsort(shocks, count, sizeof(shock), (int (*)(const void *, const void *))order);
}

int geophone_feed(const shock *shocks, int count)
{
    int alarms = 0;
    for (int i = 0; i < count; i++)
        if (on_alarm && shocks[i].amplitude > threshold) {
            on_alarm(shocks[i].station, shocks[i].amplitude);
            alarms++;
        }
    return alarms;
}
