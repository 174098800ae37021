// SPDX-License-Identifier: Apache-2.0
struct settings {
    int level, width;
};

extern struct settings *current;

struct reader {
    int width;
    reader() : width(current->width) {}
};

static reader the_reader;

extern "C" int plugin_width() { return the_reader.width; }
