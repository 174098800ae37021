# SPDX-License-Identifier: Apache-2.0
"""torch's tensors and what describes them (Size, dtype, device, layout), without importing torch.

What torch/csrc/{Dtype,Device,Layout,MemoryFormat}.h declare is the same in 2.2.2, 2.7.1 and 2.13.0:
a byte or two behind the object's header, and a name. Tensors themselves: values_torch_tensor.py,
which is imported when there is one.
"""

from __future__ import annotations

from gdb_epi.cpython.values_core import Obj, Painter, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent

MAX_NAME = 64  # DTYPE_NAME_LEN, LAYOUT_NAME_LEN, MEMORY_FORMAT_NAME_LEN
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.")


def byte_and_name(painter: Painter, address: int) -> tuple[int, str]:
    """Read what THPDtype, THPLayout and THPMemoryFormat have behind their header."""
    at = address + (painter.layout.size("PyObject") or 0)
    name = painter.reader.c_string(at + 1, MAX_NAME + 1)
    if isinstance(name, Absent) or not _NAME_CHARACTERS.issuperset(name) or not name:
        raise Undecodable("it has no name")
    return painter.reader.u8(at), name


@decodes("torch.dtype", "torch.layout", "torch.memory_format")
def named(painter: Painter, found: Obj) -> str:
    """Decode torch.float32, torch.strided, torch.channels_last ...

    A dtype's name lacks the module.
    """
    name = byte_and_name(painter, found.address)[1]
    return f"torch.{name.removeprefix('torch.')}"


@decodes("torch.device")
def device(painter: Painter, found: Obj) -> str:
    """Decode a device: type and index, a byte each (c10/core/Device.h)."""
    from gdb_epi.cpython.values_torch_impl import device_text

    at = found.address + (painter.layout.size("PyObject") or 0)
    name, _, index = device_text(*painter.reader.read(at, 2)).partition(":")
    return f"device(type={name!r}{', index=' + index if index else ''})"


@decodes("torch.Size")
def size(painter: Painter, found: Obj) -> str:
    """Decode a torch.Size, which is a tuple."""
    count = painter.signed(found.address, "PyTupleObject", "ob_size")
    start = found.address + painter.world.offset("PyTupleObject", "ob_item")
    return f"torch.Size([{painter.join(painter.items(start, count, 'sizes'), count)}])"


@decodes("torch._C.TensorBase", "torch._C._TensorBase")
@decodes_repr(("torch._tensor", "Tensor.__repr__"), ("torch.nn.parameter", "Parameter.__repr__"))
def tensor(painter: Painter, found: Obj) -> str:
    """Describe a tensor: shape, dtype, device, what autograd knows, the first values in C order."""
    from gdb_epi.cpython.values_torch_tensor import described

    painter.inexact()
    return described(painter, found)
