# SPDX-License-Identifier: Apache-2.0
"""The cue light of a theatre: the stage manager calls, the lighting desk goes."""

import logging
import os
import queue
import threading

log = logging.getLogger("cues")


class CueLight:
    """Wakes whoever waits for the next cue."""

    def __init__(self):
        self._changed = threading.Condition()
        self.last = None

    def call(self, name):
        with self._changed:
            self.last = name
            self._changed.notify_all()
        log.info("called: %s", name)

    def wait_for_call(self):
        with self._changed:
            self._changed.wait()
            return self.last


class LightingDesk(threading.Thread):
    def __init__(self, light):
        super().__init__(name="lighting-desk")
        self.light = light
        self.presets = queue.Queue()
        self.levels = {}
        self.state = "idle"

    def load(self, preset):
        self.state = "loading " + preset["name"]
        for channel, level in preset["levels"].items():
            self.levels[channel] = level
        self.state = "loaded"

    def run(self):
        while True:
            preset = self.presets.get()
            if preset is None:
                return
            self.load(preset)
            cue = self.light.wait_for_call()
            log.info("go on %s: %s", cue, self.levels)


class StageManager:
    def __init__(self, light, desk):
        self.light = light
        self.desk = desk
        self.called = []

    def run_scene(self, scene):
        self.light.call(scene["cue"])
        self.desk.presets.put(scene["preset"])
        self.called.append(scene["cue"])


SCENES = [
    {
        "cue": "LX 12",
        "preset": {"name": "moonlight", "levels": {4: 20, 5: 20, 18: 65}},
    }
]


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    light = CueLight()
    desk = LightingDesk(light)
    desk.start()
    manager = StageManager(light, desk)
    for scene in SCENES:
        manager.run_scene(scene)
    desk.presets.put(None)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    desk.join()
    log.info("curtain after %s", manager.called)


main()
