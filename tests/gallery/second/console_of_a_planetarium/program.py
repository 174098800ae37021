# SPDX-License-Identifier: Apache-2.0
"""The operator's console of a planetarium: commands are typed, the dome follows in threads."""

import cmd
import os
import sys
from concurrent.futures import ThreadPoolExecutor


class Dome:
    def __init__(self):
        self.azimuth = 0.0
        self.projectors = ThreadPoolExecutor(4, thread_name_prefix="projector")

    def turn(self, degrees):
        steps = self.projectors.map(lambda part: degrees * part / 10, [1, 2, 3, 4])
        self.azimuth = (self.azimuth + sum(steps)) % 360
        return self.azimuth


class Console(cmd.Cmd):
    prompt = "dome> "
    use_rawinput = False

    def __init__(self, dome):
        super().__init__()
        self.dome = dome

    def do_turn(self, arg):
        """turn DEGREES"""
        print("azimuth", self.dome.turn(float(arg or 15)))

    def do_quit(self, arg):
        return True

    def do_EOF(self, arg):
        return True

    def preloop(self):
        self.onecmd("turn 30")
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    Console(Dome()).cmdloop("Planetarium, " + sys.platform)
