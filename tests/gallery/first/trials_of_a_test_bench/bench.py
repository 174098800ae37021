# SPDX-License-Identifier: Apache-2.0
class Bench:
    """Runs trials; the teardown of one depends on which comes next."""

    def __init__(self, name, channel):
        self.name = name
        self.channel = channel
        self.waiting = []
        self.told_to_stop = False

    def take(self):
        order, what = self.channel.recv()
        if order == "run":
            self.waiting.extend(what)
        elif order == "stop":
            self.told_to_stop = True

    def serve(self):
        self.channel.send(("up", self.name))
        while True:
            while len(self.waiting) < 2 and not self.told_to_stop:
                self.take()
            if not self.waiting:
                return
            trial = self.waiting.pop(0)
            following = self.waiting[0] if self.waiting else None
            self.channel.send(("done", self.run(trial, following)))

    def run(self, trial, following):
        load = sum(step * trial for step in range(2000))
        return trial, load, following is None
