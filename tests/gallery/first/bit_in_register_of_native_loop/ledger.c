/* SPDX-License-Identifier: Apache-2.0 */

struct account { long number, balance; };

/* The rounds of one night: interest until nothing changes any more. */
long settle_accounts(struct account *accounts, long count, long rounds)
{
    register struct account *base asm("r13") = accounts;
    long moved = 0;
    for (long round = 0; round < rounds; round++)
        for (long n = 0; n < count; n++) {
            asm volatile("" : "+r"(base));
            long change = (base[n].balance ^ round) & 3;
            base[n].balance += change - 1;
            moved += change;
        }
    return moved;
}
