# SPDX-License-Identifier: Apache-2.0
"""torch's tensors and what describes them (Size, dtype, device, layout), without importing torch.

A tensor is described by shape, dtype, device and the first values that the CPU's memory has: its
repr() depends on print options and computes, so the text is never called exact. What a number of a
dtype means is read from the dtype objects in the module `torch` of the process itself. What
torch/csrc/{Dtype,Device,Layout,MemoryFormat}.h declare is the same in 2.2.2, 2.7.1 and 2.13.0: a
byte or two after the object's header, and a name.

A tensor's Python object leads to c10::TensorImpl, its storage and its autograd metadata. PyTorch's
wheels have no debug information, and its structs change: nothing here goes by version. What 2.2.2,
2.7.1 and 2.13.0 have in common is the order of members in c10/core/TensorImpl.h: vtable, reference
counts, storage_, autograd_meta_, extra_meta_, version_counter_, pyobj_slot_, sizes_and_strides_
(size_, then 5 + 5 words or a pointer), storage_offset_, numel_, data_type_ (u16), device_opt_
(type, index, engaged: a byte each), three bytes of bits, key_set_. So the place is found in each
object anew: the slot is the one word that holds the address of the Python object itself, the
reference counts are one word (two uint32_t) or two (size_t, 2.2.2), told by the weak count, which
is never 0. All else is checked: numel is the product of the sizes, the device is engaged and the
storage's, the object's class is one that keeps its sizes here, and the bits do not say that C++ or
Python computes them.

Verified by compiling the headers of 2.2.2, 2.7.1 and 2.13.0 (offsetof; bits by setting them), and
on cores of 2.13.0. Other releases were not seen: they are described when all of this holds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import prod

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.values.libraries.numpy import complex_text, float_text, item_address
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.typing_lite import NamedTuple

MAX_NAME = 64  # DTYPE_NAME_LEN, LAYOUT_NAME_LEN, MEMORY_FORMAT_NAME_LEN
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.")
MAX_DIMENSIONS = 64
MAX_CLASS_NAME = 512
PLAIN_IMPL = "N3c1010TensorImplE"
# Their sizes are where TensorImpl has them; others (lazy, XLA, nested) compute theirs.
_SIZED_IMPLS = (
    PLAIN_IMPL,
    "N2at11QTensorImplE",
    "N2at16SparseTensorImplE",
    "N2at19SparseCsrTensorImplE",
)
# Of the byte that follows is_wrapped_number_; the same in all three.
_SIZES_POLICY = 0x0C  # sizes_strides_policy_
_CUSTOM_SIZES = 0x08  # SizesStridesPolicy::CustomSizes; CustomStrides alone leaves the sizes true
_SYMBOLIC = 0x10  # has_symbolic_sizes_strides_
_DEVICE_POLICY = 0x80  # device_policy_
COMPUTED = "(computed by its class)"
_INLINE = 5  # C10_SIZES_AND_STRIDES_MAX_INLINE_SIZE
_SLOTS = range(5, 9)  # words of TensorImpl in which the slot can be
_META_WORDS = 21  # of AutogradMeta, its mutex included
_THREE_BOOLS = 0x010101
_FLAGS = 0xFFFFFFFF00FFFFFF  # all but the padding after three bools
_WORDS = 24  # of TensorImpl, up to the key set where the slot is furthest along
# c10/core/DeviceType.h; names as DeviceTypeName() writes them.
DEVICES = {
    0: "cpu", 1: "cuda", 2: "mkldnn", 3: "opengl", 4: "opencl", 5: "ideep", 6: "hip", 7: "fpga",
    9: "xla", 10: "vulkan", 11: "metal", 12: "xpu", 13: "mps", 14: "meta", 15: "hpu", 16: "ve",
    17: "lazy", 18: "ipu", 19: "mtia",
}  # fmt: skip
_UNNAMED_DEVICES = (8, 20)  # ORT in 2.2.2, MAIA in 2.7.1; PrivateUse1, which a program can rename
MAX_MODULE = 20_000  # entries of the module torch
MAX_DTYPES = 128  # c10::ScalarType has 45 in 2.13
# struct's letter for the dtypes whose values are shown (of complex ones for each half); bfloat16 is
# the upper half of a float32.
_FORMS = {
    "bool": "?", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b",
    "int16": "h", "int32": "i", "int64": "q", "float16": "e", "bfloat16": "H", "float32": "f",
    "float64": "d", "complex64": "ff", "complex128": "dd",
}  # fmt: skip
_WHOLE = 1 << 53  # up to here every float that is a whole number is written in full


def read_enum_value_and_name(decoder: ReprDecoder, address: int) -> tuple[int, str]:
    """Read what THPDtype, THPLayout and THPMemoryFormat have after their header."""
    at = address + (decoder.layout.size("PyObject") or 0)
    name = decoder.reader.c_string(at + 1, MAX_NAME + 1)
    if isinstance(name, Absent) or not _NAME_CHARACTERS.issuperset(name) or not name:
        raise Undecodable("it has no name")
    return decoder.reader.u8(at), name


@decodes("torch.dtype", "torch.layout", "torch.memory_format")
def dtype_layout_or_memory_format(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode torch.float32, torch.strided, torch.channels_last ...

    A dtype's name lacks the module.
    """
    return f"torch.{read_enum_value_and_name(decoder, obj.address)[1].removeprefix('torch.')}"


