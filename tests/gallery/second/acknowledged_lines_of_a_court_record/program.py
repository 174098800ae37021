"""Court recorder: each log line must be acknowledged by the archive before work goes on."""

import logging
import os
import queue
import threading


class Archive(threading.Thread):
    """Takes lines, numbers them and acknowledges each."""

    def __init__(self):
        super().__init__(name="archive", daemon=True)
        self.lines = queue.Queue()
        self.log = logging.getLogger("court.archive")
        self.kept = []
        self.volume = 1

    def run(self):
        while True:
            text, acknowledged = self.lines.get()
            self.kept.append(text)
            if len(self.kept) >= 50 * self.volume:
                self.volume += 1
                self.log.warning("volume %d opened", self.volume)
            acknowledged.set()


class ArchiveHandler(logging.Handler):
    def __init__(self, archive):
        super().__init__()
        self.archive = archive

    def emit(self, record):
        acknowledged = threading.Event()
        self.archive.lines.put((self.format(record), acknowledged))
        acknowledged.wait()


def configure(archive):
    handler = ArchiveHandler(archive)
    handler.setFormatter(logging.Formatter("%(asctime)s %(threadName)s %(message)s"))
    logger = logging.getLogger("court")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    return logger


def hearing(log, room, questions):
    for number in range(questions):
        log.info("room %s question %d", room, number)
    log.info("room %s adjourned", room)


def announce(archive):
    count, pause = -1, threading.Event()
    while count != len(archive.kept):
        count = len(archive.kept)
        pause.wait(0.8)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    archive = Archive()
    archive.start()
    log = configure(archive)
    rooms = [
        threading.Thread(target=hearing, args=(log, room, 40), name=f"room-{room}")
        for room in ("A", "B")
    ]
    for room in rooms:
        room.start()
    threading.Thread(target=announce, args=(archive,), daemon=True).start()
    for room in rooms:
        room.join()
    print("kept", len(archive.kept))


main()
