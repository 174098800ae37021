# SPDX-License-Identifier: Apache-2.0
"""Run a program until it dies, and dump it there: `gdb -x run_until_death.py --args COMMAND`.

For machines that write no core files (a pipe as core_pattern, a hard limit of 0). GDB runs this
file by name, without the package. Children are followed when asked for; a signal that the process
handles itself is passed on, as the kernel would. The answer is watch.json in the folder that
GDB_EPI_WATCH names.
"""

from __future__ import annotations

import json
import os

import gdb

CORE_SIGNALS = (
    "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS", "SIGQUIT", "SIGXCPU",
    "SIGXFSZ",
)  # fmt: skip
NUMBERS = {
    "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGSEGV": 11,
    "SIGXCPU": 24, "SIGXFSZ": 25, "SIGSYS": 31,
}  # fmt: skip
SETTINGS = (
    "set confirm off", "set pagination off", "set debuginfod enabled off",
    # GDB switches ASLR off unless told not to: races and addresses would be other ones.
    "set disable-randomization off",
    "set follow-exec-mode same",
    "set print inferior-events off", "set print thread-events off",
    "handle all nostop noprint pass", "handle SIGINT stop print nopass",
)  # fmt: skip
# GDB 13 sometimes stands still when a process that it follows so uses vfork().
CHILDREN = ("set detach-on-fork off", "set schedule-multiple on")
MAX_STUMBLES = 64
MAX_STOPS = 1_000_000  # a program that handles its own faults stops for each


class DeathWatcher:
    """What happened last, as GDB's events tell it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.answer: dict[str, object] = {}
        self._signal: str | None = None
        self._stumbles = 0
        gdb.events.stop.connect(self._on_stop)
        gdb.events.exited.connect(self._on_exit)

    def _on_stop(self, event: object) -> None:
        self._signal = getattr(event, "stop_signal", None)

    def _on_exit(self, event: object) -> None:
        inferior = event.inferior  # type: ignore[attr-defined]
        if inferior.num != 1:
            return
        code = getattr(event, "exit_code", None)
        if code is None:  # it was killed by a signal that GDB does not stop for
            signal_number = gdb.convenience_variable("_exitsignal")
            code = -int(signal_number) if signal_number is not None else 0
        self.answer["status"] = int(code)

    def run(self) -> None:
        """Run until the command has ended, a process of it has died, or we are interrupted."""
        command = "run"
        for _ in range(MAX_STOPS):
            self._signal = None
            # Let everything run until the next stop. GDB 13 stumbles over children that end while
            # it stops all ("Couldn't get registers: No such process"); the others can go on.
            try:
                gdb.execute(command, to_string=True)
            except gdb.error as error:
                self._stumbles += 1
                if self._stumbles > MAX_STUMBLES or not living_inferiors():
                    raise
                self.answer["stumbled"] = str(error)
            if self._signal == "SIGINT" and os.path.exists(os.path.join(self.folder, "interrupt")):
                self.answer["interrupted"] = True
                numbers = " ".join(str(inferior.num) for inferior in living_inferiors())
                if numbers:
                    gdb.execute(f"detach inferiors {numbers}", to_string=True)
                return
            name = self._signal or ""
            if name in CORE_SIGNALS and not self._catches_or_ignores_signal(name):
                self._write_core(name)
                return
            if not self._select_living_inferior():
                return
            command = "signal SIGINT" if self._signal == "SIGINT" else "continue"

    def _catches_or_ignores_signal(self, name: str) -> bool:
        """Tell whether the stopped process catches or ignores a signal (/proc/PID/status)."""
        number = NUMBERS[name]
        try:
            with open(f"/proc/{gdb.selected_inferior().pid}/status", encoding="ascii") as stream:
                masks = [x.split()[1] for x in stream if x.startswith(("SigCgt", "SigIgn"))]
        except OSError:
            return False
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)

    def _write_core(self, name: str) -> None:
        path = os.path.join(self.folder, "core.0")
        try:
            # No path to quote: GDB takes the rest of the line as it is.
            gdb.execute(f"generate-core-file {path}", to_string=True)
            self.answer["core"] = path
        except gdb.error as error:
            self.answer["error"] = f"GDB wrote no core: {error}"
        gdb.execute(
            "kill inferiors " + " ".join(str(i.num) for i in living_inferiors()), to_string=True
        )
        self.answer["signal"] = name
        self.answer["status"] = -NUMBERS[name]  # not what the killing made of it

    def _select_living_inferior(self) -> bool:
        if gdb.selected_inferior().pid:
            return True
        left = living_inferiors()
        if left:
            gdb.execute(f"inferior {left[0].num}", to_string=True)
        return bool(left)


def living_inferiors() -> list[gdb.Inferior]:
    """Return the inferiors that have a process."""
    return [inferior for inferior in gdb.inferiors() if inferior.pid]


def apply_settings() -> str:
    """Apply the settings; return the folder of the answer."""
    given = json.loads(os.environ["GDB_EPI_WATCH"])
    for setting in (*SETTINGS, *(CHILDREN if given["children"] else ())):
        gdb.execute(setting, to_string=True)
    for name in CORE_SIGNALS:
        if name == "SIGTRAP":
            continue  # GDB's own: with `handle` each exec of the program would stop
        gdb.execute(f"handle {name} stop print pass", to_string=True)
    return str(given["folder"])


def main() -> None:
    """Watch the program and write the answer, whatever happens."""
    folder = apply_settings()
    watcher = DeathWatcher(folder)
    try:
        watcher.run()
    except gdb.error as error:
        watcher.answer["error"] = f"GDB says: {error}"
    with open(os.path.join(folder, "watch.json"), "w", encoding="utf-8") as stream:
        json.dump(watcher.answer, stream)


if __name__ == "__main__":
    main()
