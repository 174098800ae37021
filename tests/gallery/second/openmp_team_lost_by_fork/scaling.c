// SPDX-License-Identifier: Apache-2.0
double scale_all(double *values, int number, double factor)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int n = 0; n < number; n++)
        sum += values[n] *= factor;
    return sum;
}
