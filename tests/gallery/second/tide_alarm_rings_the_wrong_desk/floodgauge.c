/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#define DESKS 4
#define GAUGES 6

typedef void (*desk_fn)(long gauge, long centimetres);
typedef int (*journal_fn)(const char *line);

static desk_fn desks[DESKS];
static journal_fn journals[32];
static int desk_count, journal_count;
static long limits[GAUGES] = {350, 350, 350, 350, 350, 350};

void gauge_limit(int gauge, long centimetres) { limits[gauge] = centimetres; }

int gauge_call_desk(desk_fn desk)
{
    if (desk_count == DESKS)
        return -1;
    desks[desk_count] = desk;
    return desk_count++;
}

int gauge_write_journal(journal_fn journal)
{
    if (journal_count == 32)
        return -1;
    journals[journal_count] = journal;
    return journal_count++;
}

static void journal(const char *line)
{
    for (int n = 0; n < journal_count; n++)
        journals[n](line);
}

void gauge_reading(int gauge, long centimetres)
{
    journal("reading");
    if (centimetres <= limits[gauge])
        return;
    for (int n = 0; n < desk_count; n++)
        desks[n](gauge, centimetres);
}
