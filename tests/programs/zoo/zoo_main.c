/* SPDX-License-Identifier: Apache-2.0
 * Runs one mode of a zoo library: zoo_main LIBRARY zoo_MODE. */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*mode_function)(void);

int run_mode(void *library, const char *name) {
    mode_function mode = (mode_function)dlsym(library, name);
    return mode == NULL ? 99 : mode() + 1;
}

int main(int argc, char **argv) {
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 98;
    }
    return run_mode(library, argv[2]) + 1;
}
