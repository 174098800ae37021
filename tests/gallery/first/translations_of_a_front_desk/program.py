# SPDX-License-Identifier: Apache-2.0
"""The desk of a hotel has letters translated by a thread and waits for each of them."""

import os
import queue
import threading
import time

WORDS = {"Zimmer": "room", "Schluessel": "key", "Rechnung": "bill"}
letters = queue.SimpleQueue()
finished = threading.Condition()


def translate_letters():
    while True:
        letter = letters.get()
        letter["english"] = " ".join(WORDS.get(word, word) for word in letter["text"].split())
        with finished:
            finished.notify()


def translated(text):
    letter = {"text": text, "english": None}
    letters.put(letter)
    time.sleep(0.2)  # the receipt is printed meanwhile
    with finished:
        finished.wait()
    return letter["english"]


def main():
    threading.Thread(target=translate_letters, name="translator", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for text in ("Zimmer Schluessel", "Rechnung"):
        print(translated(text))


main()
