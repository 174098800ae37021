# SPDX-License-Identifier: Apache-2.0
"""Addresses, sockets and identifiers: ipaddress, socket, uuid."""

from __future__ import annotations

from gdb_epi.cpython.values.decoders.builtin_scalars import read_int
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr


@decodes_repr(("ipaddress", "_BaseAddress.__repr__"))
def ip_address(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the addresses of ipaddress do."""
    return f"{decoder.class_name(obj)}({_address_text(decoder, obj)!r})"


def _address_text(decoder: ReprDecoder, obj: Obj) -> str:
    import ipaddress

    number = read_int(decoder, decoder.attribute(obj.address, "_ip"))
    names = [base.qualname for base in obj.lineage.types]
    is_four = any("4" in name for name in names)
    if not 0 <= number < 1 << (32 if is_four else 128):
        raise Undecodable(f"an address of {number:#x}")
    text = str(ipaddress.IPv4Address(number) if is_four else ipaddress.IPv6Address(number))
    if not is_four and number >> 32 == 0xFFFF:
        # 3.13 (gh-87799) writes what is mapped as an address of IPv4.
        four = number & 0xFFFFFFFF
        is_new = decoder.types.lookup(obj.type, "_ipv4_mapped_ipv6_to_str") is not None
        high, low = f"{four >> 16:x}", f"{four & 0xFFFF:x}"
        text = f"::ffff:{ipaddress.IPv4Address(four)}" if is_new else f"::ffff:{high}:{low}"
    if not is_four:
        text += _scope_text(decoder, obj)
    if any(name.endswith("Interface") for name in names):
        prefix = decoder.attribute(decoder.attribute(obj.address, "network"), "_prefixlen")
        text += f"/{decoder.repr_of(prefix)}"
    return text


def _scope_text(decoder: ReprDecoder, obj: Obj) -> str:
    try:
        scope = decoder.attribute(obj.address, "_scope_id")
    except Undecodable:  # before 3.9
        return ""
    return "" if decoder.is_none(scope) else f"%{decoder.string(scope)}"


@decodes_repr(("ipaddress", "_BaseNetwork.__repr__"))
def ip_network(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the networks of ipaddress do."""
    base = _address_text(decoder, decoder.obj(decoder.attribute(obj.address, "network_address")))
    return (
        f"{decoder.class_name(obj)}('{base}/{decoder.attribute_text(obj.address, '_prefixlen')}')"
    )


@decodes_repr(("socket", "socket.__repr__"))
def socket(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what socket.__repr__ does; only the kernel knew the addresses of an open one.

    _socket.socket is sock_fd, sock_family, sock_type, sock_proto (Modules/socketmodule.h).
    """
    first, second = decoder.word(obj, 0), decoder.word(obj, 1)
    parts = [first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32]
    number, family, kind, protocol = (p - (1 << 32) if p >> 31 else p for p in parts)
    closed = decoder.is_attribute_true(obj.address, "_closed")
    if not closed:
        decoder.mark_inexact()
    state = " [closed]" if closed else ""
    name = f"{obj.type.module}.{obj.type.qualname}"
    names = [str(family), str(kind)]
    if decoder.layout.offset("PyCodeObject", "co_qualname") is None:
        # Up to 3.10 the members of its enumerations showed their names.
        names = [_enum_name(decoder, "AddressFamily", family)]
        names.append(_enum_name(decoder, "SocketKind", kind))
    return f"<{name}{state} fd={number}, family={names[0]}, type={names[1]}, proto={protocol}>"


def _enum_name(decoder: ReprDecoder, name: str, value: int) -> str:
    """Return what str() of a member of an enumeration of `socket` gave up to 3.10."""
    enumeration = decoder.types.type_at(decoder.module_global("socket", name))
    held = decoder.types.lookup(enumeration, "_value2member_map_")
    for key, member in decoder.objects.dict_items(held[1]) if held else ():
        if decoder.objects.integer(key) == value:
            return f"{name}.{decoder.string(decoder.attribute(member, '_name_'))}"
    return str(value)


@decodes_repr(("uuid", "UUID.__repr__"))
def uuid(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what UUID.__repr__ does."""
    value = read_int(decoder, decoder.attribute(obj.address, "int"))
    if not 0 <= value < 1 << 128:
        raise Undecodable(f"a UUID of {value:#x}")
    digits = f"{value:032x}"
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"{obj.type.name}('{'-'.join(parts)}')"
