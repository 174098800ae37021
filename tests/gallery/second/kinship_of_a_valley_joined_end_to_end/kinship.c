#include <stdlib.h>

/* Union-find over the persons of a parish register. */

struct register_ {
    int persons;
    int *elder;
};

struct register_ *
kinship_open(int persons)
{
    struct register_ *book = malloc(sizeof *book);

    book->persons = persons;
    book->elder = malloc(persons * sizeof(int));
    for (int i = 0; i < persons; i++)
        book->elder[i] = i;
    return book;
}

static __attribute__((noinline)) int
eldest_of(struct register_ *book, int person, int *steps)
{
    int elder = book->elder[person];

    if (elder != person) {
        elder = eldest_of(book, elder, steps);
        book->elder[person] = elder;
        ++*steps;
    }
    return elder;
}

/* The child's line is hung below the parent: by the register, not by size. */
void
kinship_child(struct register_ *book, int parent, int child)
{
    book->elder[child] = parent;
}

int
kinship_related(struct register_ *book, int one, int other, int *steps)
{
    return eldest_of(book, one, steps) == eldest_of(book, other, steps);
}

void
kinship_close(struct register_ *book)
{
    free(book->elder);
    free(book);
}
