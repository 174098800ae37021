# SPDX-License-Identifier: Apache-2.0
"""TAB: names of the selected frame, attributes, modules, types, findings; options behind a dash."""

from __future__ import annotations

from driver import Gdb, run_gdb, with_epi
from support.opening import core_of

OFFERED = {
    "epi print num": ["numbers"],
    "epi print order.": ["order.__init__", "order.number", "order.parts"],
    "epi print order.nu": ["order.number"],
    "epi print LO": ["LOCK"],
    "epi print xml.dom.minid": ["xml.dom.minidom"],
    "epi print __main__.LO": ["__main__.LOCK"],
    "epi refs sett": ["settings"],
    "epi break __main__.Or": ["__main__.Order"],
    "epi find Ord": ["Order"],
    "epi find __main__.O": ["__main__.Order"],
    "epi modules xm": ["xml"],
    "epi explain null_d": ["null_dereference"],
    "epi print --dep": ["--depth"],
}
NOTHING = ("epi print no_such_thing.", "epi locals ", "epi print 0x10.", "epi print nowhere")


def test_what_tab_offers(gdb: Gdb) -> None:
    made = core_of("spoken")
    asked = [
        command
        for typed in (*OFFERED, *NOTHING)
        for command in ("echo ASK\\n", f"complete {typed}")
    ]
    done = run_gdb(gdb, *with_epi("epi frame 1", *asked), exe=made.executable, core=made.core)
    assert "Traceback" not in done.stderr and "Error" not in done.stderr, done.text
    answers = [part.splitlines() for part in done.stdout.split("ASK\n")[1:]]
    for typed, offered in zip((*OFFERED, *NOTHING), answers, strict=True):
        command = typed[: typed.rindex(" ") + 1]
        words = [line.removeprefix(command) for line in offered if line != typed.strip()]
        if typed.endswith("order."):
            words = [word for word in words if not word.startswith("order.__") or "init" in word]
            words = [word for word in words if "subclass" not in word]
        assert words == OFFERED.get(typed, []), (typed, done.text)


def test_without_a_process(gdb: Gdb) -> None:
    done = run_gdb(gdb, *with_epi("complete epi print a", "complete epi explain lost_"))
    assert done.stdout.splitlines() == ["epi explain lost_wakeup"], done.text
    assert not done.stderr


def test_modules_are_offered_where_no_frame_of_python_is(gdb: Gdb) -> None:
    made = core_of("spoken")
    asked = ("up 10000", "epi locals", "echo ASK\\n", "complete epi print xm", "epi print xml")
    done = run_gdb(gdb, *with_epi(*asked), exe=made.executable, core=made.core)
    assert "no Python frame" in done.stderr, done.text
    offered, shown, *_ = done.stdout.partition("ASK\n")[2].splitlines()
    assert offered == "epi print xml" and "<module 'xml'" in shown, done.text
