// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int drawn;
static int colour;
static int (*colour_of)(int);

static void *draw_tile(void *tile)
{
    colour = colour_of((int)(long)tile);
    atomic_store(&drawn, 1);
    syscall(SYS_futex, &drawn, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    return 0;
}

__attribute__((noinline)) static void renderer_park(void)
{
    while (!atomic_load(&drawn))
        syscall(SYS_futex, &drawn, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    atomic_store(&drawn, 0);
}

int draw(int (*callback)(int), int tile)
{
    pthread_t renderer;
    colour_of = callback;
    pthread_create(&renderer, 0, draw_tile, (void *)(long)tile);
    renderer_park();
    pthread_join(renderer, 0);
    return colour;
}
