/* Stage lights: each fixture has a label for the desk's display and the routine of its make. */
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    int address;
    unsigned char level;
    char label[19];
    int (*apply)(struct fixture *, int level);
} fixture;

static int dimmer_apply(fixture *self, int level)
{
    self->level = (unsigned char)level;
    return self->address;
}

static int relay_apply(fixture *self, int level)
{
    self->level = level > 127 ? 255 : 0;
    return self->address | 0x8000;
}

fixture *rig_new(int count)
{
    fixture *rig = calloc(count, sizeof(fixture));
    for (int i = 0; i < count; i++) {
        rig[i].address = 1 + i * 4;
        rig[i].apply = i % 3 ? dimmer_apply : relay_apply;
    }
    return rig;
}

void rig_label(fixture *rig, int number, const char *text)
{
    strcpy(rig[number].label, text);
}

const char *rig_name(const fixture *rig, int number)
{
    return rig[number].label;
}

int rig_cue(fixture *rig, int count, const unsigned char *levels)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += rig[i].apply(&rig[i], levels[i]);
    return sum;
}
