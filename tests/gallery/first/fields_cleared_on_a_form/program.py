# SPDX-License-Identifier: Apache-2.0
"""Forms are kept as marks in C buffers and cleared for the next visitor."""

import ctypes
import os


def forms(count):
    made = []
    for number in range(count):
        made.append((ctypes.create_string_buffer(48), [number] * 3, (number, str(number))))
    return made


def clear(library, form):
    library.clear_fields(form, ctypes.c_long(ctypes.sizeof(form)))


def visitors(some):
    return sum(len(rows) + len(key[1]) for _form, rows, key in some)


def main():
    library = ctypes.CDLL(os.path.abspath("forms.so"))
    some = forms(80)
    print(visitors(some))
    for form, _rows, _key in some[30:34]:
        clear(library, form)
    print(visitors(some))
    del some


main()
