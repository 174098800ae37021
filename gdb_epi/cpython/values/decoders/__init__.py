# SPDX-License-Identifier: Apache-2.0
"""One decoder for each type of value: functions (ReprDecoder, Obj) -> the text of repr().

A decoder lives in the file named after the module that its type comes from, or after that module's
family: `datetime` also takes zoneinfo, `functional` functools, itertools and operator, `threading`
concurrent.futures and contextvars. Types of builtins are in `builtin_scalars` and
`builtin_containers`, what the interpreter is made of in `interpreter_types`. Whether the module is
written in C or in Python plays no part: `@decodes("tp_name")` names a type of C,
`@decodes_repr((module, qualname))` a `__repr__` function of Python. A new module gets a new file:
every file here is imported, nothing else has to be edited. Importing one of these modules into
another is for what both decode (a numpy number inside a tensor). No decoder walks the heap, follows
references further than repr() would, or calls code.
"""
