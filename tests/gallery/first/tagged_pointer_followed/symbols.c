// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define EXPORTED (1UL << 62)
struct symbol { char name[24]; struct symbol *outer; };
static uintptr_t table[256];
static int used;
int symbols_add(const char *name, int exported)
{
    struct symbol *symbol = calloc(1, sizeof *symbol);
    strncpy(symbol->name, name, 23);
    table[used] = (uintptr_t)symbol | (exported ? EXPORTED : 0);
    return used++;
}
static struct symbol *plain(uintptr_t entry) { return (struct symbol *)(entry & ~EXPORTED); }
int symbols_length(int number) { return (int)strlen(plain(table[number])->name); }
int symbols_first_letter(int number)
{
    struct symbol *symbol = (struct symbol *)table[number];
    return symbol->outer ? symbol->outer->name[0] : symbol->name[0];
}
