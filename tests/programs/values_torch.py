# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"], "packages": ["torch"], "oldest": [3, 11], "newest": [3, 11], "bench": true}
"""Die with torch's tensors, and what describes them, among the locals."""

import sys

import deathbed
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from values import variables


class OwnTensor(torch.Tensor):
    pass


class Shown(torch.Tensor):
    def __repr__(self):
        return f"shown {self.shape} {len(self)}"


class Sized(torch.Tensor):
    """Its sizes are what Python says, not what its TensorImpl holds."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(
            cls, (2, 3), dispatch_sizes_strides_policy="sizes"
        )

    def __repr__(self):
        return f"sized {tuple(self.shape)}"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.sym_size.default:
            return [7, 7]
        raise NotImplementedError(func)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad


def descriptions(way):
    shape, empty_shape = torch.Size([2, 3]), torch.Size([])
    kinds = [one for one in vars(torch).values() if isinstance(one, torch.dtype)]
    single = torch.bfloat16
    devices = [torch.device(name) for name in ("cpu", "meta", "cuda:1", "xpu:3", "cpu:0")]
    layouts = [torch.strided, torch.sparse_coo, torch.sparse_csr]
    formats = [torch.channels_last, torch.contiguous_format, torch.preserve_format]
    tensors(way)
    return locals()


def tensors(way):
    floats, matrix = torch.tensor([0.5, -1.25, 0.1]), torch.arange(6).reshape(2, 3)
    turned, every_other, row = matrix.T, torch.arange(10)[::2], matrix[1]
    single, empty, nothing_wide = torch.tensor(5), torch.tensor([]), torch.zeros((0, 3))
    truths, bytes_ = torch.tensor([True, False]), torch.tensor([1, 255], dtype=torch.uint8)
    small, large = torch.tensor([-1, 2], dtype=torch.int16), torch.full((500, 500), 7.0)
    halves = torch.tensor([0.1, 65504], dtype=torch.float16)
    brains = torch.tensor([0.1, -3.0], dtype=torch.bfloat16)
    doubles = torch.tensor([0.1, float("nan"), float("inf")], dtype=torch.float64)
    complexes = torch.tensor([1 + 2j, -0.5j])
    wide = torch.arange(64.0).reshape(2, 2, 2, 2, 2, 2)
    expanded = torch.tensor([1.0]).expand(3, 4)
    last = torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last)
    own = torch.ones(3).as_subclass(OwnTensor)
    spoken = torch.ones(3).as_subclass(Shown)
    shared = torch.arange(4.0).share_memory_()
    changed = torch.arange(4.0).resize_(2)
    odd(way)
    return locals()


def odd(way):
    """What is no plain memory, and what autograd knows."""
    conjugate = torch.tensor([1 + 2j]).conj()
    negative = conjugate.imag
    with torch.inference_mode():
        inferred = torch.ones(3)
        inferred_conjugate = torch.tensor([1 + 2j]).conj()
    meta = torch.empty((3, 4), device="meta", dtype=torch.float16)
    sparse = torch.eye(3).to_sparse()
    compressed = torch.eye(3).to_sparse_csr()
    quantized = torch.quantize_per_tensor(torch.ones(3), 0.5, 0, torch.qint8)
    eights = torch.ones(3).to(torch.float8_e5m2)
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    sized, mode = Sized(), FakeTensorMode()
    fake = mode.from_tensor(torch.ones((4, 2)))
    graph(way)
    return locals()


def graph(way):
    leaf = torch.ones(3, requires_grad=True)
    fixed = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    weight = torch.nn.Parameter(torch.arange(4.0))
    product, cube = leaf * 2, Cube.apply(leaf)
    view, detached = leaf[1:], leaf.detach()
    hooked = torch.ones(2, requires_grad=True)
    hooked.register_hook(print)
    kept = leaf + 1
    kept.retain_grad()
    kept.sum().backward()
    plain_view = torch.arange(4.0)[1:]
    linear = torch.nn.Linear(2, 1)
    dying(way)
    return locals()


def numbers(value):
    """Return what is true of a tensor, as a test can compare it."""
    if not isinstance(value, torch.Tensor):
        return None
    odd = value.is_nested or value.is_quantized or value.is_meta
    odd = (
        odd or value.layout is not torch.strided or type(value).__name__ in ("FakeTensor", "Sized")
    )
    first = [] if odd else [repr(one) for one in value.detach().reshape(-1)[:10].tolist()]
    return {
        "shape": None if value.is_nested else list(value.shape),
        "dtype": str(value.dtype),
        "device": str(value.device),
        "requires_grad": value.requires_grad,
        "grad_fn": type(value.grad_fn).__name__ if value.grad_fn is not None else "",
        "lazy": value.is_conj() or value.is_neg(),
        "first": first,
    }


def dying(way):
    frame = sys._getframe(1)
    found, told = [], {}
    while frame is not None:
        if frame.f_code.co_name != "<module>":
            found.append(variables(frame))
            told.update(
                (f"{frame.f_code.co_name}.{n}", numbers(v)) for n, v in frame.f_locals.items()
            )
        frame = frame.f_back
    known = {name: value for name, value in told.items() if value is not None}
    facts = {"variables": found, "tensors": known, "torch": torch.__version__}
    deathbed.die(way, facts=facts)


if __name__ == "__main__":
    descriptions(deathbed.prepare("raise"))
