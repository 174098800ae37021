# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "started_by-command", "arguments": ["command"]}
# corpus: {"name": "started_by-module", "arguments": ["module"]}
# corpus: {"name": "started_by-zipapp", "arguments": ["zipapp"]}
# corpus: {"name": "started_by-runpy", "arguments": ["runpy"]}
# corpus: {"name": "started_by-folder", "arguments": ["folder"]}
"""Die in a program that was started by -c, by -m, as a zip file, by runpy or as a folder."""

import os
import sys
import zipfile

MAIN = """
import sys
import deathbed
from inner.module import called

def start(way):
    called(way, lambda: deathbed.die(way))

if __name__ == "__main__":
    start(deathbed.prepare("raise"))
"""
MODULE = "def called(way, then):\n    for _ in range(2):\n        then()\n"
COMMAND = "import sys; sys.path.insert(0, 'app'); import deathbed\n"
COMMAND += "def f(way):\n deathbed.die(way)\n"
COMMAND += "f(deathbed.prepare('raise'))"
RUNPY = "import runpy\nrunpy.run_path('app', run_name='__main__')\n"
FILES = {
    "__main__.py": MAIN,
    "inner/__init__.py": "",
    "inner/module.py": MODULE,
    "inner/__main__.py": MAIN.replace("inner.module", ".module").replace("start", "begin"),
}


def lay_out():
    """Write the application as a folder and as a zip file; deathbed is in both."""
    with open("deathbed.py") as handle:
        files = {**FILES, "deathbed.py": handle.read()}
    with zipfile.ZipFile("app.pyz", "w") as archive:
        for name, text in files.items():
            path = os.path.join("app", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as handle:
                handle.write(text)
            archive.writestr(name, text)
    with open("by_runpy.py", "w") as handle:
        handle.write(RUNPY)


STARTS = {
    "command": ["-c", COMMAND],
    "module": ["-m", "app.inner"],
    "zipapp": ["app.pyz"],
    "folder": ["app"],
    "runpy": ["by_runpy.py"],
}


if __name__ == "__main__":
    lay_out()
    # The same process: its parent waits for this one's core.
    os.execv(sys.executable, [sys.executable, *STARTS[sys.argv[2]], sys.argv[1]])
