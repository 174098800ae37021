# SPDX-License-Identifier: Apache-2.0
"""A puppet theatre's show control: the prompter, the lights and the winch are generator tasks that
talk over channels, within one thread and without asyncio."""

import os
import sys

from stage import Channel, Rest, Send, Stage, Take

CUES = ["curtain", "moon", "wolf", "moon", "curtain"]


class Show:
    def __init__(self):
        self.to_lights = Channel("to-lights")
        self.to_winch = Channel("to-winch")
        self.faults = Channel("faults")
        self.log = []

    def note(self, text):
        self.log.append(text)
        print(text, flush=True)

    def prompter(self):
        """Reads the book and gives each cue to who must do it."""
        for cue in CUES:
            channel = self.to_lights if cue == "moon" else self.to_winch
            yield Send(channel, cue)
            yield Rest(0.01)
        yield Send(self.to_lights, None)
        yield Send(self.to_winch, None)
        while (fault := (yield Take(self.faults))) is not None:
            self.note(f"fault: {fault}")

    def lights(self):
        level = 0
        while (cue := (yield Take(self.to_lights))) is not None:
            level = 100 - level
            self.note(f"lights: {cue} at {level}")
            yield Rest(0.005)
        self.note("lights: dark")

    def winch(self):
        """Moves the curtain and the wolf; what sticks is told to the prompter."""
        turns = 0
        while (cue := (yield Take(self.to_winch))) is not None:
            turns += 1
            if cue == "wolf":
                self.announce()
                yield Send(self.faults, f"{cue} sticks after {turns} turns")
            self.note(f"winch: {cue}")
            yield Rest(0.005)
        yield Send(self.faults, None)

    def announce(self):
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")


def main():
    show, stage = Show(), Stage()
    stage.enter("prompter", show.prompter())
    stage.enter("lights", show.lights())
    stage.enter("winch", show.winch())
    stage.play()
    print("applause after", len(show.log), "notes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
