# SPDX-License-Identifier: Apache-2.0
"""What a line for a shell leaves in the background with the pipes that somebody reads."""

from __future__ import annotations

import pytest

from gdb_epi.hangs.processes.shell_lines import find_background_command

BOTH = ("stdout", "stderr")


@pytest.mark.parametrize(
    ("line", "streams", "left"),
    [
        ("sleep 600 & echo started", BOTH, "sleep"),
        ("nohup /opt/shop/server --port 80 &", BOTH, "server"),
        ("(server &)", BOTH, "server"),
        ("PORT=80 server & true", BOTH, "server"),
        ("server 2>&1 >log &", BOTH, "server"),  # its errors go where its output went before
        ("server >/dev/null &", BOTH, "server"),
        ("server >/dev/null &", ("stdout",), ""),
        ("server >log 2>&1 &", BOTH, ""),
        ("server &>log &", BOTH, ""),
        ("server >&2 &", ("stdout",), ""),
        ("build && test || echo no", BOTH, ""),
        ("gzip a & gzip b & wait", BOTH, ""),
        ("server & echo $!", BOTH, ""),
        ("echo 'a & b' \\& \"c & d\"", BOTH, ""),
        ("server", BOTH, ""),
    ],
)
def test_what_is_left_in_the_background(line: str, streams: tuple[str, ...], left: str) -> None:
    assert find_background_command(line, streams) == left
