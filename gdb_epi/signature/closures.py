# SPDX-License-Identifier: Apache-2.0
"""Find the closure among the template arguments of a function that calls it: N11 and N39.

Where -O2 inlines a closure into std::function or std::thread and no debug information says so, the
name of what called it still tells which closure it was.
"""

from __future__ import annotations

CLOSURE = "{lambda}::operator()"
CLOSURE_MARKS = ("::<lambda(", "::{lambda(", "::'lambda", "::$_")
CLOSURE_CODE = "EUl"  # the end of the enclosing function and the beginning of a closure
MAX_SCOPE = 4096  # characters of a name in which the scope of a closure is looked for
MAX_LOCALS = 32  # places of a mangled name where a closure may begin
# Functions of libstdc++ 12 and libc++ 15 that do nothing but call their callee.
INVOKERS = frozenset((
    "std::_Function_handler<T>::_M_invoke", "std::thread::_State_impl<T>::_M_run",
    "std::thread::_Invoker<T>::_M_invoke<T>", "std::thread::_Invoker<T>::operator()",
    "std::__invoke_impl<T>", "std::__invoke_r<T>", "std::__invoke<T>",
    "std::__function::__func<T>::operator()",
    "std::__function::__policy_invoker<T>::__call_impl<T>", "std::__thread_proxy<T>",
))  # fmt: skip


def closure_scope(name: str) -> str:
    """Return the function that a closure among the template arguments of a printed name lies in."""
    end = next((name.find(mark) for mark in CLOSURE_MARKS if mark in name), -1)
    depth = 0
    for position in range(min(end, MAX_SCOPE) - 1, -1, -1):
        letter = name[position]
        if letter in ")>":
            depth += 1
        elif depth and letter in "(<":
            depth -= 1
        elif not depth and letter in "<, (":
            return name[position + 1 : end]
    return ""


def invoked_closure(raw: str) -> str:
    """Return the closure that an invoker of this raw name calls; "" where the name does not tell.

    Of several closures the first counts: it is the callee, the others are its arguments.
    """
    from gdb_epi.signature.mangled import local_name
    from gdb_epi.signature.native_names import native_name

    if not raw.startswith("_Z"):
        scope = closure_scope(raw)
        return f"{native_name(scope)[0]}::{CLOSURE}" if scope else ""
    if CLOSURE_CODE not in raw[:MAX_SCOPE]:
        return ""
    at = 0
    for _ in range(MAX_LOCALS):
        at = raw.find("Z", at + 2, MAX_SCOPE)
        if at < 0:
            break
        name = local_name(raw, at)
        if name.endswith("{lambda}"):
            return f"{name}::operator()"
    return ""
