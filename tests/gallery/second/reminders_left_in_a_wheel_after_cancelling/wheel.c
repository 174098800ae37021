/* SPDX-License-Identifier: Apache-2.0 */
/* A timer wheel of a doctor's practice: reminders hang in one of 16 slots, by their minute. */
#include <stdlib.h>
#include <string.h>

#define SLOTS 16

struct reminder {
    struct reminder *next;
    void (*fire)(struct reminder *);
    int minute, id;
    char patient[40];
};

struct letter {
    char text[64];
};

static struct reminder *slots[SLOTS];
static int fired, last_id;

static void call_patient(struct reminder *reminder) { fired += reminder->id > 0; }

int wheel_add(int minute, const char *patient)
{
    struct reminder *reminder = calloc(1, sizeof *reminder);
    reminder->minute = minute;
    reminder->id = ++last_id;
    reminder->fire = call_patient;
    strncpy(reminder->patient, patient, sizeof reminder->patient - 1);
    reminder->next = slots[minute % SLOTS];
    slots[minute % SLOTS] = reminder;
    return reminder->id;
}

int wheel_cancel(int id)
{
    for (int slot = 0; slot < SLOTS; slot++)
        for (struct reminder *r = slots[slot]; r; r = r->next)
            if (r->id == id) {
                if (slots[slot] == r)
                    slots[slot] = r->next;
                free(r);
                return 1;
            }
    return 0;
}

/* Letters are written from the same heap. */
struct letter *letter_new(const char *text)
{
    struct letter *letter = malloc(sizeof *letter);
    strncpy(letter->text, text, sizeof letter->text);
    return letter;
}

int wheel_turn(int minute)
{
    int before = fired;
    for (struct reminder *r = slots[minute % SLOTS]; r; r = r->next)
        if (r->minute == minute)
            r->fire(r);
    return fired - before;
}
