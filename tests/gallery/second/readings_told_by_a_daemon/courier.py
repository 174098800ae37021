# SPDX-License-Identifier: Apache-2.0
"""Binding of the broker's client library."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "readings_told_by_a_daemon.so"))
library.courier_connect.restype = ctypes.c_void_p
library.courier_publish.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.courier_delivered.restype = ctypes.c_long
library.courier_delivered.argtypes = [ctypes.c_void_p]


class Client:
    def __init__(self, topic):
        self.topic = topic
        self._client = library.courier_connect()

    def publish(self, text):
        library.courier_publish(self._client, f"{self.topic} {text}".encode())

    @property
    def delivered(self):
        return library.courier_delivered(self._client)
