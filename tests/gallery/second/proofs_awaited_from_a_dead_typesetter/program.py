"""Typesetting room of a gazette: compositors wait for galleys that a typesetter thread sets."""

import collections
import os
import sys
import threading
import traceback

LINE_WIDTHS = {"headline": 24, "body": 60, "notice": 44}


class GalleyTray:
    """Galleys by article; who wants one waits until it is set."""

    def __init__(self):
        self.changed = threading.Condition()
        self.galleys = {}

    def lay(self, article, lines):
        with self.changed:
            self.galleys[article] = lines
            self.changed.notify_all()

    def take(self, article):
        with self.changed:
            while article not in self.galleys:
                self.changed.wait()
            return self.galleys.pop(article)


Manuscript = collections.namedtuple("Manuscript", "article style text")


def break_lines(text, width):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


def set_type(tray, manuscripts, may_start):
    may_start.wait()
    for manuscript in manuscripts:
        width = LINE_WIDTHS[manuscript.style]
        tray.lay(manuscript.article, break_lines(manuscript.text, width))


def compose(tray, article, pages):
    lines = tray.take(article)
    pages[article] = len(lines)
    print(f"{article}: {len(lines)} lines", flush=True)


def report_uncaught(args):
    sys.stdout.write("".join(traceback.format_exception_only(args.exc_type, args.exc_value)))


def announce(typesetter):
    typesetter.join()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    threading.excepthook = report_uncaught
    tray, pages, start = GalleyTray(), {}, threading.Event()
    manuscripts = [
        Manuscript("flood", "headline", "The river rose by two metres in one night " * 3),
        Manuscript("market", "body", "Barley was asked for and hardly offered " * 9),
        Manuscript("obituary", "epitaph", "He printed this paper for forty years " * 4),
        Manuscript("auction", "notice", "On Friday the mill is sold with its wheel " * 2),
    ]
    typesetter = threading.Thread(
        target=set_type, args=(tray, manuscripts, start), name="typesetter"
    )
    typesetter.start()
    compositors = [
        threading.Thread(target=compose, args=(tray, m.article, pages), name=f"page-{m.article}")
        for m in manuscripts
    ]
    for compositor in compositors:
        compositor.start()
    threading.Thread(target=announce, args=(typesetter,)).start()
    start.set()
    for compositor in compositors:
        compositor.join()
    print("edition of", sum(pages.values()), "lines")


main()
