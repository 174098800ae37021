# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in functions and files whose names need one, two and four bytes a character."""

import importlib
import os
import sys

import deathbed

# Each file calls the next; the last one dies.
NAMES = [
    ("wörld", "wörld"),  # Latin-1
    ("привет", "привет"),  # UCS-2
    ("日本語", "関数"),
    ("𠮷野家", "𠮷"),  # UCS-4, an identifier
    ("crash 😀 here", "𐐀_name"),  # an emoji in a file name only
]


def make(folder):
    """Write one module for each pair of names."""
    for number, (file, function) in enumerate(NAMES):
        following = NAMES[number + 1][0] if number + 1 < len(NAMES) else None
        lines = ["import deathbed, importlib", "", f"def {function}(way):", "    größe = 'ß日😀'"]
        if following:
            lines.append(f"    importlib.import_module({following!r}).call(way)")
        else:
            lines.append("    deathbed.die(way)")
        lines += ["", "class Käse:", "    def call(self, way):", f"        {function}(way)"]
        lines += ["", "def call(way):", "    Käse().call(way)", ""]
        with open(os.path.join(folder, file + ".py"), "w", encoding="utf-8") as handle:
            handle.write("\n".join(lines))


if __name__ == "__main__":
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Ordner ünd 文件")
    os.makedirs(place, exist_ok=True)
    make(place)
    sys.path.insert(0, place)
    importlib.import_module(NAMES[0][0]).call(deathbed.prepare("raise"))
