# SPDX-License-Identifier: Apache-2.0
"""Recorder: loads the codec's library and writes to the log which version of it is in use."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Codec:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def frame_size(self, rate):
        return self.library.codec_frame_size(rate)

    def api_level(self):
        return ctypes.c_int.in_dll(self.library, "codec_api_level").value

    def version(self):
        return ctypes.c_char_p.in_dll(self.library, "codec_version").value.decode()


def main():
    codec = Codec(os.path.join(HERE, "codec.so"))
    print("frames of", codec.frame_size(48000), "samples, level", codec.api_level(), flush=True)
    print("version", codec.version())


main()
