// SPDX-License-Identifier: Apache-2.0
// Code whose errors runtimes detect: detected.py says which.
#include <stdexcept>
#include <string>
#include <thread>
#include <cstdlib>
#include <cstring>
#include <cstdio>
#include <new>
struct PriceError : std::runtime_error { using std::runtime_error::runtime_error; };
extern "C" {
__attribute__((noinline)) static void deep_throw(int n) { if (n) { deep_throw(n - 1); std::puts(""); } else throw PriceError(std::string("no price for instrument ") + std::to_string(n)); }
void throw_custom() { deep_throw(3); }
void throw_noexcept() noexcept { throw PriceError("thrown through noexcept"); }
void throw_int() { throw 42; }
void throw_in_thread() { std::thread t([] { throw std::logic_error("worker lost its queue"); }); t.join(); }
// As pybind11::error_already_set: behind the vtable a pointer to type, value and traceback.
struct Fetched { void *type, *value, *trace; };
struct PythonError : std::exception { Fetched *fetched; };
void throw_python(void *type, void *value, void *trace) { PythonError e; e.fetched = new Fetched{type, value, trace}; throw e; }
__attribute__((noinline)) static char *of_size(unsigned long n) { return new char[n]; }
void throw_no_memory() { volatile long left = -80; std::puts(of_size(static_cast<unsigned long>(left) >> 1)); }
void joinable() { std::thread t([] {}); }
char *rows(size_t n) { return (char *)malloc(n); }
void fill(char *at, size_t n) { memset(at, 'R', n); }
struct Named { long a, b, c; char *name; };
char first_of_name(struct Named *at) { return at->name[0]; }
void drop(char *at) { free(at); }
#define PROTECTED(options) __attribute__((noinline, optimize("stack-protector-all" options)))
PROTECTED("") void title(size_t n) { char line[24]; fill(line, n); std::puts(line); }
PROTECTED(",no-omit-frame-pointer") void title_by_rbp(size_t n) { char line[24]; fill(line, n); std::puts(line); }
long *filled_table(long columns, long rows) {
    long number = columns * rows, *table = (long *)malloc(number * sizeof(long));
    for (long at = 0; at < number; at++) table[at] = -1;
    return table;
}
}
