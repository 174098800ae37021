// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct weapon { int damage, wear; };
struct player { char name[24]; int health; struct weapon *weapon; };
static char report_path[200];
static void report(int number, siginfo_t *info, void *context)
{
    char text[160];
    int file = open(report_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int length = snprintf(text, sizeof text, "engine 4.2: signal %d\n", number);
    if (file >= 0 && write(file, text, length) == length)
        close(file);
    signal(SIGABRT, SIG_DFL);
    abort();
}
void reporter_install(const char *path)
{
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO};
    snprintf(report_path, sizeof report_path, "%s", path);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
struct player *player_enter(const char *name)
{
    struct player *made = calloc(1, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", name);
    made->health = 100;
    return made;
}
void player_equip(struct player *player, int damage)
{
    player->weapon = calloc(1, sizeof *player->weapon);
    player->weapon->damage = damage;
}
int player_strike(struct player *player, struct player *other)
{
    player->weapon->wear++;
    other->health -= player->weapon->damage;
    return other->health;
}
