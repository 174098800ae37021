# SPDX-License-Identifier: Apache-2.0
"""Bidders listen for the end of a lot; one who leaves takes the others along."""

import asyncio


class Listener:
    """Compares by bidder, so that a bidder can be removed without its first listener."""

    __slots__ = ("lot", "bidder")

    def __init__(self, lot, bidder):
        self.lot = lot
        self.bidder = bidder

    def __call__(self, closed):
        print(self.bidder, "hears", closed.result())

    def __eq__(self, other):
        if not isinstance(other, Listener):
            return NotImplemented
        return self.bidder == other.bidder


class House(Listener):
    """Speaks for the auction house: whoever is compared with it has to go."""

    __slots__ = ()

    def __eq__(self, other):
        bidder = other.bidder
        self.lot.close_room()
        other = self.lot.house
        self.lot.notes.append("%s out" % bidder)
        return NotImplemented


class Everybody:
    def __eq__(self, other):
        return True


class Lot:
    def __init__(self, loop, number):
        self.number = number
        self.closed = loop.create_future()
        self.house = House(self, "house")
        self.notes = []

    def listen(self, bidder):
        self.closed.add_done_callback(Listener(self, bidder))

    def leave(self, bidder):
        return self.closed.remove_done_callback(Listener(self, bidder))

    def close_room(self):
        self.closed.remove_done_callback(Everybody())

    def hand_over(self):
        return self.closed.remove_done_callback(self.house)


async def auction(number):
    lot = Lot(asyncio.get_running_loop(), number)
    for bidder in ("bo", "al", "cy"):
        lot.listen(bidder)
    lot.leave("bo")
    lot.leave("cy")
    await asyncio.sleep(0)
    lot.hand_over()
    lot.closed.set_result(4200 + number)
    await lot.closed
    return lot.notes


async def main():
    notes = await asyncio.gather(*(auction(number) for number in range(8)))
    print(notes)


if __name__ == "__main__":
    asyncio.run(main())
