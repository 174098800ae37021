# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below the import system: finders, loaders, lazy modules, module attributes, zip files."""

import importlib
import importlib.abc
import importlib.util
import os
import sys
import zipfile

import deathbed

SOURCES = {
    "hooked": "import sys\nvalue = 1\nimport hooked_second as second\n",
    "hooked_second": "\n\nfrom zipped.inner import attribute\n",
    "with_getattr": "def __getattr__(name):\n    from package import lazy\n    return lazy.value\n",
}
ZIPPED = "def __dir__():\n    return []\nimport with_getattr\nattribute = with_getattr.missing\n"
LAZY = "import deathbed\nclass Body:\n    value = deathbed.die(deathbed.doom)\nvalue = 1\n"


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules in a dict."""

    def find_spec(self, name, path, target=None):
        if name not in SOURCES:
            return None
        return importlib.util.spec_from_loader(name, Loader(), origin="dict:" + name)


class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__
        exec(compile(SOURCES[name], f"<dict {name}>", "exec"), module.__dict__)


def lay_out(folder):
    """Write a zip file with a package, and a package beside it that is loaded on first use."""
    os.makedirs(os.path.join(folder, "package"))
    with open(os.path.join(folder, "package", "lazy_module.py"), "w") as handle:
        handle.write(LAZY)
    with open(os.path.join(folder, "package", "__init__.py"), "w") as handle:
        handle.write("from importer import lazily\nlazy = lazily('package.lazy_module')\n")
    archive = os.path.join(folder, "modules.zip")
    with zipfile.ZipFile(archive, "w") as handle:
        handle.writestr("zipped/__init__.py", "")
        handle.writestr("zipped/inner.py", ZIPPED)
    return archive


def lazily(name):
    """Return a module that runs at the first look at one of its attributes."""
    spec = importlib.util.find_spec(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "imported")
    sys.path[:0] = [place, lay_out(place)]
    sys.modules["importer"] = sys.modules["__main__"]
    sys.meta_path.insert(0, Finder())
    deathbed.doom = deathbed.prepare("raise")
    importlib.import_module("hooked")
