// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static const char *const candidates[] = {"libvaaccel.so.2", "libnpuaccel.so.1", "libresolv.so.2"};
static int backends;

static void *probe_backends(void *unused)
{
    for (unsigned n = 0; n < sizeof candidates / sizeof *candidates; n++) {
        void *handle = dlopen(candidates[n], RTLD_NOW);
        if (handle)
            backends++;
    }
    return NULL;
}

// Probing goes in a thread: a driver may be slow, and there are several.
__attribute__((constructor)) static void codec_setup(void)
{
    pthread_t prober;
    if (pthread_create(&prober, NULL, probe_backends, NULL) == 0)
        pthread_join(prober, NULL);
}

int codec_backends(void) { return backends; }
