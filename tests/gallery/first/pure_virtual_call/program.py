# SPDX-License-Identifier: Apache-2.0
"""A C++ object calls a virtual function while its base class is being destroyed: "pure virtual
method called".
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("model.so"))
library.make.restype = ctypes.c_void_p
library.release.argtypes = [ctypes.c_void_p]


def drop_model():
    library.release(library.make())


drop_model()
