"""A modem driver: blocking reads in a thread of its own."""

import queue
import threading

DIALOGUE = {"ATZ": "OK", "ATX3": "OK", "ATH1": "DIALTONE", "ATDT5551": "CONNECT 9600"}


class Modem:
    def __init__(self):
        self._commands = queue.Queue()
        self._thread = threading.Thread(target=self._talk, name="modem", daemon=True)
        self._thread.start()
        self.gate = threading.Event()
        self.sent = 0

    def command(self, text, future):
        self._commands.put((text, future))

    def _talk(self):
        while True:
            text, future = self._commands.get()
            self.gate.wait()
            self.sent += 1
            answer = DIALOGUE.get(text, "ERROR")
            if not future.cancelled():
                future.set_result(answer)