@decodes("torch.device")
def device(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a device: type and index, a byte each (c10/core/Device.h)."""
    at = decoder.address_behind_header(obj)
    name, _, index = device_text(*decoder.reader.read(at, 2)).partition(":")
    return f"device(type={name!r}{', index=' + index if index else ''})"


@decodes("torch.Size")
def size(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a torch.Size, which is a tuple."""
    count = decoder.signed_field(obj.address, "PyTupleObject", "ob_size")
    start = obj.address + decoder.offset("PyTupleObject", "ob_item")
    sizes = decoder.read_object_pointers(start, count, "sizes")
    return f"torch.Size([{decoder.join_item_texts(sizes, count)}])"


@decodes("torch._C.TensorBase", "torch._C._TensorBase")
@decodes_repr(("torch._tensor", "Tensor.__repr__"), ("torch.nn.parameter", "Parameter.__repr__"))
def tensor(decoder: ReprDecoder, obj: Obj) -> str:
    """Describe a tensor: shape, dtype, device, what autograd knows, the first values in C order.

    Where its fields do not fit each other, the text says why.
    """
    decoder.mark_inexact()
    impl, end = find_tensor_impl(decoder.reader, decoder.address_behind_header(obj))
    try:
        parts = read_tensor(decoder.reader, obj.address, impl)
        dtype_name, dtype_text = _dtype_name(decoder, parts.dtype)
    except Undecodable as error:
        kind = obj.type.qualified_name
        return f"<{kind} object at {obj.address:#x}: cannot tell its shape, {error}>"
    texts = [obj.type.qualified_name, f"shape={parts.shape}", f"dtype={dtype_text}"]
    texts += [f"device={parts.device}", *_autograd_texts(decoder, parts, obj, end)]
    with decoder.entering_container(obj.address) as is_first:
        if not is_first:
            return "..."
        return f"<{' '.join(texts)}{_values_text(decoder, parts, dtype_name)}>"


class Tensor(NamedTuple):
    """What a c10::TensorImpl says."""

    impl: int  # c10::TensorImpl *
    implementation: str  # mangled name of its class, "" when nobody has it
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in items
    numel: int  # items
    dtype: int  # c10::ScalarType
    device: str
    data: int  # where the first item is, 0 where it has no memory
    storage: int  # c10::StorageImpl *, 0 without
    nbytes: int  # of the storage
    before: int  # items of the storage before the first
    autograd: int  # c10::AutogradMetaInterface *, 0 without
    plain: bool  # what it shows is what its memory holds: no lazy conjugate, no wrapper

    def storage_holds_items(self, item: int) -> bool:
        """Tell whether the storage holds every item that sizes and strides reach."""
        if not self.numel:
            return True
        steps = zip(self.shape, self.strides, strict=True)
        last = self.before + sum((length - 1) * stride for length, stride in steps)
        return (last + 1) * item <= self.nbytes


def device_text(kind: int, index: int) -> str:
    """Return a device as str() writes it; `index` is a signed byte as unsigned.

    Raises Undecodable for kinds that no release has, or whose name is not fixed.
    """
    name = DEVICES.get(kind)
    if name is None or 127 < index < 255:
        raise Undecodable(f"a device of type {kind}, index {index}")
    return name if index == 255 else f"{name}:{index}"


def read_cxx_class_name(reader: MemoryReader, address: int) -> str:
    """Return the mangled name of a C++ object's class, by the type_info of its vtable.

    Itanium C++ ABI, 2.5.3 and 2.9. "" when it cannot be read; then the library's file is missing.
    """
    try:
        info = reader.u64(reader.u64(address) - 8)
        name = reader.c_string(reader.u64(info + 8), MAX_CLASS_NAME)
    except UnreadableMemory:
        return ""
    if isinstance(name, Absent) or not name.isascii() or not name.isprintable():
        return ""
    return name.lstrip("*")


def last_part_of_mangled_name(mangled: str) -> str:
    """Return the last part of a nested name, N5torch8autograd...12MulBackward0E; "?" for others."""
    rest, last = mangled[1:-1], ""
    if not (mangled.startswith("N") and mangled.endswith("E")):
        return "?"
    while rest:
        digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
        if not 0 < len(digits) < 4 or len(rest) < len(digits) + int(digits):
            return "?"
        rest = rest[len(digits) :]
        last, rest = rest[: int(digits)], rest[int(digits) :]
    return last or "?"


def find_tensor_impl(reader: MemoryReader, first: int) -> tuple[int, int]:
    """Return TensorImpl * of a THPVariable's payload at `first`, and where that pointer ends.

    It is an at::Tensor, i.e. an intrusive_ptr; in 2.2.2 and 2.7.1 a MaybeOwned: a bool before it.
    """
    if (word := reader.u64(first)) in (0, 1):
        return reader.u64(first + 8), first + 16
    return word, first + 8


def read_tensor(reader: MemoryReader, wrapper: int, impl: int) -> Tensor:
    """Read the TensorImpl of a Python object. Raises Undecodable, UnreadableMemory."""
    if not impl or impl & 7:
        raise Undecodable("it has no TensorImpl")
    raw = reader.read(impl, 8 * _WORDS)
    words = struct.unpack(f"<{_WORDS}Q", raw)
    # Which word holds the Python object; bit 0 says who owns it (to 2.9).
    slots = [at for at in _SLOTS if words[at] & ~1 == wrapper]
    if len(slots) != 1:
        raise Undecodable("its TensorImpl does not lead back to it")
    slot = slots[0]
    counts = _refcount_word_count(words)
    if slot - counts - 4 not in (1, 2):  # between: storage_, autograd, extra, version, the slot
        raise Undecodable(f"its TensorImpl has the Python object in word {slot}")
    implementation = read_cxx_class_name(reader, impl)
    if words[counts + 3] and reader.u64(words[counts + 3]):  # ExtraMeta.symbolic_shape_meta_
        raise Undecodable("its sizes are symbolic")
    shape, strides = _sizes_and_strides(reader, words, slot + 1)
    before, count = words[slot + 12], words[slot + 13]
    dtype, kind, index, engaged, bits = struct.unpack_from("<HBBBxB", raw, 8 * (slot + 14))
    if engaged != 1:
        raise Undecodable("it has no device")
    if bits & _SYMBOLIC or bits & _SIZES_POLICY >= _CUSTOM_SIZES:
        raise Undecodable("its sizes are computed")
    if count != prod(shape) or before >> ADDRESS_BITS:
        raise Undecodable(f"{count} items in a shape of {shape}, from {before} on")
    device = f"number {kind}" if kind in _UNNAMED_DEVICES else device_text(kind, index)
    storage = words[counts + 1]
    data, nbytes = _storage_range(reader, storage, counts, kind | index << 8)
    if not (implementation in _SIZED_IMPLS or (not implementation and storage)):
        why = "its C++ class is unreadable and it has no storage"
        if implementation:
            why = f"its C++ class {last_part_of_mangled_name(implementation)} may compute its sizes"
        raise Undecodable(why)
    if bits & _DEVICE_POLICY:
        device = COMPUTED
    plain = implementation in ("", PLAIN_IMPL) and _is_plain_cpu_tensor(words[slot + 15], kind)
    return Tensor(
        impl, implementation, shape, strides, count, dtype, device, data, storage, nbytes, before,
        words[counts + 2], plain,
    )  # fmt: skip


def _refcount_word_count(words: tuple[int, ...]) -> int:
    """Return how many words the reference counts take: two uint32_t, or two size_t (2.2.2)."""
    if words[1] >> 32:
        return 1
    if words[1] and 0 < words[2] < 1 << 32:
        return 2
    raise Undecodable("its TensorImpl has no reference counts")


def _sizes_and_strides(
    reader: MemoryReader, words: tuple[int, ...], start: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    number = words[start]
    if number > MAX_DIMENSIONS:
        raise Undecodable(f"a tensor of {number} dimensions")
    if number <= _INLINE:
        shape = words[start + 1 : start + 1 + number]
        strides = words[start + 1 + _INLINE : start + 1 + _INLINE + number]
    else:
        both = struct.unpack(f"<{2 * number}Q", reader.read(words[start + 1], 16 * number))
        shape, strides = both[:number], both[number:]
    if any(extent >> ADDRESS_BITS for extent in (*shape, *strides)):
        raise Undecodable(f"a tensor of shape {shape}, strides {strides}")
    return shape, strides


def _storage_range(reader: MemoryReader, storage: int, counts: int, device: int) -> tuple[int, int]:
    """Return data and size in bytes of a c10::StorageImpl.

    c10/core/StorageImpl.h: vtable, reference counts, data_ptr_ (data, deleter and context, device),
    size_bytes_.
    """
    if not storage:
        return 0, 0
    words = struct.unpack("<7Q", reader.read(storage + 8 * counts, 56))
    if words[4] & 0xFFFF != device or words[5] >> ADDRESS_BITS:
        raise Undecodable("its storage is of another device, or of no size")
    return words[1], words[5]


def _is_plain_cpu_tensor(key_set: int, kind: int) -> bool:
    """Tell a tensor in memory of the CPU whose key set holds nothing beyond what each has.

    c10/core/DispatchKey.h: bit 0 is the CPU; Dense; ADInplaceOrView and, two further, Autograd (not
    in inference mode); AutocastCPU. A lazy conjugate, a negative, a zero tensor or a wrapper has
    one key more.
    """
    if kind or key_set & 0xFF != 1:
        return False
    rest = [bit for bit in range(8, 64) if key_set >> bit & 1][1:]
    return len(rest) == 1 or (len(rest) == 3 and rest[1] == rest[0] + 2)


def read_autograd_state(
    reader: MemoryReader, meta: int, *, both_hooks: bool
) -> tuple[bool | None, int]:
    """Return requires_grad (None when it is unknown) and grad_fn_ (Node *) of an AutogradMeta.

    torch/csrc/autograd/variable.h: vtable, name_ (std::string), grad_, grad_fn_,
    grad_accumulator_, fw_grad_, hooks_, cpp_hooks_list_, since 2.1 post_acc_grad_hooks_ (with a
    second word of hooks in the Python object, `both_hooks`), requires_grad_, retains_grad_,
    is_view_, output_nr_. The string has one word with the C++ ABI of before 2011 (wheels to 2.5),
    else four; grad_fn_ and grad_accumulator_ have two each where they are shared pointers. Raises
    Undecodable.
    """
    if not meta:
        return False, 0
    words = struct.unpack(f"<{_META_WORDS}Q", reader.read(meta, 8 * _META_WORDS))
    grad = 5 if words[1] == meta + 24 else 2
    if grad == 2 and not read_cxx_class_name(reader, words[2]).endswith("TensorImplE"):
        raise Undecodable("its autograd metadata has no gradient")
    if words[grad + 1]:
        return True, words[grad + 1]
    first = grad + 10 + both_hooks
    intrusive, shared = words[first] & _FLAGS, words[first + 2] & _FLAGS
    if intrusive and not intrusive & ~_THREE_BOOLS and not words[first + 2]:
        return bool(intrusive & 1), 0
    if shared and not shared & ~_THREE_BOOLS and not words[first + 3]:  # no locked mutex_ follows
        return bool(shared & 1), 0
    return (None if intrusive & 1 or shared else False), 0


def _dtype_name(decoder: ReprDecoder, number: int) -> tuple[str, str]:
    """Return a dtype's name ("" when the module torch is not to be found) and how it is shown."""
    names = _dtype_names(decoder)
    if number in names:
        return names[number], f"torch.{names[number]}"
    if names or number >= MAX_DTYPES:
        raise Undecodable(f"a dtype of number {number}, which torch has not")
    return "", f"number {number}"


def _dtype_names(decoder: ReprDecoder) -> dict[int, str]:
    """Return the names of dtypes by their number (c10::ScalarType), out of the module torch."""
    context = decoder.context
    if "torch dtypes" not in context.name_tables:
        names = context.name_tables["torch dtypes"] = {}
        contents = context.types.module_dict("torch")
        try:
            for number, (_, value) in enumerate(context.objects.dict_items(contents or 0)):
                if number > MAX_MODULE:
                    break
                if _is_dtype(decoder, value):
                    code, name = read_enum_value_and_name(decoder, value)
                    names[code] = name
        except (UnreadableMemory, Undecodable):
            names.clear()
    return context.name_tables["torch dtypes"]


def _is_dtype(decoder: ReprDecoder, address: int) -> bool:
    try:
        kind = decoder.reader.type_of(address)
        return decoder.types.type_at(kind).full_name == "torch.dtype"
    except UnreadableMemory:
        return False


def _autograd_texts(decoder: ReprDecoder, tensor: Tensor, obj: Obj, end: int) -> list[str]:
    """Return requires_grad and grad_fn as far as they are set and can be read."""
    hooks = obj.address + obj.lineage.root.basicsize - end >= 16
    try:
        wanted, function = read_autograd_state(decoder.reader, tensor.autograd, both_hooks=hooks)
    except (UnreadableMemory, Undecodable):
        return ["requires_grad=?"]
    if function:
        name = last_part_of_mangled_name(read_cxx_class_name(decoder.reader, function))
        return ["requires_grad=True", f"grad_fn=<{name}>"]
    return [] if wanted is False else [f"requires_grad={wanted or '?'}"]


def _values_text(decoder: ReprDecoder, tensor: Tensor, name: str) -> str:
    """Return ": " and the first values, or why there are none."""
    if tensor.implementation not in ("", PLAIN_IMPL):
        return f", its values are in a {last_part_of_mangled_name(tensor.implementation)}"
    if tensor.device != "cpu" or not tensor.numel:
        return ""
    if not tensor.plain:
        return ", its values are not those in its memory (a lazy view, or a wrapper)"
    if name not in _FORMS:
        return ", values of this dtype are not shown"
    width = struct.calcsize("<" + _FORMS[name])
    if not tensor.storage_holds_items(width):
        return f", its storage of {tensor.nbytes} bytes is too small for it"
    if not tensor.data:
        return ", its storage has no memory"
    try:
        return ": " + decoder.join_text(_item_texts(decoder, tensor, name, width), tensor.numel)
    except UnreadableMemory:
        return ", its values are not in the core"


def _item_texts(decoder: ReprDecoder, tensor: Tensor, name: str, width: int) -> Iterator[str]:
    first = tensor.data + tensor.before * width
    steps = tuple(step * width for step in tensor.strides)
    for index in range(min(tensor.numel, decoder.limits.width)):
        raw = decoder.reader.read(item_address(first, index, tensor.shape, steps), width)
        yield _number_text(raw, name)


def _number_text(raw: bytes, name: str) -> str:
    """Return one item as text; floats by the fewest digits that give them back."""
    if name == "bfloat16":
        raw, form = b"\0\0" + raw, "f"
    else:
        form = _FORMS[name]
    values = struct.unpack("<" + form, raw)
    if len(values) == 2:
        return complex_text(*values, form[0])
    value = values[0]
    if isinstance(value, float) and abs(value) < _WHOLE and value.is_integer():
        # The greatest float16 is 65504.0, though 65500.0 tells it from the others.
        return repr(value)
    return float_text(value, form) if isinstance(value, float) else str(value)
