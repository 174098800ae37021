// SPDX-License-Identifier: Apache-2.0
#include <thread>
#include <unistd.h>
static void fetch(int seconds) { sleep(seconds); }
extern "C" void prefetch(int seconds) { std::thread worker(fetch, seconds); }
