/* SPDX-License-Identifier: Apache-2.0 */
static int driven;

void add_trips(const int *metres, int count)
{
    for (int i = 0; i < count; i++)
        driven += metres[i];
}

int metres_driven(void)
{
    return driven;
}
