# SPDX-License-Identifier: Apache-2.0
"""The actors of a hotel: desk, housekeeping and rooms, who ask each other in a ring."""

from actors import Actor


class Room(Actor):
    def __init__(self, name, desk):
        super().__init__(name)
        self.desk = desk
        self.guest = None
        self.clean = True

    async def on_move_in(self, guest):
        self.guest, self.clean = guest, False

    async def on_move_out(self):
        self.guest = None
        self.desk.tell("free", room=self.name)

    async def on_made(self):
        self.clean = True


class Housekeeping(Actor):
    def __init__(self, rooms):
        super().__init__("housekeeping")
        self.rooms = rooms

    async def on_make(self, room):
        await self.rooms[room].ask("made")
        return f"{room} is made"

    async def on_inspect(self):
        return sum(room.clean for room in self.rooms.values())


class Desk(Actor):
    def __init__(self):
        super().__init__("desk")
        self.rooms = {number: Room(number, self) for number in ("11", "12", "14")}
        self.housekeeping = Housekeeping(self.rooms)
        self.book = []

    async def on_arrive(self, guest):
        for number, room in self.rooms.items():
            if room.clean and room.guest is None:
                await room.ask("move_in", guest=guest)
                self.book.append((guest, number))
                return number
        return None

    async def on_free(self, room):
        self.book.append((await self.housekeeping.ask("make", room=room), room))
