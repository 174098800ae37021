# SPDX-License-Identifier: Apache-2.0
"""Renders the shots of a film; the one licence of the denoiser is lent through a manager."""

import multiprocessing
import os
import sys
from dataclasses import dataclass
from multiprocessing.managers import SyncManager

from denoiser import Denoiser
from shots import Shot, read_shots


@dataclass
class Farm:
    manager: SyncManager
    licence: object
    finished: object

    @classmethod
    def open(cls):
        manager = multiprocessing.Manager()
        return cls(manager, manager.Lock(), manager.dict())

    def render_all(self, shots):
        context = multiprocessing.get_context("fork")
        crew = [
            context.Process(target=render, args=(shot, self.licence, self.finished), name=shot.name)
            for shot in shots
        ]
        for each in crew:
            each.start()
        for each in crew:
            each.join()
        return [each.name for each in crew if each.exitcode]


def render(shot: Shot, licence, finished):
    pixels = shot.trace()
    with licence:
        finished[shot.name] = Denoiser(strength=3).clean(pixels)


def render_again(farm, names, shots):
    for shot in shots:
        if shot.name in names:
            print("once more, smaller:", shot.name, flush=True)
            render(shot.halved(), farm.licence, farm.finished)


def main():
    farm = Farm.open()
    shots = read_shots()
    failed = farm.render_all(shots)
    print("failed:", failed, flush=True)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    render_again(farm, failed, shots)
    print("finished:", dict(farm.finished))
    return 0


if __name__ == "__main__":
    sys.exit(main())
