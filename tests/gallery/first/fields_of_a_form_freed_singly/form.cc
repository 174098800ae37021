// SPDX-License-Identifier: Apache-2.0
#include <string>

struct field {
    std::string title = "title";
    int width = 20;
    ~field() { width = 0; }
};

extern "C" void *form_new(int count) { return new field[count]; }
extern "C" void form_drop(void *form)
{
    field *fields = static_cast<field *>(form);
    __asm__ volatile("" : "+r"(fields));
    delete fields;
}
