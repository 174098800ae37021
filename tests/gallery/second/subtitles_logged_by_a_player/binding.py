# SPDX-License-Identifier: Apache-2.0
"""Binding of the subtitle engine."""

import ctypes
import logging
import os

HERE = os.path.dirname(os.path.abspath(__file__))
engine = ctypes.CDLL(os.path.join(HERE, "subtitles_logged_by_a_player.so"))

LogCallback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p
)

engine.engine_new.restype = ctypes.c_void_p
engine.engine_new.argtypes = [ctypes.c_int]
engine.engine_set_log.restype = None
engine.engine_set_log.argtypes = [ctypes.c_void_p, LogCallback, ctypes.c_void_p]
engine.engine_add_cue.restype = ctypes.c_int
engine.engine_add_cue.argtypes = [
    ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_char_p,
]  # fmt: skip

LEVELS = {b"debug": logging.DEBUG, b"warning": logging.WARNING, b"error": logging.ERROR}


class SubtitleEngine:
    def __init__(self, verbosity=20):
        self.log = logging.getLogger("subtitles")
        self._handle = engine.engine_new(verbosity)
        self._callback = LogCallback(self.on_log)
        engine.engine_set_log(self._handle, self._callback, None)

    def on_log(self, opaque, level, module, text):
        severity = LEVELS.get(level, logging.INFO)
        self.log.log(severity, "%s: %s", module.decode(), text.decode())

    def add(self, start, end, text):
        return engine.engine_add_cue(self._handle, start, end, text.encode())
