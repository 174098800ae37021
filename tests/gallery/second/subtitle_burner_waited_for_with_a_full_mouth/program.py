"""Subtitles are burned into films by a command-line tool; several films at a time, under asyncio."""

import asyncio
import logging
import os
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("burner")

TOOL = r"""
import sys
film, minutes = sys.argv[1], int(sys.argv[2])
for frame in range(minutes * 60 * 24):
    if frame % 24 == 0:
        sys.stdout.write("frame=%7d film=%s fps=24.0 q=28.0 size=%9dkB bitrate=1843.2kbits/s\r" % (frame, film, frame))
sys.stdout.write("done %s\n" % film)
"""


class BurnFailed(Exception):
    pass


class Burner:
    def __init__(self, at_once):
        self.slots = asyncio.Semaphore(at_once)
        self.finished = []
        self.started = 0

    async def burn(self, film, minutes):
        async with self.slots:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", TOOL, film, str(minutes),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            log.info("%s: process started", film)
            self.started += 1
            if self.started == 5:  # the two long films run now
                asyncio.get_running_loop().call_later(4.0, announce)
            status = await process.wait()
            if status:
                raise BurnFailed(film)
            report = await process.stdout.read()
            self.finished.append((film, len(report)))
            log.info("%s: ready, %d bytes of report", film, len(report))


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def programme(burner, films):
    jobs = [asyncio.create_task(burner.burn(film, minutes), name=film) for film, minutes in films]
    for job in asyncio.as_completed(jobs):
        await job
    return burner.finished


async def main():
    burner = Burner(at_once=2)
    films = [
        ("trailer", 2),
        ("advert", 1),
        ("overture", 12),
        ("feature", 134),
        ("late-show", 97),
        ("news", 15),
    ]
    finished = await programme(burner, films)
    for film, length in finished:
        print(f"{film:12} {length:9}")


if __name__ == "__main__":
    asyncio.run(main())
