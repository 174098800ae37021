# SPDX-License-Identifier: Apache-2.0
"""What a line that was given to a shell leaves running when the shell itself has ended.

`command &` has the descriptors of the shell, but for standard input (POSIX, Shell Command Language,
Asynchronous Lists). So it keeps a pipe open whose other end somebody reads until all have closed
it, unless the line gives it another output.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

MAX_LINE = 4096
OPERATORS = frozenset(";&|\n(){}")
_TOKEN = re.compile(
    r"""\\. | '[^']*' | "(?:\\.|[^"\\])*" | && | \|\| | &>>? | [<>]& | [;&|\n(){}]
    | [^\\'"&|;\n(){}<>]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_SEPARATORS = OPERATORS | {"&&", "||"}
_REDIRECTION = re.compile(r"(\d*)(&>>?|>&|>>|>)\s*(\S*)")
_AWAITS = frozenset(("wait", "fg"))
_RUNS_ANOTHER = frozenset(("nohup", "exec", "setsid", "command", "env", "sudo"))
_STREAMS = {"1": "stdout", "2": "stderr"}


def find_background_command(line: str, streams: Collection[str]) -> str:
    """Return the name of a command that is left in the background with one of some streams.

    "" where there is none, and where the shell may wait for it.
    """
    parts = list(_split_commands(line))
    if "<<" in line or "$!" in line or any(_AWAITS & {*part.split()} for part, _ in parts):
        return ""
    for part, ends in parts:
        words = [w for w in part.split() if w not in _RUNS_ANOTHER and "=" not in w and w[0] != "-"]
        if ends == "&" and words and _streams_written_by(part) & {*streams}:
            return words[0].rpartition("/")[2]
    return ""


def _split_commands(line: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a line, and the operator that ends each."""
    part = ""
    for token in _TOKEN.finditer(f"{line}\n"):
        if token[0] in _SEPARATORS:
            yield part, token[0]
            part = ""
        else:
            part += token[0]


def _streams_written_by(command: str) -> set[str]:
    """Return which of its shell's streams a command writes to."""
    leads = dict(_STREAMS)
    for number, sign, to in _REDIRECTION.findall(command):
        if sign == ">&" and to in leads:
            leads[number or "1"] = leads[to]
        elif sign.startswith("&") or (sign == ">&" and not number):
            leads.update({"1": "", "2": ""})
        else:
            leads[number or "1"] = ""
    return {leads["1"], leads["2"]}
