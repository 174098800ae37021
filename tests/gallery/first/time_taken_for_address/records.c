/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

struct record { uint32_t kind; const char *text; uint32_t time; };

int first_word(const struct record *record) { return record->text[0]; }
