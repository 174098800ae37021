# SPDX-License-Identifier: Apache-2.0
"""A code museum renders listings; a second process ends it when its pulse stops."""

import os
import signal
import time
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

PULSE = Path("pulse")
LISTINGS = {
    "sum.py": ("python", "print(sum(range(10)))\n"),
    "stack.sml": ("sml", "exception"),
    "hello.c": ("c", "int main(void) { return 0; }\n"),
}


def guard(pid, patience):
    while time.time() - PULSE.stat().st_mtime < patience:
        time.sleep(0.1)
    os.kill(pid, signal.SIGABRT)
    os._exit(0)


def render(name, language, text):
    PULSE.touch()
    return highlight(text, get_lexer_by_name(language), HtmlFormatter(title=name))


def main():
    PULSE.touch()
    museum = os.getpid()
    if os.fork() == 0:
        guard(museum, patience=2.0)
    for name, (language, text) in LISTINGS.items():
        print(name, len(render(name, language, text)))


if __name__ == "__main__":
    main()
