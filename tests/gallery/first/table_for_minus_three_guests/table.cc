// SPDX-License-Identifier: Apache-2.0
struct seat {
    int number, guest;
};

extern "C" int table_for(int guests)
{
    seat *seats = new seat[guests];
    __asm__ volatile("" : "+r"(seats));
    for (int n = 0; n < guests; n++)
        seats[n] = {n, 0};
    int last = seats[guests - 1].number;
    delete[] seats;
    return last;
}
