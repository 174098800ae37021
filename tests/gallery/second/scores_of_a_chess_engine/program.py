# SPDX-License-Identifier: Apache-2.0
"""A chess engine is paused while a person thinks, and is closed at the end of the game."""

import os
import signal
import subprocess
import time
from pathlib import Path


class Engine:
    def __init__(self):
        self.process = subprocess.Popen(
            ["cat", "-u"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def ask(self, position):
        self.process.stdin.write(position + "\n")
        return self.process.stdout.readline().strip()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.process.terminate()
        return self.process.wait()


def play(engine, moves):
    for move in moves:
        engine.go_on()
        print(engine.ask(f"position {move}"))
        engine.pause()
        time.sleep(0.1)  # somebody thinks


def main():
    engine = Engine()
    play(engine, ["e2e4", "e7e5", "g1f3", "b8c6"])
    Path("ready").write_text(f"{os.getpid()}\n")
    print("engine ended with", engine.close())


if __name__ == "__main__":
    main()
