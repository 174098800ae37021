# SPDX-License-Identifier: Apache-2.0
"""What code_parts.py imports: a function with a constant of each kind, none found elsewhere."""


def work(die_of_it, *, unusual_argument=None):
    first_of_names = 12_345.671875
    second_of_names = 9_182_736_455
    third_of_names = "a text of this function alone"
    fourth_of_names = b"bytes of this function alone"
    fifth_of_names = (77_001, "in a tuple")
    try:
        die_of_it()
    except ValueError:
        return first_of_names, second_of_names, unusual_argument.attribute_of_it
    return third_of_names, fourth_of_names, fifth_of_names
