// SPDX-License-Identifier: Apache-2.0
int decode_kind(int kind)
{
    switch (kind) {
    case 1: return 10;
    case 2: return 20;
    default: __builtin_trap();
    }
}
