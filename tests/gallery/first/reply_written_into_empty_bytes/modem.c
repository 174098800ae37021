/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

static const char model[] = "+CGMM: QX-4400 LTE Cat 4 module, firmware 7.20.3 (release), ";

int modem_ask(const char *command, char *reply)
{
    char *at = reply;
    for (int line = 0; line < 12; line++, at += sizeof model - 1)
        memcpy(at, model, sizeof model - 1);
    return at - reply;
}
