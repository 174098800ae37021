// SPDX-License-Identifier: Apache-2.0
void smooth(double *signal, long length)
{
    double last = signal[length - 1];
    for (long n = 0; n < 16; n++) signal[length + n] = last + n * 1e-3;
    for (long n = 0; n < length; n++) signal[n] = (signal[n] + signal[n + 1] + signal[n + 2]) / 3;
}
