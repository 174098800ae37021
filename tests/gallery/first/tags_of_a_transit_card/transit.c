// SPDX-License-Identifier: Apache-2.0
// Each tag is its kind, its length with these two bytes, and its body.
enum { TRIP = 0x5f };

__attribute__((noinline)) static long next_tag(const unsigned char *card, long at)
{
    return at + card[at + 1];
}

long count_trips(const unsigned char *card, long size)
{
    long trips = 0;
    for (long at = 0; at + 2 <= size; at = next_tag(card, at))
        if (card[at] == TRIP)
            trips++;
    return trips;
}
