// SPDX-License-Identifier: Apache-2.0
int
label_length(const char *name)
{
    char *label = (char *)label_make(name);
    int count = 0;

    while (label[count] != 0)
        count++;
    return count;
}
