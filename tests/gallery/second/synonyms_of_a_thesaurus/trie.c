// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trie of words; its nodes live in one table that doubles when it is full. */

struct node {
    unsigned children[96];
    unsigned meaning;
};

struct trie {
    struct node *nodes;
    size_t used, room;
};

static void *
xrealloc(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (grown == NULL) {
        fprintf(stderr, "trie: memory exhausted (%zu bytes)\n", size);
        abort();
    }
    return grown;
}

static unsigned
node_new(struct trie *trie)
{
    if (trie->used == trie->room) {
        trie->room = trie->room ? 2 * trie->room : 1024;
        trie->nodes = xrealloc(trie->nodes, trie->room * sizeof(struct node));
    }
    memset(&trie->nodes[trie->used], 0, sizeof(struct node));
    return trie->used++;
}

struct trie *
trie_new(void)
{
    struct trie *trie = xrealloc(NULL, sizeof *trie);
    memset(trie, 0, sizeof *trie);
    node_new(trie);
    return trie;
}

void
trie_add(struct trie *trie, const char *word, unsigned meaning)
{
    unsigned at = 0;
    for (; *word; word++) {
        unsigned letter = (unsigned char)*word % 96;
        unsigned next = trie->nodes[at].children[letter];
        if (next == 0) {
            next = node_new(trie);
            trie->nodes[at].children[letter] = next;
        }
        at = next;
    }
    trie->nodes[at].meaning = meaning;
}

size_t
trie_size(const struct trie *trie)
{
    return trie->used;
}
