# SPDX-License-Identifier: Apache-2.0
"""On SIGTERM the handler joins the reader thread; that thread waits for room in a full queue,
and only the interrupted main thread would make room.
"""

import os
import queue
import signal
import threading
import time


class Importer:
    def __init__(self):
        self.rows = queue.Queue(maxsize=4)
        self.running = True
        self.reader = threading.Thread(target=self.read_rows, name="reader")

    def read_rows(self):
        number = 0
        while self.running:
            self.rows.put({"row": number})
            number += 1

    def stop(self):
        self.running = False
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        self.reader.join()

    def store(self, row):
        time.sleep(0.1)

    def run(self):
        self.reader.start()
        while self.running or not self.rows.empty():
            self.store(self.rows.get())


def supervisor_stops_us():
    os.kill(os.getpid(), signal.SIGTERM)


def main():
    importer = Importer()

    def on_terminate(number, frame):
        importer.stop()

    signal.signal(signal.SIGTERM, on_terminate)
    threading.Timer(0.45, supervisor_stops_us).start()
    importer.run()


main()
