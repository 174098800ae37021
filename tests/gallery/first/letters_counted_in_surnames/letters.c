// SPDX-License-Identifier: Apache-2.0
void count_letters(const char *word, int *counts)
{
    for (const char *letter = word; *letter; letter++) {
        int place = *letter - 'a';
        if (*letter >= 'A' && *letter <= 'Z')
            place = *letter - 'A';
        if (place < 26)
            counts[place]++;
    }
}
