// SPDX-License-Identifier: Apache-2.0
long dot(const int *weights, long words)
{
    if (words > 1)  /* vp4dpwssd (%rax),%zmm4,%zmm0 */
        __asm__ volatile("mov %0, %%rax\n.byte 0x62,0xf2,0x5f,0x48,0x52,0x00" : : "r"(weights) : "rax");
    return words;
}
