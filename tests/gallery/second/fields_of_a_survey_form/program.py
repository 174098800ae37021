# SPDX-License-Identifier: Apache-2.0
"""A survey among the users of a library: answers arrive by mail, means are shown on a board."""

import ctypes
import logging
import queue
import random
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("survey")
HERE = Path(__file__).resolve().parent
QUESTIONS = ("age", "books a month", "minutes to walk", "rooms")


@dataclass
class Mail:
    sender: str
    answers: dict


class Form:
    """The native form, see surveyform.cc."""

    def __init__(self):
        self.library = ctypes.CDLL(str(HERE / "surveyform.so"))
        self.library.form_new.restype = ctypes.c_void_p
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        self.library.form_number.argtypes = [pointer, text, ctypes.c_double]
        self.library.form_text.argtypes = [pointer, text, text]
        self.library.form_nothing.argtypes = [pointer, text]
        self.library.form_mean.argtypes = [pointer, text]
        self.library.form_mean.restype = ctypes.c_double
        self.form = self.library.form_new()
        self.guard = threading.Lock()

    def enter(self, question, value):
        with self.guard:
            if value is None:
                self.library.form_nothing(self.form, question.encode())
            elif isinstance(value, (int, float)):
                self.library.form_number(self.form, question.encode(), value)
            else:
                self.library.form_text(self.form, question.encode(), str(value).encode())

    def mean(self, question):
        with self.guard:
            return self.library.form_mean(self.form, question.encode())


class Postman(threading.Thread):
    """Brings mails; some people write words where a number is asked for."""

    def __init__(self, mails):
        super().__init__(name="postman", daemon=True)
        self.mails = mails
        self.chance = random.Random(12)

    def answer(self, number):
        if number > 150 and self.chance.random() < 0.05:
            return "about twenty"
        return None if self.chance.random() < 0.1 else self.chance.randrange(1, 60)

    def run(self):
        number = 0
        while True:
            number += 1
            answers = {question: self.answer(number) for question in QUESTIONS}
            self.mails.put(Mail(f"reader {number}", answers))
            time.sleep(0.004)


class Clerk(threading.Thread):
    def __init__(self, mails, form):
        super().__init__(name="clerk", daemon=True)
        self.mails = mails
        self.form = form
        self.entered = 0

    def run(self):
        while True:
            mail = self.mails.get()
            for question, value in mail.answers.items():
                self.form.enter(question, value)
            self.entered += 1


class Board(threading.Thread):
    """Shows the means."""

    def __init__(self, form):
        super().__init__(name="board", daemon=True)
        self.form = form
        self.shown = {}

    def refresh(self):
        for question in QUESTIONS:
            self.shown[question] = self.form.mean(question)

    def run(self):
        while True:
            time.sleep(0.3)
            self.refresh()


def main():
    logging.basicConfig(level=logging.INFO)
    mails, form = queue.Queue(), Form()
    Postman(mails).start()
    clerk = Clerk(mails, form)
    clerk.start()
    board = Board(form)
    board.start()
    while True:
        time.sleep(0.5)
        log.info("%d mails, %s", clerk.entered, board.shown)


if __name__ == "__main__":
    main()
