# SPDX-License-Identifier: Apache-2.0
"""Finds the scenes of a film with a command line tool that tells them on its output."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple


class Scene(NamedTuple):
    start: float
    end: float


class ToolFailed(RuntimeError):
    pass


class SceneTool:
    command = [sys.executable, str(Path(__file__).resolve().with_name("scenetool.py"))]

    def __init__(self, verbose: bool = False):
        self.flags = ["--verbose"] if verbose else []

    def scenes(self, film: str) -> Iterator[Scene]:
        tool = subprocess.Popen(
            [*self.command, *self.flags, film],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with tool:
            for line in tool.stdout:
                yield Scene(**json.loads(line))
            complaints = tool.stderr.read()
        if tool.returncode:
            raise ToolFailed(complaints[-500:])


def longest_scenes(film, number):
    scenes = SceneTool(verbose=True).scenes(film)
    return sorted(scenes, key=lambda scene: scene.start - scene.end)[:number]


def main():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for scene in longest_scenes("night_train.mkv", 5):
        print(f"{scene.start:9.2f} - {scene.end:9.2f}")


if __name__ == "__main__":
    main()
