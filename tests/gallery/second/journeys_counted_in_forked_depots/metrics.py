# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ringlog.so"))
_library.ringlog_open.restype = ctypes.c_void_p
_library.ringlog_add.argtypes = [ctypes.c_void_p, ctypes.c_int]
_library.ringlog_count.argtypes = [ctypes.c_void_p]


class _Metrics:
    def __init__(self):
        self._log = None

    @property
    def log(self):
        if self._log is None:
            self._log = _library.ringlog_open()
        return self._log

    def count(self, amount=1):
        _library.ringlog_add(self.log, amount)

    def __len__(self):
        return _library.ringlog_count(self.log)


journeys = _Metrics()
