# SPDX-License-Identifier: Apache-2.0
"""Clips of a wildlife station pass four stages; new ones come when an animal walks by."""

import os
import queue
import threading
import time
import zlib


class Stage(threading.Thread):
    def __init__(self, name, work, source, target):
        super().__init__(name=name)
        self.work = work
        self.source = source
        self.target = target
        self.done = 0

    def run(self):
        while True:
            clip = self.source.get()
            if clip is None:
                self.target.put(None)
                return
            self.target.put(self.work(clip))
            self.done += 1


class Camera(threading.Thread):
    def __init__(self, folder, target):
        super().__init__(name="camera")
        self.folder = folder
        self.target = target

    def run(self):
        while not os.path.exists(os.path.join(self.folder, "closed")):
            for name in sorted(os.listdir(self.folder)):
                path = os.path.join(self.folder, name)
                with open(path, "rb") as file:
                    self.target.put(file.read())
                os.remove(path)
            time.sleep(15)
        self.target.put(None)


def main():
    os.makedirs("clips")
    for number in range(5):
        with open(f"clips/{number}.raw", "wb") as file:
            file.write(bytes(range(256)) * 200)
    works = {
        "trim": lambda clip: clip[256:],
        "pack": zlib.compress,
        "sum": lambda clip: (zlib.crc32(clip), clip),
        "file": lambda pair: pair[0],
    }
    queues = [queue.Queue(maxsize=4) for _ in range(len(works))] + [queue.Queue()]
    stages = [
        Stage(name, work, source, target)
        for (name, work), source, target in zip(works.items(), queues, queues[1:])
    ]
    stages.append(Camera("clips", queues[0]))
    for stage in stages:
        stage.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for stage in stages:
        stage.join()
    print(queues[-1].qsize())


main()
