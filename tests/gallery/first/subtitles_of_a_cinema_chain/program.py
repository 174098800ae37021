# SPDX-License-Identifier: Apache-2.0
"""Subtitles for a chain of cinemas: a synchronous tool that uses an async client by a portal."""

import logging
import os
import threading
import time
from contextlib import ExitStack

import anyio
from anyio.from_thread import start_blocking_portal

log = logging.getLogger("subtitles")


class SubtitleArchive:
    """The async client: fetches subtitles, and watches for corrections from the editors."""

    def __init__(self):
        self.cache = {}
        self.corrections = 0
        self.changed = None

    async def open(self):
        self.changed = anyio.Event()

    async def fetch(self, film, language):
        await anyio.sleep(0.02)
        text = "\n".join(f"{film} {language} {line}" for line in range(200))
        self.cache[film, language] = text
        return text

    async def watch_corrections(self):
        """Wait for the editors, and drop what they have changed."""
        while True:
            await self.changed.wait()
            self.changed = anyio.Event()
            self.cache.clear()
            self.corrections += 1


class Projector(threading.Thread):
    """Shows a film; asks for the subtitles of its next one in time."""

    def __init__(self, screen, programme, portal, archive):
        super().__init__(name=f"projector-{screen}", daemon=True)
        self.programme = programme
        self.portal = portal
        self.archive = archive
        self.shown = []

    def run(self):
        for film, language in self.programme:
            text = self.portal.call(self.archive.fetch, film, language)
            self.shown.append((film, len(text)))
            time.sleep(0.05)


class Heartbeat(threading.Thread):
    def __init__(self, projectors):
        super().__init__(name="heartbeat", daemon=True)
        self.projectors = projectors

    def run(self):
        while True:
            time.sleep(10)
            log.info("shown %s", [len(each.shown) for each in self.projectors])


class Evening:
    """All that is open during an evening, closed in the reverse order."""

    def __init__(self, archive):
        self.archive = archive
        self.resources = ExitStack()

    def __enter__(self):
        portal = self.resources.enter_context(start_blocking_portal("asyncio"))
        portal.call(self.archive.open)
        self.watching = portal.start_task_soon(self.archive.watch_corrections)
        return portal

    def __exit__(self, *failure):
        return self.resources.__exit__(*failure)


def main():
    logging.basicConfig(level=logging.INFO)
    archive = SubtitleArchive()
    with Evening(archive) as portal:
        films = [("the tide", "nl"), ("night bus", "fr"), ("saltmarsh", "de")]
        projectors = [Projector(screen, films, portal, archive) for screen in range(1, 4)]
        Heartbeat(projectors).start()
        for projector in projectors:
            projector.start()
        for projector in projectors:
            projector.join()
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
    log.info("the last film has ended, %d corrections", archive.corrections)


if __name__ == "__main__":
    main()
