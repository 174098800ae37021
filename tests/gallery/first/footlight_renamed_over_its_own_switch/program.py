"""Lighting desk of a travelling theatre: labels are typed by the crew, cues run from a list."""

import ctypes
import os
import threading

COUNT = 12


class Rig:
    def __init__(self, library):
        self.library = library
        library.rig_new.restype = ctypes.c_void_p
        library.rig_name.restype = ctypes.c_char_p
        library.rig_label.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p]
        library.rig_name.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.rig_cue.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p]
        self.handle = library.rig_new(COUNT)
        self.lock = threading.Lock()

    def label(self, number, text):
        with self.lock:
            self.library.rig_label(self.handle, number, text.encode("latin-1"))

    def name(self, number):
        return self.library.rig_name(self.handle, number).decode("latin-1")

    def cue(self, levels):
        with self.lock:
            return self.library.rig_cue(self.handle, COUNT, bytes(levels))


class Show(threading.Thread):
    def __init__(self, rig, cues):
        super().__init__(name="cue-player")
        self.rig = rig
        self.cues = cues
        self.go = threading.Semaphore(0)
        self.played = threading.Semaphore(0)

    def run(self):
        for title, levels in self.cues:
            self.go.acquire()
            print("cue", title, self.rig.cue(levels), flush=True)
            self.played.release()

    def next(self):
        self.go.release()
        self.played.acquire()


def cues():
    yield "blackout", [0] * COUNT
    yield "dawn", [min(255, 20 * number) for number in range(COUNT)]
    yield "storm", [255 * (number % 2) for number in range(COUNT)]


def main():
    rig = Rig(ctypes.CDLL(os.path.abspath("lights.so")))
    show = Show(rig, list(cues()))
    show.start()
    for number in range(COUNT):
        rig.label(number, f"foot {number}")
    show.next()
    print("labels:", [rig.name(number) for number in range(COUNT)], flush=True)
    rig.label(4, "footlight left (amber)")
    show.next()
    show.next()
    show.join()


main()
