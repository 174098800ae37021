// SPDX-License-Identifier: Apache-2.0
// Software bugs, one function each: what hardware damage must not be confused with.
//
// Built as a program (PIE and not) and as a library that a Python process loads. A bug takes a
// seed, which chooses sizes, offsets and values.
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL
#define NODES 64
#define KEEP __attribute__((noinline, noclone))

typedef uint64_t u64;
typedef struct node {
    struct node *next;
    u64 (*call)(struct node *);
    u64 key;
    char name[24];
} node;

static u64 state;
static volatile u64 sink;

// splitmix64: the same choices on every machine.
static u64 rnd(void) {
    u64 z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
static u64 upto(u64 n) { return rnd() % n; }

static KEEP u64 own_key(node *n) { return n->key; }
static node *nodes[NODES];

static KEEP node *fresh(u64 key) {
    node *n = malloc(sizeof *n);
    memset(n, 0, sizeof *n);
    n->key = key;
    n->call = own_key;
    snprintf(n->name, sizeof n->name, "node-%u", (unsigned)key);
    return n;
}
static void chain(void) {
    for (int i = 0; i < NODES; i++) {
        nodes[i] = fresh(i);
        free(malloc(16 + upto(200)));
        if (i) nodes[i - 1]->next = nodes[i];
    }
}
static KEEP u64 walk(node *n) {
    u64 sum = 0;
    for (; n; n = n->next) sum += n->key + n->call(n);
    return sum;
}
static KEEP void use(node *n) { sink += n->key + (u64)n->next; sink += n->next->key; }
static KEEP void load(const void *at) { sink += *(volatile u64 *)at; }
static KEEP void store(void *at) { *(volatile u64 *)at = 7; }
static KEEP char *map(u64 pages, int prot) {
    return mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static node *some(void) { return nodes[1 + upto(NODES - 4)]; }

// --- NULL and small numbers
static KEEP void null_read(void) { load((void *)(8 * upto(32))); }
static KEEP void null_write(void) { store((void *)(8 * upto(500))); }
static KEEP void null_array(void) { u64 *a = NULL; load(a + upto(8000)); }
static KEEP void null_call(void) { void (*volatile f)(void) = NULL; f(); }
static KEEP void null_chain(void) { some()->next = NULL; for (node *n = nodes[0];; n = n->next) sink += n->key; }
static KEEP void int_as_pointer(void) { load((void *)(upto(2) ? upto(1 << 20) + 4096 : upto(1u << 31))); }
static KEEP void negative_int(void) { load((void *)(int64_t)-(int64_t)(1 + upto(4000))); }
static KEEP void errno_as_pointer(void) { some()->next = (void *)(int64_t)-(int64_t)(1 + upto(133)); walk(nodes[0]); }

// --- past the end
static KEEP void off_by_one(void) {
    char *m = map(4, 3); mmap(m + 2 * PAGE, PAGE, 0, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    munmap(m + 2 * PAGE, 2 * PAGE);
    for (u64 *p = (u64 *)m;; p++) sink += *(volatile u64 *)p;
}
static KEEP void stride_past(void) {
    u64 stride = 24 + 8 * upto(600); char *m = map(8, 3); munmap(m + 4 * PAGE, 4 * PAGE);
    for (char *p = m;; p += stride) sink += *(volatile u64 *)p;
}
static KEEP void write_past(void) {
    char *m = map(64, 3); munmap(m + 32 * PAGE, 32 * PAGE); memset(m, 1, 32 * PAGE + 1 + upto(PAGE));
}
static KEEP void into_guard(void) {
    char *m = map(9, 3); mprotect(m + 8 * PAGE, PAGE, 0);
    for (char *p = m;; p += 8 + 8 * upto(4)) *(volatile char *)p = 1;
}
static KEEP void below_start(void) {
    char *m = map(24, 3); munmap(m, 16 * PAGE); for (char *p = m + 17 * PAGE;; p -= 8) load(p);
}
static KEEP void unterminated(void) {
    char *m = map(3, 3); munmap(m + 2 * PAGE, PAGE); memset(m, 'x', 2 * PAGE); sink += strlen(m + upto(PAGE));
}
static KEEP void negative_index(void) { u64 *a = malloc(4096); load(a - 1000 - upto(1u << 27)); }
static KEEP void random_index32(void) { u64 *a = malloc(4096); load(a + (uint32_t)(rnd() | 1u << 30)); }
static KEEP void random_index40(void) { u64 *a = malloc(4096); load((char *)a + (rnd() >> 24)); }
static KEEP void signed_index(void) { int i = -(int)upto(2000000000) - 70000000; u64 *a = malloc(64); load(a + (uint32_t)i); }
static KEEP void huge_memcpy(void) { char *a = malloc(256), *b = malloc(256); volatile int n = -(int)(8 + upto(64)); void *(*volatile copy)(void *, const void *, size_t) = memcpy; copy(a, b, (uint32_t)n); sink += a[3]; }
static KEEP void memmove_wrong_end(void) { char *m = map(4, 3); munmap(m + PAGE, 3 * PAGE); memmove(m + 1, m, 2 * PAGE + upto(PAGE)); }
static KEEP void wrong_count(void) { u64 *a = malloc(800); u64 n = 100 * 8 * 1024; for (u64 i = 0; i < n * 64; i += 1 + upto(3)) sink += ((volatile u64 *)a)[i]; }

// --- use after free
static KEEP void uaf_next(void) { node *n = some(); free(n); use(n); use(n->next); for (;;) { n = n->next; sink += n->key; } }
static KEEP void uaf_ascii(void) {
    node *n = some(); free(n); char *s = malloc(sizeof *n); memset(s, 0, sizeof *n);
    snprintf(s, sizeof *n, "user=%08x&token=%08x", (unsigned)rnd(), (unsigned)rnd()); walk(nodes[0]);
}
static KEEP void uaf_doubles(void) {
    node *n = some(); free(n); double *d = malloc(sizeof *n); for (int i = 0; i < 6; i++) d[i] = 0.5 + (double)upto(100000) / 7.0; walk(nodes[0]);
}
static KEEP void uaf_ints(void) {
    node *n = some(); free(n); uint32_t *d = malloc(sizeof *n); for (int i = 0; i < 12; i++) d[i] = 1 + upto(5000); walk(nodes[0]);
}
static KEEP void uaf_other_struct(void) {
    node *n = some(); free(n); u64 *d = malloc(sizeof *n); d[0] = 3; d[1] = (u64)nodes[0]; d[2] = 5; d[3] = (u64)d; walk(nodes[0]);
}
static KEEP void uaf_munmap(void) {
    u64 p = 4 + upto(60); node *n = (node *)map(p, 3); memset(n, 0, sizeof *n); n->next = nodes[3]; n->call = own_key;
    some()->next = n; munmap(n, p * PAGE); walk(nodes[0]);
}
static KEEP void uaf_realloc(void) {
    u64 big = (300 + upto(900)) << 10; u64 *a = malloc(big); a[big / 8 - 1] = 1; u64 *old = a + big / 16;
    a = realloc(a, 16 * big); free(a); load(old);
}
static KEEP void uaf_call(void) {
    node *n = some(); free(n); u64 *d = malloc(sizeof *n); for (int i = 0; i < 6; i++) d[i] = rnd() >> upto(40); n->call(n);
}
static KEEP void double_free(void) { node *n = some(); free(n); free(n); }
static KEEP void double_free_big(void) { char *volatile a = malloc(2000 + upto(3000)), *volatile b = malloc(64); free(a); free(a); free(b); }
static KEEP void wild_free(void) { node *n = some(); free((char *)n + 8 * (1 + upto(4))); }
static KEEP void free_stack(void) { char room[256]; memset(room, (int)upto(200), sizeof room); char *volatile p = room + 16 * upto(8); free(p); }
static KEEP void free_garbage(void) { free((void *)(rnd() >> upto(30))); }

// --- uninitialised and poisoned
static KEEP void dirty(u64 value) { volatile u64 room[64]; for (int i = 0; i < 64; i++) room[i] = value ? value : rnd(); sink += room[3]; }
static KEEP void take(void) { volatile u64 room[64]; u64 v; __asm__ volatile("" : "=m"(room)); v = room[upto(60)]; load((void *)v); }
static KEEP void uninitialised_stack(void) { dirty(0); take(); }
static KEEP void uninitialised_heap(void) {
    u64 *g = malloc(sizeof(node)); for (int i = 0; i < 6; i++) g[i] = rnd() >> (8 * upto(5)); free(g);
    node *n = malloc(sizeof *n); n->key = 1; some()->next = n; walk(nodes[0]); use(n->next);
}
static const unsigned char poisons[] = {0xA5, 0x5A, 0xDD, 0xCD, 0xFD, 0xDB, 0xCB, 0xFB, 0xE5, 0xAA, 0xCC, 0xFF};
static KEEP void poison_whole(void) { node *n = some(); memset(n, poisons[upto(12)], sizeof *n); walk(nodes[0]); }
static KEEP void poison_partial(void) { node *n = some(); memset(n, poisons[upto(12)], 4 + upto(4)); walk(nodes[0]); }
static KEEP void deadbeef(void) { static const u64 v[] = {0xDEADBEEF, 0xDEADBEEFDEADBEEF, 0xBAADF00D, 0xCAFEBABE00000000, 0x0DEAD000}; some()->next = (node *)v[upto(5)]; walk(nodes[0]); }

// --- wrong types
static KEEP void truncated(void) { some()->next = (node *)(uint64_t)(uint32_t)(uint64_t)map(4, 3); walk(nodes[0]); }
static KEEP void truncated_signed(void) { node *m = (node *)map(4, 3); some()->next = (node *)(int64_t)(int32_t)((u64)m | 0x80000000u); walk(nodes[0]); }
static KEEP void high_half_lost(void) { node *n = some(); n->next = (node *)((u64)n->next & 0xFFFFFFFF0000FFFFULL); ((uint16_t *)&n->next)[2] = 0; walk(nodes[0]); }
static KEEP void double_as_pointer(void) { double d = 1.0 + (double)upto(1u << 30) / 3; memcpy(&some()->next, &d, 8); walk(nodes[0]); }
static KEEP void floats_as_pointer(void) { float d[2] = {(float)upto(1000) / 3, (float)upto(1000) / 7}; memcpy(&some()->next, d, 8); walk(nodes[0]); }
static KEEP void int_pair(void) { int32_t d[2] = {(int)upto(100000), (int)upto(1000) + 1}; memcpy(&some()->next, d, 8); walk(nodes[0]); }
static KEEP void union_index(void) { node *n = some(); n->next = (node *)(n->key << 3 | 1); walk(nodes[0]); }
static KEEP void ascii_overwrite(void) { char t[64]; snprintf(t, sizeof t, "/var/lib/app/%08x/%08x", (unsigned)rnd(), (unsigned)rnd()); memcpy(some(), t, 8 + upto(24)); walk(nodes[0]); }
static KEEP void ascii_tail(void) { node *n = some(); memcpy((char *)&n->next, "name=val", 1 + upto(6)); walk(nodes[0]); }
static KEEP void utf16_overwrite(void) { uint16_t t[8]; for (int i = 0; i < 8; i++) t[i] = 'A' + upto(26); memcpy(some(), t, 16); walk(nodes[0]); }
static KEEP void low2(void) { node *n = some(); n->next = nodes[9]; uint16_t v = (uint16_t)rnd(); node *m = (node *)map(1, 3); n->next = m; memcpy((char *)&n->next, &v, 2); ((char *)&n->next)[2] ^= 0x40; ((char *)&n->next)[3] = (char)rnd(); walk(nodes[0]); }
static KEEP void low2_zero(void) { node *n = some(); memset(&n->next, 0, 2); walk(nodes[0]); }
static KEEP void low4(void) { node *n = some(); uint32_t v = (uint32_t)rnd(); n->next = (node *)map(1, 3); memcpy(&n->next, &v, 4); walk(nodes[0]); }
static KEEP void low4_zero(void) { node *n = some(); n->next = (node *)map(1, 3); memset(&n->next, 0, 4); walk(nodes[0]); }
static KEEP void high4_int(void) { node *n = some(); uint32_t v = (uint32_t)upto(100000) + 1; memcpy((char *)&n->next + 4, &v, 4); walk(nodes[0]); }
static KEEP void shifted_pointer(void) { node *n = some(); n->next = (node *)((u64)n->next >> (4 + upto(12))); walk(nodes[0]); }
static KEEP void misaligned_read(void) { node *n = some(); memcpy(&n->next, (char *)&nodes[5] + 1 + upto(7), 8); walk(nodes[0]); }
static KEEP void byteswapped(void) { node *n = some(); n->next = (node *)__builtin_bswap64((u64)n->next); walk(nodes[0]); }
static KEEP void xor_pointer(void) { node *n = some(); n->next = (node *)((u64)n->next ^ (rnd() | 1u << 20)); walk(nodes[0]); }

// --- tags, flags, strides
static KEEP void tag_low(void) { node *n = some(); static const int v[] = {3, 5, 6, 7}; n->next = (node *)((u64)n->next | v[upto(4)]); walk(nodes[0]); }
static KEEP void tag_low_one(void) { node *n = some(); n->next = (node *)((u64)n->next | 1ULL << upto(3)); walk(nodes[0]); }
static KEEP void tag_high(void) { node *n = some(); n->next = (node *)((u64)n->next | (0xFFF8ULL + upto(7)) << 48); walk(nodes[0]); }
static KEEP void tag_byte(void) { node *n = some(); n->next = (node *)((u64)n->next | (0x40ULL | 1 + 2 * upto(30)) << 56); walk(nodes[0]); }
static KEEP void tag_high_one(void) { node *n = some(); n->next = (node *)((u64)n->next | 1ULL << (48 + upto(16))); walk(nodes[0]); }
static KEEP void flag_bit(void) { node *n = some(); static const int at[] = {47, 56, 60, 62, 63}; n->next = (node *)((u64)n->next | 1ULL << at[upto(5)]); walk(nodes[0]); }
static KEEP void stride_pow2(void) { u64 *a = malloc(1024); volatile u64 i = 1ULL << (14 + upto(28)); load(a + i); }
static KEEP void stride_pow2_loop(void) { char *a = malloc(1024); u64 s = 1ULL << (20 + upto(12)); for (u64 i = 0;; i++) sink += *(volatile u64 *)(a + i * s); }
static KEEP void stride_near_pow2(void) { u64 *a = malloc(1024); volatile u64 i = (1ULL << (16 + upto(25))) + 1 + upto(500); load(a + i); }

// --- stacks
static KEEP u64 recurse(u64 n) { volatile char room[200]; room[n % 200] = (char)n; return recurse(n + 1) + room[(n * 7) % 200]; }
static KEEP void stack_overflow(void) { sink += recurse(upto(100)); }
static KEEP void alloca_bomb(void) { volatile char *p = alloca((9u << 20) + upto(1u << 24)); p[0] = 1; sink += p[0]; }
static KEEP void big_frame(void) { volatile char room[(16 << 20)]; room[upto(4096)] = 1; sink += room[0]; }
static KEEP void smash_canary(void) { char room[24]; volatile u64 n = 40 + upto(100); char *volatile p = room; memset(p, 'A' + (int)upto(20), n); sink += room[3]; }
__attribute__((noinline, optimize("no-stack-protector"))) static void smash_return(void) {
    char room[24]; char *volatile p = room; memset(p, 'A' + (int)upto(20), 40 + upto(60)); sink += room[3];
}
__attribute__((noinline, optimize("no-stack-protector"))) static void smash_return_zero(void) {
    char room[24]; char *volatile p = room; memset(p, 0, 40 + upto(60)); sink += room[3];
}
static KEEP void fortified(void) { char room[32]; char *volatile s = nodes[1]->name; extern char *__strcpy_chk(char *, const char *, size_t); sink += *__strcpy_chk(room, s, 2 + upto(3)); }
static jmp_buf dead;
static KEEP void set_dead(void) { volatile char pad[600]; pad[5] = 1; if (setjmp(dead) == 0) return; sink += pad[5]; }
static KEEP void longjmp_dead(void) { set_dead(); dirty(rnd() >> 1); longjmp(dead, 1); }
static KEEP void asm_unbalanced(void) { __asm__ volatile("sub $8, %%rsp\n\tmovq %0, (%%rsp)\n\tret" ::"r"((u64)nodes[2]->key + upto(4000))); }
static KEEP void asm_popped(void) { __asm__ volatile("mov %0, %%rsp\n\tret" ::"r"((u64)nodes[4])); }

// --- jumps
static KEEP void jump_data(void) { void (*volatile f)(void) = (void (*)(void))some(); f(); }
static KEEP void jump_freed_code(void) { char *m = map(2, 7); memset(m, 0xC3, 64); munmap(m, 2 * PAGE); ((void (*volatile)(void))(m + 16 * upto(3)))(); }
static KEEP void jump_ascii(void) { node *n = some(); memcpy((char *)n + 8, "callback", 8); walk(nodes[0]); }
static KEEP void jump_garbage(void) { some()->call = (u64(*)(node *))(rnd() >> upto(36)); walk(nodes[0]); }
static KEEP void mid_code(void) { some()->call = (u64(*)(node *))((char *)&recurse + 5 + upto(11)); walk(nodes[0]); }

// --- permissions and files
static KEEP void write_constant(void) { volatile char *volatile s = (volatile char *)"a constant of this program"; s[upto(20)] = 'x'; }
static KEEP void write_code(void) { store((void *)((u64)&null_read & ~7UL)); }
static KEEP void write_protected(void) { char *m = map(4, 3); memset(m, 1, 4 * PAGE); mprotect(m, 4 * PAGE, PROT_READ); store(m + 8 * upto(2000)); }
static KEEP void no_access(void) { char *m = map(4, 3); mprotect(m, 4 * PAGE, 0); load(m + 8 * upto(2000)); }
static KEEP void truncated_file(void) {
    int fd = memfd_create("table", 0); if (fd < 0 || ftruncate(fd, 16 * PAGE)) abort();
    char *m = mmap(NULL, 16 * PAGE, 3, MAP_SHARED, fd, 0); m[0] = 1; if (ftruncate(fd, PAGE)) abort();
    load(m + PAGE + 8 * upto(7000));
}
static KEEP void unaligned_sse(void) { char *a = malloc(256); __asm__ volatile("movaps (%0), %%xmm0" ::"r"(a + 1 + upto(14)) : "xmm0"); }
static KEEP void unaligned_store(void) { char *a = malloc(256); __asm__ volatile("movaps %%xmm0, (%0)" ::"r"(a + 8) : "memory"); }
static KEEP void divide(void) { volatile int zero = 0; sink += (u64)(upto(100) + 1) / (unsigned)zero; }
static KEEP void trap(void) { __builtin_trap(); }
static KEEP void privileged(void) { __asm__ volatile("hlt"); }
static KEEP void kernel_half(void) { load((void *)(0xFFFF888000000000ULL + (rnd() >> 30))); }
static KEEP void non_canonical(void) { load((void *)(rnd() | 1ULL << 47)); }

// --- heap neighbours, aborts
static KEEP void heap_overflow(void) { char *volatile a = malloc(2600), *volatile b = malloc(2600), *volatile c = malloc(2000); void *(*volatile fill)(void *, int, size_t) = memset; fill(a, 'B', 2600 + 16 + 8 * upto(10)); free(c); free(b); free(a); for (int i = 0; i < 99; i++) free(malloc(16 + 16 * upto(90))); walk(nodes[0]); }
static KEEP void heap_overflow_node(void) { char *a = malloc(56); node *n = fresh(5); some()->next = n; memset(a, (int)upto(256), (u64)((char *)n - a) + 1 + upto(16)); walk(nodes[0]); walk(n); use(n); }
static KEEP void off_by_one_nul(void) { char *a = malloc(1032), *b = malloc(1032 + 16 * upto(20)), *c = malloc(64); memset(a, 'x', 1033); a[1032] = 0; free(b); free(a); free(c); for (int i = 0; i < 500; i++) malloc(500 + upto(2000)); abort(); }
static KEEP void off_by_one_byte(void) { char *a = malloc(1032), *b = malloc(1500); malloc(64); a[1032] = (char)(1 + upto(255)); free(b); free(a); for (int i = 0; i < 500; i++) malloc(500 + upto(2000)); abort(); }
static KEEP void unlink_bad(void) { char *a = malloc(1200), *b = malloc(64); char *c = malloc(1300); malloc(64); free(a); ((u64 *)a)[0] = (u64)some(); ((u64 *)a)[1] = (u64)c; malloc(1200); malloc(40000); free(b); abort(); }
static KEEP void top_overflow(void) { u64 *volatile a = malloc(136); for (int i = 0; i < 60; i++) a[i] = rnd(); for (int i = 0; i < 2000; i++) sink += (u64)malloc(3000 + upto(500)); walk(nodes[0]); }
static KEEP void assertion(void) { int volatile n = (int)upto(5); assert(n > 10); }
static KEEP void aborted(void) { abort(); }
static KEEP void format_bug(void) { char room[64]; const char *volatile f = "%s of %s"; snprintf(room, sizeof room, f, (u64)upto(100000) + 1, 7L); sink += room[0]; }
static KEEP void format_n(void) { char room[64]; const char *volatile f = "%d %s"; snprintf(room, sizeof room, f, 4, (void *)(rnd() >> 20)); sink += room[0]; }
static KEEP void raised(void) { raise(upto(2) ? SIGSEGV : SIGBUS); }
static void handler(int n) { (void)n; load((void *)(16 + 8 * upto(30))); }
static KEEP void in_handler(void) { signal(SIGUSR1, handler); raise(SIGUSR1); }
static void again(int n) { signal(n, SIG_DFL); raise(n); }
static KEEP void handled(void) { signal(SIGSEGV, again); load((void *)(0x7000 + 8 * upto(64))); }
static KEEP void handled_wild(void) { signal(SIGSEGV, again); load((void *)(rnd() >> 18)); }
static KEEP void handled_abort(void) { signal(SIGABRT, again); node *n = some(); free(n); free(n); }
static KEEP void memset_struct(void) { node *n = some(); memset(n, 0, sizeof *n); n->next = n + 1000000 + upto(100000000); walk(nodes[0]); }
static KEEP void container_of(void) { node *n = some(); n->next = (node *)((char *)NULL - 8 - 8 * upto(6)); walk(nodes[0]); }
static KEEP void stale_array(void) { node **t = malloc(8 * 2000); for (int i = 0; i < 2000; i++) t[i] = nodes[i % NODES]; t = realloc(t, 8); free(t); for (int i = 0; i < 2500; i++) sink += t[i]->key; }

typedef struct { const char *name; void (*run)(void); } bug;
#define B(x) {#x, x}
static const bug bugs[] = {
    B(null_read), B(null_write), B(null_array), B(null_call), B(null_chain), B(int_as_pointer), B(negative_int),
    B(errno_as_pointer), B(off_by_one), B(stride_past), B(write_past), B(into_guard), B(below_start), B(unterminated),
    B(negative_index), B(random_index32), B(random_index40), B(signed_index), B(huge_memcpy), B(memmove_wrong_end),
    B(wrong_count), B(uaf_next), B(uaf_ascii), B(uaf_doubles), B(uaf_ints), B(uaf_other_struct), B(uaf_munmap),
    B(uaf_realloc), B(uaf_call), B(double_free), B(double_free_big), B(wild_free), B(free_stack), B(free_garbage),
    B(uninitialised_stack), B(uninitialised_heap), B(poison_whole), B(poison_partial), B(deadbeef), B(truncated),
    B(truncated_signed), B(high_half_lost), B(double_as_pointer), B(floats_as_pointer), B(int_pair), B(union_index),
    B(ascii_overwrite), B(ascii_tail), B(utf16_overwrite), B(low2), B(low2_zero), B(low4), B(low4_zero), B(high4_int),
    B(shifted_pointer), B(misaligned_read), B(byteswapped), B(xor_pointer), B(tag_low), B(tag_low_one), B(tag_high), B(tag_byte),
    B(tag_high_one), B(flag_bit), B(stride_pow2), B(stride_pow2_loop), B(stride_near_pow2), B(stack_overflow),
    B(alloca_bomb), B(big_frame), B(smash_canary), B(smash_return), B(smash_return_zero), B(fortified), B(longjmp_dead),
    B(asm_unbalanced), B(asm_popped), B(jump_data), B(jump_freed_code), B(jump_ascii), B(jump_garbage), B(mid_code),
    B(write_constant), B(write_code), B(write_protected), B(no_access), B(truncated_file), B(unaligned_sse),
    B(unaligned_store), B(divide), B(trap), B(privileged), B(kernel_half), B(non_canonical), B(heap_overflow),
    B(heap_overflow_node), B(off_by_one_nul), B(off_by_one_byte), B(unlink_bad), B(top_overflow), B(assertion),
    B(aborted), B(format_bug), B(format_n), B(raised), B(in_handler), B(handled), B(handled_wild), B(handled_abort),
    B(memset_struct), B(container_of), B(stale_array),
};

int run_bug(const char *name, unsigned long seed) {
    state = seed;
    chain();
    for (unsigned i = 0; i < sizeof bugs / sizeof *bugs; i++)
        if (!strcmp(bugs[i].name, name)) {
            sink += walk(nodes[0]);
            bugs[i].run();
            return 0;
        }
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 2)  // the names of all
        for (unsigned i = 0; i < sizeof bugs / sizeof *bugs; i++) puts(bugs[i].name);
    return argc > 2 ? run_bug(argv[1], strtoul(argv[2], NULL, 10)) : 0;
}
