# SPDX-License-Identifier: Apache-2.0
"""Read pickled answers from a cache; keys of an old version ask the cache for their namespace."""

import io
import pickle

READERS = []


class Key:
    def __init__(self, text):
        self.text = text

    def __reduce__(self):
        return (Key, (self.text,))

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        if READERS:
            READERS.pop().namespace()
        return hash(self.text)


class CacheReader(pickle.Unpickler):
    def namespace(self):
        """Turn to the record of the namespace, which old entries keep behind the others."""
        record = io.BytesIO(pickle.dumps("answers"))
        self.pages = [b"page" + bytes([number % 250]) * 27 for number in range(9000)]
        del self.pages[::2]
        self.__init__(record)


def main():
    answers = {Key("question %d" % number): "answer %d" % number for number in range(400)}
    data = pickle.dumps(answers)
    reader = CacheReader(io.BytesIO(data))
    READERS.append(reader)
    loaded = reader.load()
    print(len(loaded))


main()
