# SPDX-License-Identifier: Apache-2.0
"""Write down the truth about exceptions, for programs that declare `"beside"` this one.

Each thread tells what it handles by `park` or `die`, from the thread itself.
"""

import sys
import threading
import time
import traceback

import deathbed

told = {}


def describe(error, opaque=(), seen=()):
    """Return the truth about an exception and those it leads to; no text of `opaque` types."""
    if error is None or id(error) in seen:
        return None
    seen = (*seen, id(error))
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
    lines = traceback.extract_tb(error.__traceback__)
    number = error.errno if isinstance(error, OSError) else None
    return {
        "type": module + kind.__qualname__,
        "message": None if isinstance(error, opaque) else str(error),
        "args": repr(error.args),
        "notes": list(getattr(error, "__notes__", [])),
        "errno": number if isinstance(number, int) else None,
        "suppress": error.__suppress_context__,
        "traceback": [[line.name, line.filename, line.lineno] for line in lines],
        "cause": describe(error.__cause__, opaque, seen),
        "context": describe(error.__context__, opaque, seen),
        "members": [describe(one, opaque, seen) for one in getattr(error, "exceptions", ())],
    }


def handling(errors, opaque=()):
    """Note what this thread handles, innermost first."""
    handled = [describe(one, opaque) for one in errors]
    _, error, lines = sys.exc_info()
    if errors and error is errors[0]:
        # Up to 3.10 the handler keeps lines of its own, whatever becomes of __traceback__.
        lines = traceback.extract_tb(lines)
        handled[0]["traceback"] = [[line.name, line.filename, line.lineno] for line in lines]
    told[threading.get_ident()] = {"in_flight": None, "handled": handled}


def park(*errors, opaque=()):
    """Handle these for ever, in a thread."""
    handling(errors, opaque)
    deathbed.parked.append(1)
    threading.Event().wait()


def die(way, *errors, opaque=()):
    """Die while these are handled."""
    handling(errors, opaque)
    deathbed.gather(len(deathbed.parked))
    testify(sys._getframe(), way), way.call(*way.arguments)


def testify(frame, way):
    deathbed.testify(frame, way, facts={"exceptions": {str(i): one for i, one in told.items()}})


def start(*functions):
    """Run functions in threads until all of them have parked."""
    count = len(told) + len(functions)
    for function in functions:
        threading.Thread(target=function, daemon=True).start()
    while len(told) < count:
        time.sleep(deathbed.STEP)
