# SPDX-License-Identifier: Apache-2.0
import os
import threading

import palette


class Plot(threading.Thread):
    def __init__(self, title, values):
        super().__init__(name=title)
        self.values = values
        self.marks = []

    def run(self):
        for value in self.values:
            self.marks.append((value, palette.nearest(value)))


plots = [Plot("rain", range(5)), Plot("wind", range(8)), Plot("sun", range(3))]
open("ready", "w").write(f"{os.getpid()}\n")
for plot in plots:
    plot.start()
for plot in plots:
    plot.join()
print([len(plot.marks) for plot in plots])
