#include <stdio.h>
#include <string.h>

/* Engraves the plate of an organ pipe: rank, note and temperament in one line. */

struct pipe {
    const char *rank;
    int note;
    double cents;
};

static int plates;

static __attribute__((noinline)) unsigned
seal_of(const char *line)
{
    unsigned seal = 5381;

    while (*line)
        seal = seal * 33 + (unsigned char)*line++;
    return seal;
}

static __attribute__((noinline)) unsigned
engrave_plate(const struct pipe *pipe)
{
    char plate[48];
    char *volatile at = plate;

    strcpy(at, pipe->rank);
    sprintf(at + strlen(at), " %d %+.1f", pipe->note, pipe->cents);
    plates++;
    return seal_of(plate);
}

unsigned
rank_seal(const char *rank, int low, int high)
{
    unsigned seal = 0;

    for (int note = low; note <= high; note++) {
        struct pipe pipe = {rank, note, (note * 7 % 12) * 0.4 - 2.2};
        seal ^= engrave_plate(&pipe);
    }
    return seal;
}

int
rank_plates(void)
{
    return plates;
}
