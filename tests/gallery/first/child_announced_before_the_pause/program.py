# SPDX-License-Identifier: Apache-2.0
"""An importer starts its unpacking tool, prepares its folders and goes on when the tool has ended."""  # noqa: E501

import os
import signal
import subprocess


class Importer:
    def __init__(self):
        self.ended = 0

    def tool_ended(self, number, frame):
        self.ended += 1

    def prepare_folders(self):
        for name in ("new", "seen", "bad"):
            os.makedirs(name, exist_ok=True)

    def unpack(self):
        signal.signal(signal.SIGCHLD, self.tool_ended)
        tool = subprocess.Popen(["true"])
        self.prepare_folders()
        os.waitid(os.P_PID, tool.pid, os.WEXITED | os.WNOWAIT)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        signal.pause()
        return tool.wait()


Importer().unpack()
