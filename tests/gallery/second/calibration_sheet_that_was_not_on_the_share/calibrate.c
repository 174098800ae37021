/* Thermocouples: calibration sheets are text files of coefficients, one per probe. */
#include <stdio.h>
#include <string.h>

typedef struct {
    char probe[32];
    int terms;
    double coefficient[12];
} sheet;

int sheet_load(sheet *into, const char *folder, const char *probe)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.cal", folder, probe);
    FILE *file = fopen(path, "r");
    double value;
    memset(into, 0, sizeof *into);
    strncpy(into->probe, probe, sizeof into->probe - 1);
    while (into->terms < 12 && fscanf(file, "%lf", &value) == 1)
        into->coefficient[into->terms++] = value;
    fclose(file);
    return into->terms;
}

double sheet_temperature(const sheet *from, double millivolts)
{
    double sum = 0;
    for (int i = from->terms - 1; i >= 0; i--)
        sum = sum * millivolts + from->coefficient[i];
    return sum;
}
