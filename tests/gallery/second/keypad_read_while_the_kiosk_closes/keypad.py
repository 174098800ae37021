"""The keypad of the kiosk: its controller sends records of four bytes to standard input."""

import sys
import threading

RECORD = 4


class Keypad(threading.Thread):
    """Reads keys for as long as there is a keypad."""

    def __init__(self, on_key):
        super().__init__(name="keypad", daemon=True)
        self.on_key = on_key
        self.keys = 0
        self.listening = threading.Event()

    def run(self):
        source = sys.stdin.buffer
        self.listening.set()
        while True:
            record = source.read(RECORD)
            if len(record) < RECORD:
                return
            self.keys += 1
            self.on_key(record[0], record[1])
