# SPDX-License-Identifier: Apache-2.0
"""Office of a choir: members in memory, guarded by a lock; exports are written by threads."""

import asyncio
import csv
import logging
import os
from pathlib import Path

log = logging.getLogger("choir")


class Members:
    def __init__(self):
        self._rows = {}
        self._lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()

    async def join(self, name, voice):
        async with self._lock:
            self._rows[name] = {"name": name, "voice": voice, "exported": False}

    async def mark(self, names):
        async with self._lock:
            for name in names:
                self._rows[name]["exported"] = True

    async def export(self, path):
        """Writes all members; nobody joins meanwhile."""
        async with self._lock:
            rows = list(self._rows.values())
            await self._loop.run_in_executor(None, self._write, path, rows)

    def _write(self, path, rows):
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, ["name", "voice"], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        names = [row["name"] for row in rows]
        asyncio.run_coroutine_threadsafe(self.mark(names), self._loop).result()
        log.info("%s: %d members", path, len(rows))


async def heartbeat():
    while True:
        log.info("office is open")
        await asyncio.sleep(60)


async def main():
    members = Members()
    pulse = asyncio.ensure_future(heartbeat())
    for number, voice in enumerate(("soprano", "alto", "tenor", "bass") * 6):
        await members.join(f"singer {number}", voice)
    Path("ready").write_text(f"{os.getpid()}\n")
    await members.export("members.csv")
    await members.join("latecomer", "alto")
    pulse.cancel()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
