# SPDX-License-Identifier: Apache-2.0
"""Chat bot with a console: the loop serves the rooms, the operator types commands."""

import asyncio
import os
import sys
import threading


class Bot:
    def __init__(self):
        self.rooms = {"lobby": asyncio.Queue(), "help": asyncio.Queue()}
        self.said = 0

    async def serve_room(self, name):
        while True:
            await self.rooms[name].get()
            self.said += 1

    async def say(self, room, text):
        await self.rooms[room].put(text)
        return f"{room} <- {text}"


def read_commands(bot, loop):
    while True:
        print("bot> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        room, _, text = line.strip().partition(" ")
        print(asyncio.run_coroutine_threadsafe(bot.say(room, text), loop).result(10))


async def main():
    bot, loop = Bot(), asyncio.get_running_loop()
    console = threading.Thread(target=read_commands, args=(bot, loop), name="console", daemon=True)
    rooms = [asyncio.create_task(bot.serve_room(name), name=name) for name in bot.rooms]
    print(await bot.say("lobby", "good morning"))
    console.start()
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.wait(rooms)


asyncio.run(main())
