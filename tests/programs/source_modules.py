# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die inside an import, with modules of every kind imported: packages with versions and without,
extension, built-in, frozen, namespace and zipped modules, and things that are no modules.
"""

import os
import sys
import zipfile

import deathbed

DYING = """
import sys
import deathbed
__version__ = "7.1"
def tell():
    found = {}
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        loader = getattr(spec, "loader", None)
        found[name] = {
            "loader": getattr(loader, "__name__", type(loader).__name__),
            "file": getattr(module, "__file__", None),
            "version": getattr(module, "__dict__", {}).get("__version__"),
            "module": isinstance(module, type(sys)),
            "initializing": bool(getattr(spec, "_initializing", False)),
            "package": hasattr(module, "__path__"),
        }
        if not isinstance(found[name]["version"], (str, type(None))):
            found[name]["version"] = None
    return found
deathbed.die(deathbed.prepare("raise"), facts={"modules": tell(), "names": list(sys.modules)})
"""

FILES = {
    "versioned/__init__.py": "__version__ = '1.2.3rc1'\nfrom . import part\n",
    "versioned/part.py": "__version__ = '9'\n",
    "by_metadata/__init__.py": "",
    "By_Metadata-4.5.6.dist-info/METADATA": "Name: By-Metadata\nVersion: 4.5.6\n",
    "single.py": "",
    "single-0.9.egg-info": "Name: single\n",
    "other_name.py": "",
    "Quite_Other-3.2.1.dist-info/top_level.txt": "other_name\n",
    "secretive.py": "__version__ = 'hunter2 is my password'\n",
    "numeric.py": "__version__ = (1, 2)\n",
    "spaced/inner.py": "",
    "never_imported/__init__.py": "__version__ = '99'\n",
    "never_imported-99.dist-info/METADATA": "",
    "unended/__init__.py": "__version__ = '0.1'\nfrom . import dying\n",
    "unended/dying.py": DYING,
}


def lay_out(folder):
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as handle:
            handle.write(text)
    with zipfile.ZipFile(os.path.join(folder, "packed.zip"), "w") as archive:
        archive.writestr("zipped.py", "__version__ = '5.5'\n")


if __name__ == "__main__":
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages")
    lay_out(here)
    sys.path[:0] = [here, os.path.join(here, "packed.zip")]
    import _ctypes

    import by_metadata
    import numeric
    import other_name
    import secretive
    import single
    import spaced.inner
    import versioned
    import zipped

    kept = (by_metadata, numeric, other_name, secretive, single, spaced, versioned, zipped)
    sys.modules["nothing"] = None
    sys.modules["made.up"] = object()
    deathbed.kept = (kept, _ctypes)
    import unended
