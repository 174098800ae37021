# SPDX-License-Identifier: Apache-2.0
"""Preview service: pictures are rendered in threads while the loop answers who asks for them."""

import asyncio
import os


def render(width, height, steps):
    pixels = bytearray(width * height)
    for y in range(height):
        for x in range(width):
            a, b = real, imaginary = 3 * x / width - 2, 2 * y / height - 1
            for step in range(steps):
                if a * a + b * b > 4:
                    pixels[y * width + x] = step % 256
                    break
                a, b = a * a - b * b + real, 2 * a * b + imaginary
    return bytes(pixels)


class Previews:
    def __init__(self):
        self.ready = {}

    async def make(self, name, size):
        self.ready[name] = await asyncio.to_thread(render, size, size, 400)

    async def answer(self, reader, writer):
        name = (await reader.readline()).decode().strip()
        writer.write(b"ready\n" if name in self.ready else b"wait\n")
        await writer.drain()
        writer.close()


async def main():
    previews = Previews()
    server = await asyncio.start_server(previews.answer, "127.0.0.1", 0)
    jobs = [asyncio.create_task(previews.make("poster", 1600))]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*jobs)
    async with server:
        await server.serve_forever()


asyncio.run(main())
