// SPDX-License-Identifier: Apache-2.0
#include <string.h>
void clear_fields(char *form, long size) { memset(form, 0xff, (size_t)size * sizeof(long)); }
