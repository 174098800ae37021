# SPDX-License-Identifier: Apache-2.0
import asyncio
import os
import sys

CONVERTER = """
cat > /dev/null
test -e spool.pid || { tail -f --pid=$PPID /dev/null & echo $! > spool.pid; }
echo preview $1
"""


class Previewer:
    def __init__(self, slots=1):
        self.slots = asyncio.Semaphore(slots)
        self.done = {}

    async def preview(self, name, data):
        async with self.slots:
            convert = await asyncio.create_subprocess_exec(
                "sh",
                "-c",
                CONVERTER,
                "convert",
                name,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await convert.communicate(data)
            self.done[name] = out.decode().strip(), convert.returncode
            return self.done[name]


async def main():
    previewer = Previewer()
    names = [f"letter-{number}.odt" for number in range(4)]
    work = [asyncio.ensure_future(previewer.preview(name, b"x" * 900)) for name in names]
    while not os.path.exists("spool.pid"):
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.3)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for name, text in zip(names, await asyncio.gather(*work)):
        print(name, text, file=sys.stderr)


asyncio.run(main())
