// SPDX-License-Identifier: Apache-2.0
const char *default_name(void) { return "unnamed document"; }
void upper(char *text) { for (; *text; text++) if (*text > 96) *text -= 32; }
