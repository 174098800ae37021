/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#define NOT_SET INT64_MIN

static int64_t balance[16] = {[0 ... 15] = NOT_SET};

static int64_t share(int64_t total, int64_t parts) { return parts ? total / parts : 0; }

void deposit(int account, int64_t cents)
{
    balance[account] = balance[account] == NOT_SET ? cents : balance[account] + cents;
}

/* A negative number of parts stands for a refund. */
int64_t share_of(int account, int64_t parts) { return share(balance[account], parts); }
