// SPDX-License-Identifier: Apache-2.0
struct Base { virtual int weight() = 0; void log(); virtual ~Base() { log(); } };
__attribute__((noinline)) void Base::log() { volatile int n = weight(); (void)n; }
struct Linear : Base { int weight() override { return 3; } };
extern "C" void *make() { return static_cast<Base *>(new Linear); }
extern "C" void release(void *one) { delete static_cast<Base *>(one); }
