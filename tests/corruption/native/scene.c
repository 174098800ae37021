// SPDX-License-Identifier: Apache-2.0
// Something to damage: a C program's data and stack. Says where it all is, waits, goes on.
//
// A library that a Python process calls, and a program of its own.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define ITEMS 256
#define CHUNKS 96

typedef uint64_t u64;
typedef struct shape shape;
typedef struct { u64 (*area)(shape *); u64 (*scale)(shape *, u64); void (*tell)(shape *, char *); u64 (*id)(shape *); } table;
struct shape { const table *methods; u64 a, b; shape *parent; };
typedef struct item { struct item *next; u64 key; char *text; } item;
typedef struct tree { u64 key; struct tree *left, *right; item *value; } tree;
typedef struct { u64 count; u64 (*hook)(u64); void *data; } hooks;

static volatile u64 sink;
static KEEP u64 square_area(shape *s) { return s->a * s->a; }
static KEEP u64 square_scale(shape *s, u64 n) { s->b = n; return s->b; }
static KEEP void square_tell(shape *s, char *t) { snprintf(t, 32, "square %u", (unsigned)s->a); }
static KEEP u64 square_id(shape *s) { return s->a + (s->parent ? s->parent->a : 0); }
static KEEP u64 oblong_area(shape *s) { return s->a * s->b; }
static KEEP u64 oblong_scale(shape *s, u64 n) { s->b = n / 2; return n; }
static KEEP void oblong_tell(shape *s, char *t) { snprintf(t, 32, "oblong %u", (unsigned)s->b); }
static KEEP u64 oblong_id(shape *s) { return s->b; }
static const table squares = {square_area, square_scale, square_tell, square_id};
static const table oblongs = {oblong_area, oblong_scale, oblong_tell, oblong_id};
static KEEP u64 twice(u64 n) { return n * 2 + sink % 3; }
static KEEP u64 thrice(u64 n) { return n * 3 + sink % 5; }

static shape *shapes[ITEMS];
static item *items[ITEMS];
static tree *root;
static void *chunks[CHUNKS], *holes[CHUNKS];
static hooks *hook[16];

static KEEP tree *insert(tree *t, u64 key, item *value) {
    if (!t) { t = calloc(1, sizeof *t); t->key = key; t->value = value; }
    else if (key < t->key) t->left = insert(t->left, key, value);
    else t->right = insert(t->right, key, value);
    return t;
}
static KEEP item *lookup(tree *t, u64 key) {
    while (t && t->key != key) t = key < t->key ? t->left : t->right;
    return t ? t->value : NULL;
}
static KEEP void build(void) {
    for (int i = 0; i < ITEMS; i++) {
        shapes[i] = malloc(sizeof(shape));
        shapes[i]->methods = i % 3 ? &squares : &oblongs;
        shapes[i]->a = i; shapes[i]->b = 2 * i; shapes[i]->parent = i ? shapes[i / 2] : NULL;
        items[i] = malloc(sizeof(item));
        items[i]->key = i; items[i]->next = NULL; items[i]->text = malloc(16 + i % 40);
        sprintf(items[i]->text, "item %d", i);
        if (i) items[i - 1]->next = items[i];
        root = insert(root, (u64)(i * 37 % ITEMS), items[i]);
    }
    for (int i = 0; i < CHUNKS; i++) { chunks[i] = malloc(200 + 16 * (i % 50)); holes[i] = malloc(1100 + 16 * (i % 50)); }
    for (int i = 0; i < 16; i++) { hook[i] = malloc(sizeof(hooks)); hook[i]->hook = i % 2 ? twice : thrice; hook[i]->count = i; hook[i]->data = items[i]; }
    for (int i = 0; i < CHUNKS; i += 2) { free(holes[i]); holes[i] = NULL; }
}
static KEEP u64 calls(void) {
    u64 sum = 0; char text[32];
    for (int i = 0; i < ITEMS; i++) {
        shape *s = shapes[i];
        sum += s->methods->area(s) + s->methods->id(s) + s->methods->scale(s, 2 * i);
        s->methods->tell(s, text); sum += text[3];
    }
    for (int i = 0; i < 16; i++) sum += hook[i]->hook(hook[i]->count) + ((item *)hook[i]->data)->key;
    return sum;
}
static KEEP u64 searches(void) {
    u64 sum = 0;
    for (int i = 0; i < ITEMS; i++) { item *n = lookup(root, i); sum += n ? n->key + strlen(n->text) : 0; }
    for (item *n = items[0]; n; n = n->next) sum += n->key + (u64)n->text[0];
    return sum;
}
static KEEP void churn(int round) {
    for (int i = round % 3; i < CHUNKS; i += 3) { free(chunks[i]); chunks[i] = malloc(200 + 16 * ((i + round) % 50)); memset(chunks[i], 1, 64); }
    for (int i = round % 2; i < CHUNKS; i += 2) { free(holes[i]); holes[i] = malloc(1100 + 16 * ((i * 7 + round) % 50)); }
}
u64 scene_work(int rounds) {
    u64 sum = 0;
    if (!shapes[0]) build(); // a victim that waits in read() has not come by scene_wait()
    for (int i = 0; i < rounds; i++) { sum += calls() + searches(); churn(i); }
    return sink = sum;
}
static void array(FILE *f, const char *name, void **at, int count, long offset, int through) {
    fprintf(f, "\"%s\":[", name);
    for (int i = 0; i < count; i++) fprintf(f, "%s%lu", i ? "," : "", at[i] || !through ? (u64)at[i] + offset : 0);
    fprintf(f, "],");
}
static void *frames[8];
static KEEP void tell(int out) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "{");
    array(f, "shapes", (void **)shapes, ITEMS, 0, 1); array(f, "items", (void **)items, ITEMS, 0, 1);
    array(f, "chunks", chunks, CHUNKS, -8, 1); array(f, "holes", holes, CHUNKS, -8, 1);
    array(f, "hooks", (void **)hook, 16, 8, 1); array(f, "frames", frames, 5, 0, 1);
    fprintf(f, "\"tables\":[%lu,%lu],\"root\":%lu,\"code\":[%lu,%lu,%lu,%lu,%lu]}\n", (u64)&squares, (u64)&oblongs,
            (u64)root, (u64)calls, (u64)searches, (u64)churn, (u64)lookup, (u64)square_id);
    fclose(f);
    if (write(out, text, size) < 0) _exit(9);
    free(text);
}
static KEEP u64 level(int n, int out, int in, item *mine, shape *other) {
    volatile char room[40]; memset((char *)room, n, sizeof room);
    u64 sum = mine->key; frames[n] = __builtin_frame_address(0);
    if (n) sum += level(n - 1, out, in, mine->next, shapes[other->a + 1]);
    else {
        char go;
        tell(out);
        if (read(in, &go, 1) < 0) _exit(8);
    }
    sum += mine->next->key + other->methods->area(other) + room[n] + other->parent->a;
    return sum;
}
int scene_wait(int out, int in) {
    if (!shapes[0]) build();
    sink += level(4, out, in, items[7], shapes[9]);
    return 0;
}
int main(int argc, char **argv) {
    scene_wait(1, 0);
    u64 sum = 0;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 60); i++) sum += scene_work(50);
    return sum == 1;
}
