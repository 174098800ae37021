// SPDX-License-Identifier: Apache-2.0
struct settings {
    int level, width;
};

struct settings *current;

extern "C" void settings_read(int level)
{
    current = new settings{level, 80};
}
