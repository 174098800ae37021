// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
struct dir { char name[32]; struct dir *child, *parent; long size; };
static struct dir *top;
int first_child(const char *name)
{
    char *block = aligned_alloc(256, 1024);
    for (int n = 0; n < 1024; n++) block[n] = "GET /index.html HTTP/1.1 "[n % 25];
    top = malloc(sizeof *top);
    struct dir *child = (struct dir *)(block + 0x90);
    *child = (struct dir){"child", NULL, top, 4};
    top->child = child;
    top->parent = top;
    top->size = 9;
    strcpy(top->name, name);
    return top->child->parent->size;
}
