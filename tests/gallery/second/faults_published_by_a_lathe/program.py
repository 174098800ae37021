# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

import zmq


class FaultLog:
    def __init__(self, collector):
        self.context = zmq.Context()
        self.out = self.context.socket(zmq.PUSH)
        self.out.connect(collector)

    def __enter__(self):
        return self.report

    def report(self, axis, code, **details):
        self.out.send(json.dumps({"axis": axis, "code": code, **details}).encode())

    def __exit__(self, *exc_info):
        self.out.close()
        self.context.term()


def turn(report, depth=0.4):
    for step in range(240):
        if step % 80 == 79:
            report("xyz"[step % 3], 300 + step, depth=depth * step)
    return step


with FaultLog("ipc://collector.sock") as report:
    print(turn(report), "steps", file=sys.stderr)
    open("ready", "w").write(f"{os.getpid()}\n")
