# SPDX-License-Identifier: Apache-2.0
"""Sound card reader: samples collect in an array, which writes itself to a recorder; once the
recorder has had enough for one segment it begins a new one."""

from array import array


class SegmentRecorder:
    """File-like: keeps segments of a fixed size."""

    def __init__(self, segment_bytes):
        self.segment_bytes = segment_bytes
        self.segments = [bytearray()]
        self.on_full = []

    def write(self, block):
        self.segments[-1] += block
        if len(self.segments[-1]) >= self.segment_bytes:
            self.segments.append(bytearray())
            for callback in self.on_full:
                callback()
        return len(block)


class Microphone:
    def __init__(self, recorder):
        self.samples = array("h")
        self.recorder = recorder
        recorder.on_full.append(self.begin_segment)

    def begin_segment(self):
        del self.samples[:]

    def hear(self, count, tone):
        self.samples.extend((n * tone) % 2000 - 1000 for n in range(count))

    def flush(self):
        self.samples.tofile(self.recorder)


def main():
    recorder = SegmentRecorder(segment_bytes=128 * 1024)
    microphone = Microphone(recorder)
    for seconds, tone in ((1, 3), (1, 7), (9, 11)):
        microphone.hear(seconds * 16_000, tone)
        microphone.flush()
    print([len(segment) for segment in recorder.segments])


main()
