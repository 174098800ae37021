# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die with calls pending for the main thread, which sleeps, and an exception sent to it."""

import ctypes
import threading

import deathbed

LOCK = threading.Lock()
ARGUMENTS = [4096, 7, 1 << 40]


def doomed():
    way = deathbed.prepare("raise")
    deathbed.gather(1)
    function = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)
    add = ctypes.pythonapi.Py_AddPendingCall
    add.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    for one in ARGUMENTS:
        assert add(function, one) == 0
    main = ctypes.c_ulong(threading.main_thread().ident)
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(KeyError)) == 1
    facts = {"function": function.value, "arguments": ARGUMENTS, "async_exc": main.value}
    deathbed.die(way, facts=facts)


def park():
    # 3.12+ makes the calls when acquire() takes the GIL back, so it never comes back.
    deathbed.parked.append(threading.get_ident())
    LOCK.acquire()


def main():
    LOCK.acquire()
    threading.Thread(target=doomed, name="doomed", daemon=True).start()
    park()


if __name__ == "__main__":
    main()
