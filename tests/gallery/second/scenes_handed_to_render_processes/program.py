# SPDX-License-Identifier: Apache-2.0
"""Batch renderer: scenes go through a queue to a few processes, and the batch is finished when
every scene was worked off."""

import math
import multiprocessing
import os


def trace(scene):
    x, y, z = scene["camera"]
    return sum(math.hypot(x - i, y + i, z) for i in range(scene["width"])) / scene["width"]


def render_from(scenes, results):
    while True:
        scene = scenes.get()
        results.put((scene["name"], trace(scene)))
        scenes.task_done()


class Farm:
    def __init__(self, size):
        context = multiprocessing.get_context("fork")
        self.scenes = context.JoinableQueue()
        self.results = context.SimpleQueue()
        self.renderers = [
            context.Process(
                target=render_from, args=(self.scenes, self.results), name="renderer-%d" % n,
                daemon=True,
            )
            for n in range(size)
        ]  # fmt: skip

    def __enter__(self):
        for renderer in self.renderers:
            renderer.start()
        return self

    def __exit__(self, *exception):
        for renderer in self.renderers:
            renderer.terminate()

    def render(self, scenes):
        for scene in scenes:
            self.scenes.put(scene)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        self.scenes.join()
        return dict(self.results.get() for _ in scenes)


def read_scenes():
    scenes = [{"name": "hall-%d" % n, "camera": (n, 2, 7), "width": 640} for n in range(9)]
    for draft in (3, 4, 6):
        scenes[draft].pop("camera")
    return scenes


def main():
    with Farm(size=3) as farm:
        for name, light in farm.render(read_scenes()).items():
            print(name, round(light, 2))


main()
