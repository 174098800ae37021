# SPDX-License-Identifier: Apache-2.0
"""Members of enumerations: `enum` and the enumerations of `re`.

Reference: Lib/enum.py (3.8 to 3.15); 3.11 (bpo-38659 and others) rewrote it and added
`_flag_mask_`.
"""

from __future__ import annotations

from gdb_epi.cpython.values.decoders.builtin_scalars import read_int
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr

MAX_MEMBERS = 10_000


def _member_name(decoder: ReprDecoder, address: int) -> str | None:
    """Return `_name_` of a member; None for an unnamed combination of flags."""
    name = decoder.attribute(address, "_name_")
    return decoder.string(name) if decoder.ident(name) == "str" else None


def _member_value_text(decoder: ReprDecoder, obj: Obj) -> str:
    # 3.11 (bpo-40066): the value has a repr of its own, which differs for mixed-in dataclasses.
    shown_by = decoder.types.lookup(obj.type, "_value_repr_")
    by_object = ("NoneType", "wrapper_descriptor")
    if shown_by is not None and decoder.ident(shown_by[1]) not in by_object:
        decoder.mark_inexact()
    return decoder.attribute_text(obj.address, "_value_")


@decodes_repr(("enum", "Enum.__repr__"), ("enum", "Flag.__repr__"))
def enum_member(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Enum.__repr__ and Flag.__repr__ do."""
    name, value = _member_name(decoder, obj.address), _member_value_text(decoder, obj)
    if name is not None:
        return f"<{obj.type.name}.{name}: {value}>"
    if decoder.types.lookup(obj.type, "_flag_mask_") is not None:
        return f"<{obj.type.name}: {value}>"
    number = read_int(decoder, decoder.attribute(obj.address, "_value_"))
    return f"<{obj.type.name}.{'|'.join(_decompose_flags(decoder, obj, number))}: {value}>"


def _values_and_names_of_members(decoder: ReprDecoder, obj: Obj) -> list[tuple[int, str | None]]:
    """Return the values and names of all members, including combinations."""
    held = decoder.types.lookup(obj.type, "_value2member_map_")
    if held is None or decoder.ident(held[1]) != "dict":
        raise Undecodable("its class has no members")
    members: list[tuple[int, str | None]] = []
    for key, member in decoder.objects.dict_items(held[1]):
        if len(members) >= MAX_MEMBERS:
            raise Undecodable(f"more than {MAX_MEMBERS} members")
        members.append((read_int(decoder, key), _member_name(decoder, member)))
    return members


def _decompose_flags(decoder: ReprDecoder, obj: Obj, value: int) -> list[str]:
    """Do what _decompose() did up to 3.10."""
    every = _values_and_names_of_members(decoder, obj)
    by_value = dict(every)
    negative = value < 0
    members = []
    rest = value
    for number, name in every:
        single = number > 0 and not number & number - 1
        if (name is not None or (single and not negative)) and number and number & value == number:
            members.append(number)
            rest &= ~number
    while rest and not negative:
        bit = 1 << rest.bit_length() - 1
        if bit in by_value:
            members.append(bit)
        rest &= ~bit
    if not members and value in by_value:
        members.append(value)
    members.sort(reverse=True)
    if len(members) > 1 and members[0] == value:
        members.pop(0)
    return [by_value[number] or str(number) for number in members]


@decodes_repr(("enum", "EnumMeta.__repr__"), ("enum", "EnumType.__repr__"))
def enum_class(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the __repr__ of enum's metaclass does; since 3.11 (bpo-38659) flags are `flag`."""
    info = decoder.types.type_at(obj.address)
    bases = decoder.types.mro(info)
    is_flag = any(base.qualname == "Flag" and base.module == "enum" for base in bases)
    kind = "flag" if is_flag and obj.type.qualname == "EnumType" else "enum"
    return f"<{kind} {info.name!r}>"


@decodes_repr(("enum", "global_enum_repr"), ("enum", "global_flag_repr"))
def global_enum_member(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what members of a class changed by global_enum() (3.11+) do: name their module."""
    module, name = obj.type.module.rpartition(".")[2], _member_name(decoder, obj.address)
    if name is None:
        value = decoder.attribute_text(obj.address, "_value_")
        return f"{module}.{obj.type.name}({value})"
    if any(part[:1].isdigit() for part in name.split("|")):
        decoder.mark_inexact()  # depends on how the class treats unknown bits
    return "|".join(part if part[:1].isdigit() else f"{module}.{part}" for part in name.split("|"))


@decodes_repr(("re", "RegexFlag.__repr__"))
def regex_flag(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what RegexFlag.__repr__ did up to 3.10."""
    name = _member_name(decoder, obj.address)
    if name is not None:
        return f"re.{name}"
    value = read_int(decoder, decoder.attribute(obj.address, "_value_"))
    if value < 0:
        raise Undecodable("an inverted flag")
    names, seen = [], set()
    for number, member_name in _values_and_names_of_members(decoder, obj):
        if member_name is not None and number not in seen and value & number:
            seen.add(number)
            value &= ~number
            names.append(f"re.{member_name}")
    return "|".join(names + ([hex(value)] if value else []))
