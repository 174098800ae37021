"""Sends spans of the tracer to a collector from a thread of its own; ended when the process ends."""

import atexit
import json
import queue
import threading

_END = object()


class BatchExporter:
    def __init__(self, write, size=16):
        self._write = write
        self._size = size
        self._spans = queue.Queue(2048)
        self._thread = threading.Thread(target=self._work, name="span-exporter")
        self._thread.start()
        atexit.register(self.shutdown)

    def export(self, span):
        try:
            self._spans.put_nowait(span)
        except queue.Full:
            pass

    def _work(self):
        batch = []
        while True:
            span = self._spans.get()
            if span is not _END:
                batch.append(span)
            if batch and (span is _END or len(batch) >= self._size):
                self._write("\n".join(map(json.dumps, batch)))
                batch.clear()
            if span is _END:
                return

    def shutdown(self):
        """Flush what is there and stop the thread."""
        self._spans.put(_END)
        self._thread.join()
