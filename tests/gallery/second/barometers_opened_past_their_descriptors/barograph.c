// SPDX-License-Identifier: Apache-2.0
// Reads the trace files of barographs; a trace stays open so that new lines can follow.
#include <stdio.h>
#include <stdlib.h>
typedef struct { FILE *file; double sum; long lines; } Trace;

__attribute__((noinline)) static int read_header(FILE *file, int *station)
{
    char line[128];
    if (!fgets(line, sizeof line, file)) return 0;
    return sscanf(line, "station %d", station) == 1;
}

Trace *open_trace(const char *path, int *station)
{
    Trace *trace = calloc(1, sizeof *trace);
    trace->file = fopen(path, "r");
    if (!read_header(trace->file, station)) *station = -1;
    return trace;
}

long follow_trace(Trace *trace)
{
    double value;
    while (fscanf(trace->file, "%lf", &value) == 1) trace->sum += value, trace->lines++;
    clearerr(trace->file);
    return trace->lines;
}

double mean_of_trace(Trace *trace) { return trace->lines ? trace->sum / trace->lines : 0; }

void close_trace(Trace *trace)
{
    fclose(trace->file);
    free(trace);
}
