// SPDX-License-Identifier: Apache-2.0
static int (*volatile log_line)(const char *);
void set_log(int (*f)(const char *)) { log_line = f; }
__attribute__((noinline)) int open_link(const char *host) { int n = log_line(host); return n + 3; }
