// SPDX-License-Identifier: Apache-2.0
void unmask(unsigned char *at, long size) { for (long n = 0; n < size; n++) at[n] ^= (0x37fa213d >> n % 4 * 8) & 255; }
