// SPDX-License-Identifier: Apache-2.0
struct named {
    char name[40] = "engine";
};

struct counted {
    long count = 1;
    double weight = 80;
};

struct engine : named, counted {
    int cylinders = 4;
};

extern "C" void *engine_new() { return static_cast<counted *>(new engine); }
extern "C" void engine_drop(void *part)
{
    counted *dropped = static_cast<counted *>(part);
    __asm__ volatile("" : "+r"(dropped));
    delete dropped;
}
