// SPDX-License-Identifier: Apache-2.0
static int totals[64];
void meter_add(int connection, int bytes)
{
    totals[connection & 63] += bytes;
}
int meter_total(int connection)
{
    return totals[connection & 63];
}
