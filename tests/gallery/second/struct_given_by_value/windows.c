// SPDX-License-Identifier: Apache-2.0
typedef struct { int width, height; } Size;
long area_of(const Size *size) { return (long)size->width * size->height; }
