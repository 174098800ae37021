# SPDX-License-Identifier: Apache-2.0
"""A statistics office reads old data files; the reader of each dialect is a module imported on demand."""  # noqa: E501

import os
import threading

import dialects


def convert(name, rows):
    reader = dialects.lookup(name)
    return [reader(row) for row in rows]


def warm_up(names):
    """Import the dialects ahead, so that the first request need not wait."""
    import importlib

    for name in names:
        importlib.import_module(f"dialect_{name}")


class Request(threading.Thread):
    def __init__(self, name, rows):
        super().__init__(name=f"request-{name}")
        self.dialect, self.rows, self.answer = name, rows, None

    def run(self):
        self.answer = convert(self.dialect, self.rows)
        print(self.dialect, self.answer, flush=True)


def main():
    first = Request("semicolon", ["Ulm;1890;36191", "Aalen;1890;7000"])
    first.start()
    first.join()
    helper = threading.Thread(target=warm_up, args=(["columns"],), name="warm-up")
    # A request asks for the dialect in the moment in which the helper imports it.
    helper.start()
    dialects.meeting["importing"].wait()
    second = Request("columns", ["Ulm       189036191"])
    second.start()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(1.0, ready).start()
    helper.join()
    second.join()


if __name__ == "__main__":
    main()
