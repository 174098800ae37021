// SPDX-License-Identifier: Apache-2.0
static double *levels;
static int count;
void vumeter_attach(double *given, int channels)
{
    levels = given;
    count = channels;
}
void vumeter_tick(double loudness)
{
    for (int n = 0; n < count; n++)
        levels[n] = loudness * (n + 1) / count;
}
