// SPDX-License-Identifier: Apache-2.0
double average(double sum, double days) { return sum / days; }
