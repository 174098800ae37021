"""Glider trainer: gauges are shared libraries that can be exchanged while the panel runs."""

import _ctypes
import ctypes
import os
import pathlib

MOST = 8


class Gauge:
    def __init__(self, name):
        self.name = name
        self.library = ctypes.CDLL(os.path.abspath(f"{name}.so"))

    @property
    def version(self):
        return getattr(self.library, f"{self.name}_version")()

    def address(self):
        return ctypes.cast(getattr(self.library, f"{self.name}_read"), ctypes.c_void_p)

    def unload(self):
        _ctypes.dlclose(self.library._handle)
        self.library = None


class Panel:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("panel.so"))
        self.library.panel_add.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self.library.panel_poll.argtypes = [ctypes.c_double, ctypes.c_void_p]
        self.library.panel_name.restype = ctypes.c_char_p
        self.values = (ctypes.c_double * MOST)()
        self.gauges = {}

    def mount(self, name):
        gauge = Gauge(name)
        place = self.library.panel_add(name.encode(), gauge.address())
        self.gauges[name] = gauge
        print(f"{name} (version {gauge.version}) at place {place}", flush=True)

    def exchange(self, name):
        """A newer file is there: load it in place of the old one."""
        self.gauges.pop(name).unload()
        newer = pathlib.Path(f"{name}-new.so")
        if newer.exists():
            newer.rename(f"{name}.so")
            self.mount(name)
        else:
            print("no newer", name, flush=True)

    def poll(self, time):
        number = self.library.panel_poll(time, self.values)
        return {
            self.library.panel_name(place).decode(): round(self.values[place], 2)
            for place in range(number)
        }


def flight(panel, begin, end):
    for second in range(begin, end):
        values = panel.poll(float(second))
        if second % 10 == 0:
            print(second, values, flush=True)


def main():
    panel = Panel()
    for name in ("altimeter", "fuel"):
        panel.mount(name)
    flight(panel, 0, 30)
    panel.exchange("fuel")
    flight(panel, 30, 60)


main()
