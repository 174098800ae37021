# SPDX-License-Identifier: Apache-2.0
"""SciPy's special functions without the package around them.

`import scipy.special` also wraps each function for other array libraries, and for that loads
numpy's test and Fortran tools: twice the time of numpy itself, more than most questions take. The
compiled functions alone need none of it (tried with SciPy 1.10, 1.14 and 1.17). Where a SciPy has
them elsewhere, the package is imported.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

PACKAGE = "scipy.special"
_WANTED = ("betainc", "gammaln", "ndtr")


def _special_functions_module() -> Any:
    """The module that holds the functions; what it leaves in sys.modules the package takes over."""
    if PACKAGE in sys.modules:
        return sys.modules[PACKAGE]
    home = import_module("scipy").__file__
    bare = ModuleType(PACKAGE)
    bare.__path__ = [os.path.join(os.path.dirname(home or ""), "special")]
    sys.modules[PACKAGE] = bare
    try:
        functions = import_module(f"{PACKAGE}._ufuncs")
    except (ImportError, AttributeError):  # it wants something of the package around it
        functions = bare
    finally:
        del sys.modules[PACKAGE]
    if all(hasattr(functions, name) for name in _WANTED):
        return functions
    return import_module(PACKAGE)


_special = _special_functions_module()
betainc: Any = _special.betainc  # (a, b, x): the regularised incomplete beta function
gammaln: Any = _special.gammaln
ndtr: Any = _special.ndtr
SCIPY_VERSION = str(import_module("scipy").__version__)
