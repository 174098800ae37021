// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

struct label {
    long parcel;
    char zone[24];
    void (*emit)(struct label *);
};

static long emitted;

static void emit_thermal(struct label *label)
{
    emitted += label->parcel;
}

struct label *new_label(long parcel)
{
    struct label *label = malloc(sizeof *label);
    label->parcel = parcel;
    label->zone[0] = 0;
    label->emit = emit_thermal;
    return label;
}

void address_label(struct label *label, const char *depot, const char *street)
{
    char *to = label->zone;
    while (*depot)
        *to++ = *depot++;
    *to++ = '/';
    while ((*to++ = *street++))
        ;
}

void print_label(struct label *label)
{
    label->emit(label);
}
