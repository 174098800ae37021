# SPDX-License-Identifier: Apache-2.0
"""Shows the captions of a lecture with slides: loaded natively, shown, and given back."""

import ctypes
from pathlib import Path

captions = ctypes.CDLL(str(Path(__file__).with_name("captions.so")))
captions.caption_new.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_uint32]
captions.caption_new.restype = ctypes.c_void_p
captions.caption_words.argtypes = [ctypes.c_void_p]
captions.caption_free.argtypes = [ctypes.c_void_p]

SENTENCE = "Seen from the tower, the delta spreads like a hand. "


class Lecture:
    def __init__(self, slides):
        self.captions = []
        for slide in range(slides):
            text = (SENTENCE * (30 + slide % 4)).encode()
            self.captions.append(captions.caption_new(slide, text, len(text)))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        while self.captions:
            captions.caption_free(self.captions.pop(0))

    def words(self):
        return [captions.caption_words(caption) for caption in self.captions]


def main():
    with Lecture(slides=24) as lecture:
        print(sum(lecture.words()))


if __name__ == "__main__":
    main()
