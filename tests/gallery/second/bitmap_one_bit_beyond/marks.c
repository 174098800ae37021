// SPDX-License-Identifier: Apache-2.0
void mark(unsigned char *map, unsigned int number) { map[number / 8] |= 1 << number % 8; }
