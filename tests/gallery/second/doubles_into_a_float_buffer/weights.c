// SPDX-License-Identifier: Apache-2.0
void spread(double *weights, int count, double first)
{
    for (int n = 0; n < count; n++) weights[n] = first + 1.25 * n;
}
