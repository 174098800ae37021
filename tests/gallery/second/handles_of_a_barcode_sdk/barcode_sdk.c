// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t width, height;
    uint32_t scans;
    uint8_t *scratch;
} bc_scanner;

bc_scanner *bc_open(int width, int height)
{
    bc_scanner *scanner = calloc(1, sizeof *scanner);
    scanner->width = width;
    scanner->height = height;
    scanner->scratch = malloc((size_t)width * height);
    return scanner;
}

int bc_scan(bc_scanner *scanner, const uint8_t *picture, size_t size, char *digits)
{
    scanner->scans++;
    size_t most = (size_t)scanner->width * scanner->height;
    memcpy(scanner->scratch, picture, size < most ? size : most);
    for (int n = 0; n < 13; n++)
        digits[n] = '0' + scanner->scratch[n * 97 % most] % 10;
    digits[13] = 0;
    return 0;
}

void bc_close(bc_scanner *scanner)
{
    free(scanner->scratch);
    free(scanner);
}
