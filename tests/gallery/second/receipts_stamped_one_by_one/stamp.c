// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

int stamp_receipt(const char *path, int number)
{
    char line[64] = "";
    FILE *file = fopen(path, "r+");
    fgets(line, sizeof line, file);
    if (strncmp(line, "OPEN", 4) == 0)
        return 0;
    fseek(file, 0, SEEK_END);
    fprintf(file, "stamped as %d\n", number);
    fclose(file);
    return 1;
}
