# SPDX-License-Identifier: Apache-2.0
"""A plant controller uses the libraries of two vendors: the scale bus and the valves."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def vendor(name):
    """Load a vendor's library; the plug-ins of the first one want its symbols globally."""
    return ctypes.CDLL(os.path.join(HERE, name + ".so"), mode=ctypes.RTLD_GLOBAL)


class Plant:
    def __init__(self):
        self.scales = vendor("scales")
        self.valves = vendor("valves")
        self.valves.open_valve.argtypes = [ctypes.c_char_p, ctypes.c_int]

    def weigh(self, number):
        return self.scales.weight_of(number)

    def fill(self, number, valve, wanted):
        while self.weigh(number) < wanted:
            self.valves.open_valve(valve, 1)
        self.valves.open_valve(valve, 0)


def shift(plant):
    for number, valve in ((3, b"inlet_valve_of_the_west_tank"), (4, b"inlet_valve_of_the_cellar")):
        plant.fill(number, valve, 4000)
        print(valve.decode(), plant.weigh(number))


shift(Plant())
