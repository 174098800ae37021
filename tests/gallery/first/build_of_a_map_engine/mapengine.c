/* SPDX-License-Identifier: Apache-2.0 */

const char map_engine_build[] = "4.2.1-release (gcc)";

int map_engine_layers(void) { return 7; }
