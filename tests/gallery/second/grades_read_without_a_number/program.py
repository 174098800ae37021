# SPDX-License-Identifier: Apache-2.0
"""A school's grade book imports what teachers upload; a thread of the import service parses each
upload with a library in C++ and answers with the means."""

import ctypes
import logging
import os
import queue
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
log = logging.getLogger("gradebook")

book = ctypes.CDLL(os.path.join(HERE, "gradebook.so"))
book.gradebook_read.argtypes = [ctypes.c_char_p]
book.gradebook_mean.argtypes = [ctypes.c_char_p]
book.gradebook_mean.restype = ctypes.c_double

UPLOADS = {
    "maths-7a.csv": "Antje;12;9;11\nBerend;7;8;6\nClaas;14;15;13\n",
    "latin-7a.csv": "Antje;10;11\nBerend;9;4\nClaas;99999999999;3\n",
    "music-7a.csv": "Antje;13;12\nBerend;absent;9\nClaas;8;10\n",
    "sport-7a.csv": "Antje;9\nBerend;14\nClaas;12\n",
}


class Upload:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.done = threading.Event()
        self.lines = None

    def pupils(self):
        return [line.partition(";")[0] for line in self.text.splitlines()]


class ImportService(threading.Thread):
    def __init__(self):
        super().__init__(name="importer", daemon=True)
        self.uploads = queue.Queue()
        self.refused = []

    def run(self):
        while (upload := self.uploads.get()) is not None:
            try:
                self.import_upload(upload)
            except ValueError as error:
                self.refused.append(upload.name)
                log.warning("%s refused: %s", upload.name, error)
            upload.done.set()

    def import_upload(self, upload):
        upload.lines = book.gradebook_read(upload.text.encode())
        if upload.lines < 0:
            raise ValueError("a number is too large")
        log.info("%s: %d lines", upload.name, upload.lines)


def means(upload):
    return {pupil: book.gradebook_mean(pupil.encode()) for pupil in upload.pupils()}


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    service = ImportService()
    service.start()
    for name, text in UPLOADS.items():
        upload = Upload(name, text)
        service.uploads.put(upload)
        upload.done.wait()
        log.info("means: %s", {pupil: round(mean, 1) for pupil, mean in means(upload).items()})
    service.uploads.put(None)
    service.join()
    return bool(service.refused)


if __name__ == "__main__":
    sys.exit(main())
