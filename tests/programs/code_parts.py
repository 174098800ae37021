# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["partsbed.py"], "bench": true}
"""Die in a module with a .pyc, after one bit of one of its constants was flipped.

For tests/contract/test_corruption_pyc.py, not for the whole matrix. The times of the module and its
folder are fixed, so that the .pyc is provably the one that was loaded.
"""

import ctypes
import os
import py_compile
import shutil
import sys

import deathbed

WRITTEN, LISTED = 1_700_000_000, 1_700_000_100
BIT = 21  # of the eight bytes of the float
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "library")


def lay_out():
    os.mkdir(FOLDER)
    module = shutil.copy(os.path.join(HERE, "partsbed.py"), FOLDER)
    os.utime(module, (WRITTEN, WRITTEN))
    py_compile.compile(module, doraise=True)
    os.utime(FOLDER, (LISTED, LISTED))
    sys.path.insert(0, FOLDER)


def flip(number):
    """Flip a bit of a float; its value is the last eight bytes."""
    place = id(number) + sys.getsizeof(number) - 8
    word = ctypes.c_uint64.from_address(place)
    word.value ^= 1 << BIT
    return place


lay_out()
import partsbed

CODE = partsbed.work.__code__
PLACE = flip(next(one for one in CODE.co_consts if isinstance(one, float)))
FACTS = {"code": id(CODE), "place": PLACE, "bit": BIT}
WAY = deathbed.prepare("raise")
partsbed.work(lambda: deathbed.die(WAY, facts=FACTS))
