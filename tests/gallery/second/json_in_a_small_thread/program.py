# SPDX-License-Identifier: Apache-2.0
"""A deeply nested JSON document is read in a thread with a small stack; the C scanner recurses
past its end.
"""

import json
import sys
import threading


def read_document(text):
    return len(json.loads(text))


def main():
    sys.setrecursionlimit(100_000)
    threading.stack_size(96 * 1024)
    text = "[" * 2600 + "]" * 2600
    thread = threading.Thread(target=read_document, args=(text,), name="reader")
    thread.start()
    thread.join()


main()
