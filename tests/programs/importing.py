# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die while a module of a package is being imported by another module."""

import os
import sys

import deathbed

FILES = {
    "package/__init__.py": "from package.first import value\n",
    "package/first.py": "value = 1\nif value:\n    from package import second\n",
    "package/second.py": "import deathbed\n\nclass Body:\n    deathbed.die(deathbed.doom)\n",
}


def main(folder):
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as handle:
            handle.write(text)
    sys.path.insert(0, folder)
    deathbed.doom = deathbed.prepare("pydll")
    import package


if __name__ == "__main__":
    main(os.path.join(os.path.dirname(os.path.abspath(__file__)), "imported"))
