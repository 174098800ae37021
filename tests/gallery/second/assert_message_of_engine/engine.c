// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#define CHECK(c) do { if (!(c)) { fprintf(stderr, "engine: CHECK failed: %s (%s:%d)\n", #c, __FILE__, __LINE__); abort(); } } while (0)
static int budget = 3;
__attribute__((noinline)) void step_engine(int number) { budget--; CHECK(budget >= 0); }
