# SPDX-License-Identifier: Apache-2.0
"""A laboratory reads its spectrometer in a thread and sets the gain from the console."""

import ctypes
import os
import threading

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_double)


class Spectrometer:
    """Binding of spectro.so; the short calls keep the GIL, as releasing it costs more than they do."""  # noqa: E501

    def __init__(self, path):
        self._long = ctypes.CDLL(path)
        self._short = ctypes.PyDLL(path)
        self._long.spectro_integrate.argtypes = [ctypes.c_int, ctypes.c_double]
        self._short.spectro_set_gain.argtypes = [ctypes.c_int]
        self._short.spectro_set_gain.restype = None
        self.peaks = []
        self.in_callback = threading.Event()
        self.carry_on = threading.Event()
        self._callback = CALLBACK(self._peak)
        self._long.spectro_set_listener(self._callback)

    def _peak(self, channel, counts):
        self.peaks.append((channel, counts))
        if len(self.peaks) == 5:
            self.in_callback.set()
            self.carry_on.wait()

    def integrate(self, rounds, threshold):
        return self._long.spectro_integrate(rounds, threshold)

    def set_gain(self, value):
        self._short.spectro_set_gain(value)


class Acquisition(threading.Thread):
    def __init__(self, device):
        super().__init__(name="acquisition")
        self.device = device
        self.told = 0

    def run(self):
        self.told = self.device.integrate(400, 30.0)


class Console:
    def __init__(self, device):
        self.device = device

    def obey(self, line):
        verb, _, value = line.partition(" ")
        if verb == "gain":
            self.device.carry_on.set()
            self.device.set_gain(int(value))
        elif verb == "peaks":
            print(len(self.device.peaks), "peaks", flush=True)


def main():
    device = Spectrometer(os.path.abspath("spectro.so"))
    device.set_gain(2)
    console = Console(device)
    acquisition = Acquisition(device)
    acquisition.start()
    device.in_callback.wait()
    console.obey("peaks")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    console.obey("gain 4")
    acquisition.join()
    print("told of", acquisition.told)


main()
