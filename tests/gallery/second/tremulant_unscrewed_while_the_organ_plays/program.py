"""A virtual organ: stops are rendered in C, effects are plug-ins loaded and unloaded at will."""

import _ctypes
import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Organ:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "organ.so"))
        self.library.organ_open.restype = ctypes.c_void_p
        self.library.organ_hook.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self.library.organ_play.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self.library.organ_play.restype = ctypes.c_double
        self.handle = self.library.organ_open()

    def hook(self, function):
        address = ctypes.cast(function, ctypes.c_void_p).value
        if self.library.organ_hook(self.handle, address) < 0:
            raise RuntimeError("no stop is free")

    def play(self, blocks):
        return self.library.organ_play(self.handle, blocks)


class PlugIn:
    """An effect in a shared library of its own."""

    def __init__(self, name):
        self.name = name
        self.library = ctypes.CDLL(os.path.join(HERE, f"{name}.so"))

    def function(self, suffix):
        return getattr(self.library, f"{self.name}_{suffix}")

    def unload(self):
        handle, self.library = self.library._handle, None
        _ctypes.dlclose(handle)


class Registrant:
    """Sits beside the organist and pulls the stops."""

    def __init__(self, organ):
        self.organ = organ
        self.loaded = {}

    def draw(self, name, depth):
        plug_in = self.loaded[name] = PlugIn(name)
        set_depth = plug_in.function("set_depth")
        set_depth.argtypes = [ctypes.c_double]
        set_depth(depth)
        self.organ.hook(plug_in.function("apply"))

    def push(self, name):
        self.loaded.pop(name).unload()


def main():
    organ = Organ()
    registrant = Registrant(organ)
    print("prelude", round(organ.play(40), 3), flush=True)
    registrant.draw("tremulant", 0.3)
    print("chorale", round(organ.play(60), 3), flush=True)
    registrant.push("tremulant")
    print("tremulant is off", flush=True)
    print("fugue", round(organ.play(200), 3), flush=True)


main()
