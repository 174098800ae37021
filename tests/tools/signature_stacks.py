# SPDX-License-Identifier: Apache-2.0
"""Stacks and the lines that the rules of SPEC.md make of them, worked out by hand."""

from __future__ import annotations

from itertools import count
from typing import Any

Json = dict[str, Any]
LIB = "/opt/app/libx.so"
PYTHON = "/usr/bin/python3.12"
LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def n(function: str | None, module: str | None = LIB, **more: Any) -> Json:
    """A native frame; its offset is its number in the stack, times 0x10, unless given."""
    kind = "inline" if more.get("inlined") else more.pop("kind", "normal")
    return {"function": function, "module": module, "kind": kind, **more}


def i(function: str, module: str = LIB) -> Json:
    """An inlined frame."""
    return n(function, module, inlined=True)


def p(
    qualified: str, module: str | None = "app", filename: str = "/srv/app.py", **more: Any
) -> Json:
    """A Python frame; the plain name is the last part of the qualified one."""
    given: Json = {"qualname": qualified, "name": qualified.rpartition(".")[2], "module": module}
    return {"python": {**given, "filename": filename, **more}}


EVAL = n("_PyEval_EvalFrameDefault", PYTHON)
CFUNC = n("cfunction_call", PYTHON)
BASE = [n("pymain_run_python", PYTHON), n("main", PYTHON), n("_start", PYTHON)]
END = [n("main", "/opt/app/prog"), n("_start", "/opt/app/prog")]
THREAD = [n("start_thread", LIBC), n("__clone3", LIBC)]
ABORT = [
    n("__pthread_kill_implementation", LIBC), n("__GI_raise", LIBC), n("__GI_abort", LIBC),
]  # fmt: skip

STACKS: list[tuple[str, str, Json]] = []


def stack(identity: str, rules: str, category: str, frames: list[Json], **text: Any) -> None:
    """Add one vector. Frames get offsets 0x10, 0x20 ... where they have none."""
    numbers = count(1)
    made = []
    for frame in frames:
        number = next(numbers)
        made.append(frame if "python" in frame else {"offset": number * 0x10, **frame})
    extra = {
        k: text.pop(k) for k in ("assertion", "reraised", "becomes", "note", "hang") if k in text
    }
    given = {"category": category, "frames": made, "text": text, **extra}
    STACKS.append((identity, rules, given))


MERGED_STRICT = (
    "at::native::copy_ <- c10::Storage::data <- THPVariable_add <- cfunction_call <- "
    "_PyEval_EvalFrameDefault <-- py:trainer.step <- py:trainer.train_loop <- py:__main__.main "
    "<-- pymain_run_python <- main"
)
stack(
    "merged", "N8 N40 N41 N50 N51 N52 N56 N57 N58 N59 N60", "segv-null",
    [n("_ZN2at6native5copy_ERNS_6TensorERKS1_b"), n("_ZNK3c107Storage4dataEv"),
     n("THPVariable_add"), CFUNC, EVAL, p("step", "trainer"), p("train_loop", "trainer"),
     p("main", "__main__"), *BASE],
    strict=MERGED_STRICT,
    stable="segv-null at::native::copy_ <- c10::Storage::data <- THPVariable_add <-- "
           "py:trainer.step <- py:trainer.train_loop",
    coarse="segv-null at::native::copy_ <-- py:trainer.step",
    native="segv-null at::native::copy_ <- c10::Storage::data <- THPVariable_add",
    python="segv-null py:trainer.step <- py:trainer.train_loop",
)  # fmt: skip
stack(
    "at-most-three-native-two-python",
    "N56",
    "segv-wild",
    [n("a"), n("b"), n("c"), n("d"), EVAL, p("f"), p("g"), p("h")],
    strict="a <- b <- c <- d <- _PyEval_EvalFrameDefault <-- py:app.f <- py:app.g <- py:app.h",
    stable="segv-wild a <- b <- c <-- py:app.f <- py:app.g",
    coarse="segv-wild a <-- py:app.f",
    native="segv-wild a <- b <- c",
    python="segv-wild py:app.f <- py:app.g",
)
stack(
    "strict-has-at-most-24",
    "N56",
    "segv-wild",
    [*(n(f"f{number}") for number in range(30)), *END],
    strict=" <- ".join(f"f{number}" for number in range(24)),
    stable="segv-wild f0 <- f1 <- f2",
    coarse="segv-wild f0",
    native="segv-wild f0 <- f1 <- f2",
)
stack(
    "native-only-thread", "N51", "segv-wild",
    [n("_ZN4pool6Worker3runEv"), n("execute_native_thread_routine", "/usr/lib/libstdc++.so.6"),
     *THREAD],
    strict="pool::Worker::run", stable="segv-wild pool::Worker::run",
    coarse="segv-wild pool::Worker::run", native="segv-wild pool::Worker::run",
)  # fmt: skip
# --- unknown functions ----------------------------------------------------------------------------
stack(
    "unknown-function",
    "N30",
    "segv-wild",
    [n("__memcpy_evex_unaligned", LIBC), n(None, "/usr/lib/libfoo.so.1.2.3"), *THREAD],
    strict="memcpy <- libfoo.so.1!?",
    stable="segv-wild libfoo.so.1!?",
    coarse="segv-wild libfoo.so.1!?",
    native="segv-wild libfoo.so.1!?",
)
for name, path, shown in (
    ("version", "/usr/lib/x86_64-linux-gnu/libffi_x.so.8.1.2", "libffi_x.so.8"),
    ("plain", "/opt/v/site-packages/torch/lib/libtorch_cpu.so", "libtorch_cpu.so"),
    ("deleted", "/tmp/x/libfoo.so.1 (deleted)", "libfoo.so.1"),
    (
        "extension",
        "/opt/v/_x.cpython-312-x86_64-linux-gnu.so",
        "_x.cpython-312-x86_64-linux-gnu.so",
    ),
    ("blank", "/opt/my app", "my_app"),
    ("program", "/opt/app/prog", "prog"),
):
    stack(
        f"module-{name}", "N30" if name != "blank" else "N30 N24", "segv-null",
        [n(None, path), n("caller"), *END],
        strict=f"{shown}!? <- caller <- main", stable=f"segv-null {shown}!? <- caller <- main",
        coarse=f"segv-null {shown}!?", native=f"segv-null {shown}!? <- caller <- main",
    )  # fmt: skip
stack(
    "adjacent-unknown-count-once",
    "N30 N31",
    "segv-null",
    [n(None), n(None), n(None), n(None, "/opt/app/prog"), n("_start", "/opt/app/prog")],
    strict="libx.so!? <- prog!?",
    stable="segv-null libx.so!? <- prog!?",
    coarse="segv-null libx.so!?",
    native="segv-null libx.so!? <- prog!?",
)
stack(
    "unknown-on-both-sides",
    "N30 N66",
    "segv-null",
    [n(None), n("mid"), n(None), n("main")],
    strict="libx.so!? <- mid <- libx.so!? <- main",
    stable="segv-null libx.so!? <- mid <- libx.so!?",
    coarse="segv-null libx.so!? <- mid",
    native="segv-null libx.so!? <- mid <- libx.so!?",
)
stack(
    "unknown-behind-glue", "N30 N31 N66 N52", "segv-null",
    [n(None), n(None), n("_ZNKSt8functionIFlvEEclEv"), n("_ZN3zoo9apply_allEv"), *END],
    strict="libx.so!? <- std::function<T>::operator() <- zoo::apply_all <- main",
    stable="segv-null libx.so!? <- zoo::apply_all <- main",
    coarse="segv-null libx.so!? <- zoo::apply_all",
    native="segv-null libx.so!? <- zoo::apply_all <- main",
)  # fmt: skip
stack(
    "unknown-called-from-another-file", "N30 N66", "segv-null",
    [n(None), n("each", "/opt/app/liby.so"), n("mid"), *END],
    strict="libx.so!? <- each <- mid <- main", stable="segv-null libx.so!? <- each <- mid",
    coarse="segv-null libx.so!?", native="segv-null libx.so!? <- each <- mid",
)  # fmt: skip
stack(
    "unknown-of-another-minor-version", "N30 N66", "segv-null",
    [n(None, "/usr/lib/libfoo.so.1.2.3"), n("foo_run", "/usr/lib/libfoo.so.1.2.3"), *END],
    strict="libfoo.so.1!? <- foo_run <- main", stable="segv-null libfoo.so.1!? <- foo_run <- main",
    coarse="segv-null libfoo.so.1!? <- foo_run",
    native="segv-null libfoo.so.1!? <- foo_run <- main",
)  # fmt: skip
stack(
    "unknown-called-by-an-inlined-function", "N30 N37 N66", "segv-null",
    [n(None), i("helper"), n("mid"), *END],
    strict="libx.so!? <- helper <- mid <- main", stable="segv-null libx.so!? <- helper <- mid",
    coarse="segv-null libx.so!? <- mid", native="segv-null libx.so!? <- helper <- mid",
)  # fmt: skip
stack(
    "unknown-between-python-frames", "N30 N66", "segv-null",
    [n(None), CFUNC, EVAL, p("push"), EVAL, p("run"), n("ring_each"), *BASE],
    strict="libx.so!? <- cfunction_call <- _PyEval_EvalFrameDefault <-- py:app.push <-- "
           "_PyEval_EvalFrameDefault <-- py:app.run <-- ring_each <- pymain_run_python <- main",
    stable="segv-null libx.so!? <-- py:app.push <- py:app.run",
    coarse="segv-null libx.so!? <-- py:app.push", native="segv-null libx.so!?",
    python="segv-null py:app.push <- py:app.run",
)  # fmt: skip
stack(
    "unknown-below-python", "N30 N66", "segv-null",
    [n(None), n("ring_push"), CFUNC, EVAL, p("push"), *BASE],
    strict="libx.so!? <- ring_push <- cfunction_call <- _PyEval_EvalFrameDefault <-- py:app.push "
           "<-- pymain_run_python <- main",
    stable="segv-null libx.so!? <- ring_push <-- py:app.push",
    coarse="segv-null libx.so!? <- ring_push <-- py:app.push",
    native="segv-null libx.so!? <- ring_push", python="segv-null py:app.push",
)  # fmt: skip
CODE = "fn_0123456789ab"
stack(
    "unknown-with-code", "N30 N66 N67", "segv-null",
    [n(None, function_code=CODE), n("ring_push"), CFUNC, EVAL, p("push"), *BASE],
    strict="libx.so!? <- ring_push <- cfunction_call <- _PyEval_EvalFrameDefault <-- py:app.push "
           "<-- pymain_run_python <- main",
    stable="segv-null libx.so!? <- ring_push <-- py:app.push",
    coarse="segv-null libx.so!? <- ring_push <-- py:app.push",
    native="segv-null libx.so!? <- ring_push", python="segv-null py:app.push",
    code=f"segv-null libx.so!{CODE} <- ring_push <-- py:app.push",
)  # fmt: skip
stack(
    "unknown-with-code-called-memcpy", "N6 N31 N67", "segv-wild",
    [n("__memcpy_evex_unaligned", LIBC), n(None, "/usr/lib/libfoo.so.1.2.3", function_code=CODE),
     n(None, "/usr/lib/libfoo.so.1.2.3", function_code="fn_ba9876543210"), *THREAD],
    strict="memcpy <- libfoo.so.1!?", stable="segv-wild libfoo.so.1!?",
    coarse="segv-wild libfoo.so.1!?", native="segv-wild libfoo.so.1!?",
    code=f"segv-wild libfoo.so.1!{CODE}",
)  # fmt: skip
stack(
    "unknown-with-code-below-a-handler", "N35 N67", "segv-null",
    [n("raise", LIBC), n(None, None, kind="signal"), n(None, function_code=CODE), *END],
    reraised=True,
    strict="libx.so!? <- main", stable="segv-null libx.so!? <- main",
    coarse="segv-null libx.so!?", native="segv-null libx.so!? <- main",
    code=f"segv-null libx.so!{CODE}",
)  # fmt: skip
stack(
    "named-with-code-of-its-caller", "N67", "segv-null",
    [n("ring_push"), n(None, function_code=CODE), *END],
    strict="ring_push <- libx.so!? <- main", stable="segv-null ring_push <- libx.so!? <- main",
    coarse="segv-null ring_push", native="segv-null ring_push <- libx.so!? <- main",
)  # fmt: skip
stack(
    "recursion-with-code", "N55 N67", "segv-stack-overflow",
    [*[n(None, function_code=CODE), n("each", "/opt/app/liby.so")] * 3, *END],
    strict="each <- libx.so!? ~2",
    stable="segv-stack-overflow each <- libx.so!? ~2",
    coarse="segv-stack-overflow each", native="segv-stack-overflow each <- libx.so!? ~2",
)  # fmt: skip
stack(
    "jit",
    "N32",
    "segv-wild",
    [n(None, None), n("run_jit", "libjit.so"), n("main", "a")],
    exact=None,
    strict="anon-exec <- run_jit <- main",
    stable="segv-wild anon-exec <- run_jit <- main",
    coarse="segv-wild anon-exec",
    native="segv-wild anon-exec <- run_jit <- main",
)
stack(
    "jit-depth-does-not-matter",
    "N31 N32",
    "segv-wild",
    [n(None, None), n(None, None), n(None, None), n("run_jit"), n("main")],
    exact=None,
    strict="anon-exec <- run_jit <- main",
    stable="segv-wild anon-exec <- run_jit <- main",
    coarse="segv-wild anon-exec",
    native="segv-wild anon-exec <- run_jit <- main",
)
stack(
    "no-code-is-no-frame",
    "N33",
    "segv-null",
    [n(None, None, code=False), n("f"), n("g"), n("main")],
    exact=None,
    strict="f <- g <- main",
    stable="segv-null f <- g <- main",
    coarse="segv-null f",
    native="segv-null f <- g <- main",
)
stack(
    "gap-is-no-frame",
    "N36",
    "segv-null",
    [n("f"), n(None, None, kind="sentinel", code=False), n("g"), *END],
    exact="abababababababab+0x10",
    strict="f <- g <- main",
    stable="segv-null f <- g <- main",
    coarse="segv-null f",
    native="segv-null f <- g <- main",
)
stack(
    "stripped-interpreter", "N30 N34", "segv-null",
    [n("boom"), n(None, PYTHON), n(None, PYTHON, evidence="entry-frame"), p("view"),
     n(None, PYTHON), n("_start", PYTHON)],
    strict="boom <- python3.12!? <- _PyEval_EvalFrameDefault <-- py:app.view <-- python3.12!?",
    stable="segv-null boom <-- py:app.view",
    coarse="segv-null boom <-- py:app.view", native="segv-null boom",
    python="segv-null py:app.view",
)  # fmt: skip
stack(
    "stripped-interpreter-crashes-itself", "N30 N34 N53", "segv-null",
    [n(None, PYTHON), n(None, PYTHON, evidence="entry-frame"), p("view"), n("_start", PYTHON)],
    strict="python3.12!? <- _PyEval_EvalFrameDefault <-- py:app.view",
    stable="segv-null python3.12!? <-- py:app.view",
    coarse="segv-null python3.12!? <-- py:app.view", native="segv-null python3.12!?",
    python="segv-null py:app.view",
)  # fmt: skip
# --- inlined code ---------------------------------------------------------------------------------
stack(
    "inlined-counts-in-stable-not-in-coarse",
    "N37 N58",
    "segv-null",
    [i("inner"), n("outer"), *END],
    exact="abababababababab+0x20 <- abababababababab+0x30 <- abababababababab+0x40",
    strict="inner <- outer <- main",
    stable="segv-null inner <- outer <- main",
    coarse="segv-null outer",
    native="segv-null inner <- outer <- main",
)
stack(
    "inlined-glue-does-not-stand-in", "N37 N53", "segv-wild",
    [i("Py_INCREF", PYTHON), i("_Py_NewRef", PYTHON), EVAL, p("f", "__main__"),
     n("_start", PYTHON)],
    strict="Py_INCREF <- _Py_NewRef <- _PyEval_EvalFrameDefault <-- py:__main__.f",
    stable="segv-wild _PyEval_EvalFrameDefault <-- py:__main__.f",
    coarse="segv-wild _PyEval_EvalFrameDefault <-- py:__main__.f",
    native="segv-wild _PyEval_EvalFrameDefault", python="segv-wild py:__main__.f",
)  # fmt: skip
stack(
    "two-inlined-levels",
    "N37",
    "segv-null",
    [i("a"), i("b"), n("c.constprop.0"), n("main")],
    strict="a <- b <- c <- main",
    stable="segv-null a <- b <- c",
    coarse="segv-null c",
    native="segv-null a <- b <- c",
)
for name, innermost in (
    (
        "inlined",
        [
            i("operator()(const zoo::Shape*) const"),
            i("std::__invoke_impl<long, zoo::rules(int)::<lambda(const zoo::Shape*)>&>"),
        ],
    ),
    (
        "called",
        [
            n("operator()(const zoo::Shape*) const"),
            n("std::__invoke_impl<long, zoo::rules(int)::<lambda(const zoo::Shape*)>&>"),
        ],
    ),
    (
        "mangled",
        [
            n("_ZZN3zoo5rulesEiENKUlPKNS_5ShapeEE_clES2_"),
            n("_ZSt13__invoke_implIlRZN3zoo5rulesEiEUlPKNS0_5ShapeEE_EvT_"),
        ],
    ),
):
    stack(
        f"closure-{name}", "N11 N37 N52", "segv-null",
        [*innermost, n("std::_Function_handler<long(Shape*), Rule>::_M_invoke(const Data &)"),
         n("_ZN3zoo5applyEv"), *END],
        strict="zoo::rules::{lambda}::operator() <- std::__invoke_impl<T> <- "
               "std::_Function_handler<T>::_M_invoke <- zoo::apply <- main",
        stable="segv-null zoo::rules::{lambda}::operator() <- zoo::apply <- main",
        coarse="segv-null zoo::rules::{lambda}::operator()",
        native="segv-null zoo::rules::{lambda}::operator() <- zoo::apply <- main",
    )  # fmt: skip
stack(
    "closure-without-a-scope",
    "N11",
    "segv-null",
    [n("operator()(int) const"), n("run"), *END],
    strict="{lambda}::operator() <- run <- main",
    stable="segv-null {lambda}::operator() <- run <- main",
    coarse="segv-null {lambda}::operator()",
    native="segv-null {lambda}::operator() <- run <- main",
)
HANDLER = (
    "_ZNSt17_Function_handlerIFlPKN3zoo5ShapeEEZ10zoo_lambdaEUlS3_E_E9_M_invokeERKSt9_Any_dataOS3_"
)
RUN = "_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZN3zoo4Pool3runEiEUlvE_EEEEE6_M_runEv"
PRINTED = (
    "std::_Function_handler<long(Shape*), zoo::rules(int)::{lambda(Shape*)#1}>::_M_invoke(Data &)"
)
for name, frames, closure, glue in (
    ("lost", [n(HANDLER)], "zoo_lambda", "std::_Function_handler<T>::_M_invoke"),
    ("lost-calls", [n("inner"), n(HANDLER)], "zoo_lambda", "std::_Function_handler<T>::_M_invoke"),
    ("lost-in-a-thread", [n(RUN)], "zoo::Pool::run", "std::thread::_State_impl<T>::_M_run"),
    ("lost-printed", [n(PRINTED)], "zoo::rules", "std::_Function_handler<T>::_M_invoke"),
):
    chain = f"{closure}::{{lambda}}::operator()"
    before = "inner <- " if len(frames) > 1 else ""
    stack(
        f"closure-{name}", "N39 N52", "segv-null", [*frames, n("apply"), *END],
        strict=f"{before}{chain} <- {glue} <- apply <- main",
        stable=f"segv-null {before}{chain} <- apply" + ("" if before else " <- main"),
        coarse=f"segv-null {'inner' if before else chain}",
        native=f"segv-null {before}{chain} <- apply" + ("" if before else " <- main"),
    )  # fmt: skip
stack(
    "closure-in-an-argument", "N39", "segv-null",
    [n("std::sort<It, zoo::rules(int)::{lambda(Shape*)#1}>(It, It)"), n("apply"), *END],
    strict="std::sort<T> <- apply <- main",
    stable="segv-null apply <- main",
    coarse="segv-null apply",
    native="segv-null apply <- main",
)  # fmt: skip
stack(
    "callee-is-no-closure", "N39 N53", "segv-null",
    [n("_ZNSt17_Function_handlerIFvvEPS0_E9_M_invokeERKSt9_Any_data"), n("apply"), *END],
    strict="std::_Function_handler<T>::_M_invoke <- apply <- main",
    stable="segv-null apply <- main",
    coarse="segv-null apply",
    native="segv-null apply <- main",
)  # fmt: skip
for name, function in (("called", n), ("inlined", i)):
    stack(
        f"cython-cpdef-{name}", "N21 N38", "segv-null",
        [n("__pyx_f_4fast_4Grid_both"), function("__pyx_pf_4fast_4Grid_4both"),
         n("__pyx_pw_4fast_4Grid_5both"), n("__Pyx_CyFunction_Vectorcall_FASTCALL_KEYWORDS"),
         EVAL, p("f", "app")],
        strict="cy:fast.Grid.both <- __Pyx_CyFunction_Vectorcall_FASTCALL_KEYWORDS <- "
               "_PyEval_EvalFrameDefault <-- py:app.f",
        stable="segv-null cy:fast.Grid.both <-- py:app.f",
        coarse="segv-null cy:fast.Grid.both <-- py:app.f",
        native="segv-null cy:fast.Grid.both", python="segv-null py:app.f",
    )  # fmt: skip
stack(
    "cython-recursion", "N21 N38 N54", "segv-null",
    [n("__pyx_f_4fast_walk")] * 4 + [EVAL, p("f", "app")],
    strict="cy:fast.walk ~1 <- _PyEval_EvalFrameDefault <-- py:app.f",
    stable="segv-null cy:fast.walk ~1 <-- py:app.f",
    coarse="segv-null cy:fast.walk <-- py:app.f",
    native="segv-null cy:fast.walk ~1", python="segv-null py:app.f",
)  # fmt: skip
# --- signal frames --------------------------------------------------------------------------------
stack(
    "handler-raises-again",
    "N35",
    "segv-null",
    [n("raise", LIBC), n("crash_handler"), n(None, LIBC, kind="signal"), n("boom"), n("main")],
    reraised=True,
    strict="boom <- main",
    stable="segv-null boom <- main",
    coarse="segv-null boom",
    native="segv-null boom <- main",
)
stack(
    "fault-inside-a-handler",
    "N35 N52",
    "segv-null",
    [n("on_term"), n(None, LIBC, kind="signal"), n("work"), n("main")],
    strict="on_term <- {signal} <- work <- main",
    stable="segv-null on_term <- work <- main",
    coarse="segv-null on_term",
    native="segv-null on_term <- work <- main",
)
# --- aborts ---------------------------------------------------------------------------------------
stack(
    "assert", "N5 N52 N60", "abort-assert",
    [*ABORT, n("__assert_fail_base", LIBC), n("__GI___assert_fail", LIBC), n("ring_pop"), EVAL,
     p("drain", "__main__")],
    strict="__pthread_kill_implementation <- raise <- abort <- __assert_fail_base <- "
           "__assert_fail <- ring_pop <- _PyEval_EvalFrameDefault <-- py:__main__.drain",
    stable="abort-assert ring_pop <-- py:__main__.drain",
    coarse="abort-assert ring_pop <-- py:__main__.drain", native="abort-assert ring_pop",
    python="abort py:__main__.drain",
)  # fmt: skip
for name, extra, functions in (
    ("inlined", "N37", [i("check"), n("outer")]),
    ("without-symbols-for-inlines", "N65", [n("outer")]),
):
    stack(
        f"assert-{name}", f"N65 {extra}", "abort-assert",
        [*ABORT, n("__GI___assert_fail", LIBC), *functions, n("main")], assertion="check",
        strict="__pthread_kill_implementation <- raise <- abort <- __assert_fail <- check <- outer "
               "<- main",
        stable="abort-assert check <- outer <- main", coarse="abort-assert check",
        native="abort-assert check <- outer <- main",
    )  # fmt: skip
stack(
    "assert-stripped", "N30 N65", "abort-assert",
    [*ABORT, n("__GI___assert_fail", LIBC), n(None), n(None), n(None, "/opt/app/prog")],
    assertion="void app::check(int)",
    strict="__pthread_kill_implementation <- raise <- abort <- __assert_fail <- app::check <- "
           "libx.so!? <- prog!?",
    stable="abort-assert app::check <- libx.so!? <- prog!?", coarse="abort-assert app::check",
    native="abort-assert app::check <- libx.so!? <- prog!?",
)  # fmt: skip
stack(
    "assert-in-a-template",
    "N9 N65",
    "abort-assert",
    [*ABORT, n("__GI___assert_fail", LIBC), n("_Z3maxIiET_S0_S0_"), n("main")],
    assertion="T max(T, T) [with T = int]",
    strict="__pthread_kill_implementation <- raise <- abort <- __assert_fail <- max<T> <- main",
    stable="abort-assert max<T> <- main",
    coarse="abort-assert max",
    native="abort-assert max<T> <- main",
)
stack(
    "terminate", "N8 N52", "abort-terminate:std::runtime_error",
    [*ABORT, n("_ZN9__gnu_cxx27__verbose_terminate_handlerEv", "libstdc++.so.6"),
     n("_ZN10__cxxabiv111__terminateEPFvvE", "libstdc++.so.6"),
     n("_ZSt9terminatev", "libstdc++.so.6"),
     n("__cxa_throw", "libstdc++.so.6"), n("_ZN3app4loadEv"), *END],
    strict="__pthread_kill_implementation <- raise <- abort <- "
           "__gnu_cxx::__verbose_terminate_handler <- __cxxabiv1::__terminate <- std::terminate <- "
           "__cxa_throw <- app::load <- main",
    stable="abort-terminate:std::runtime_error app::load <- main",
    coarse="abort-terminate:std::runtime_error app::load",
    native="abort-terminate:std::runtime_error app::load <- main",
)  # fmt: skip
stack(
    "double-free", "N52", "abort-malloc:double-free-or-corruption-out",
    [*ABORT, n("__libc_message", LIBC), n("malloc_printerr", LIBC), n("_int_free", LIBC),
     n("__GI___libc_free", LIBC), n("buffer_free"), n("main")],
    strict="__pthread_kill_implementation <- raise <- abort <- __libc_message <- malloc_printerr "
           "<- _int_free <- __libc_free <- buffer_free <- main",
    stable="abort-malloc:double-free-or-corruption-out buffer_free <- main",
    coarse="abort-malloc:double-free-or-corruption-out buffer_free",
    native="abort-malloc:double-free-or-corruption-out buffer_free <- main",
)  # fmt: skip
stack(
    "py-fatal", "N52", "abort-py-fatal:error",
    [*ABORT, n("fatal_error_exit", PYTHON), n("fatal_error", PYTHON),
     n("_Py_FatalErrorFunc", PYTHON), n("break_it"), EVAL, p("f")],
    strict="__pthread_kill_implementation <- raise <- abort <- fatal_error_exit <- fatal_error <- "
           "_Py_FatalErrorFunc <- break_it <- _PyEval_EvalFrameDefault <-- py:app.f",
    stable="abort-py-fatal:error break_it <-- py:app.f",
    coarse="abort-py-fatal:error break_it <-- py:app.f", native="abort-py-fatal:error break_it",
    python="abort py:app.f",
)  # fmt: skip
stack(
    "fortify", "N52", "abort-fortify",
    [*ABORT, n("__libc_message", LIBC), n("__GI___fortify_fail", LIBC),
     n("__GI___stack_chk_fail", LIBC), n("parse"), n("main")],
    strict="__pthread_kill_implementation <- raise <- abort <- __libc_message <- __fortify_fail <- "
           "__stack_chk_fail <- parse <- main",
    stable="abort-fortify parse <- main", coarse="abort-fortify parse",
    native="abort-fortify parse <- main",
)  # fmt: skip
stack(
    "crash-inside-the-allocator", "N52", "segv-wild",
    [n("_int_malloc", LIBC), n("__GI___libc_malloc", LIBC), n("_Znwm", "libstdc++.so.6"),
     n("_ZN3app3addEv"), n("main")],
    strict="_int_malloc <- __libc_malloc <- operator_new <- app::add <- main",
    stable="segv-wild app::add <- main", coarse="segv-wild app::add",
    native="segv-wild app::add <- main",
)  # fmt: skip
stack(
    "rust-panic-abort", "N18 N52", "abort-other",
    [*ABORT, n("_RNvNtCs1234_3std9panicking11begin_panic"), n("_RNvNtCs1234_4core9panicking5panic"),
     n("_RNvCs1234_7mycrate3foo"), n("main")],
    strict="__pthread_kill_implementation <- raise <- abort <- std::panicking::begin_panic <- "
           "core::panicking::panic <- mycrate::foo <- main",
    stable="abort-other mycrate::foo <- main", coarse="abort-other mycrate::foo",
    native="abort-other mycrate::foo <- main",
)  # fmt: skip
stack(
    "watchdog", "N51", "abort-other",
    [*ABORT, n("_ZN4c10d16ProcessGroupNCCL8watchdogEv", "libtorch.so"),
     n("execute_native_thread_routine", "libstdc++.so.6"), *THREAD],
    strict="__pthread_kill_implementation <- raise <- abort <- c10d::ProcessGroupNCCL::watchdog",
    stable="abort-other c10d::ProcessGroupNCCL::watchdog",
    coarse="abort-other c10d::ProcessGroupNCCL::watchdog",
    native="abort-other c10d::ProcessGroupNCCL::watchdog",
)  # fmt: skip
# --- drop sets ------------------------------------------------------------------------------------
stack(
    "never-empty",
    "N53",
    "segv-wild",
    [EVAL, p("f", "__main__"), n("_start", PYTHON)],
    strict="_PyEval_EvalFrameDefault <-- py:__main__.f",
    stable="segv-wild _PyEval_EvalFrameDefault <-- py:__main__.f",
    coarse="segv-wild _PyEval_EvalFrameDefault <-- py:__main__.f",
    native="segv-wild _PyEval_EvalFrameDefault",
    python="segv-wild py:__main__.f",
)
stack(
    "never-empty-gave-up",
    "N53",
    "abort-py-fatal:error",
    [n("__pthread_kill_implementation", LIBC), n("__GI_raise", LIBC), n("__GI_abort", LIBC),
     n("fatal_error_exit", PYTHON), n("Py_FatalError", PYTHON), n("ffi_call_unix64", "libffi.so.8"),
     n("_ctypes_callproc", "_ctypes.so"), EVAL, p("f", "__main__"), n("_start", PYTHON)],
    strict="__pthread_kill_implementation <- raise <- abort <- fatal_error_exit <- Py_FatalError "
    "<- ffi_call_unix64 <- _ctypes_callproc <- _PyEval_EvalFrameDefault <-- py:__main__.f",
    stable="abort-py-fatal:error Py_FatalError <-- py:__main__.f",
    coarse="abort-py-fatal:error Py_FatalError <-- py:__main__.f",
    native="abort-py-fatal:error Py_FatalError",
    python="abort py:__main__.f",
)  # fmt: skip
stack(
    "never-empty-gave-up-stripped",
    "N34 N53",
    "abort-py-fatal:error",
    [n("__pthread_kill_implementation", LIBC), n("abort", LIBC), n(None, PYTHON),
     n("Py_FatalError", PYTHON), n(None, "libffi.so.8"), EVAL, p("f", "__main__")],
    strict="__pthread_kill_implementation <- abort <- python3.12!? <- Py_FatalError "
    "<- libffi.so.8!? <- _PyEval_EvalFrameDefault <-- py:__main__.f",
    stable="abort-py-fatal:error Py_FatalError <-- py:__main__.f",
    coarse="abort-py-fatal:error Py_FatalError <-- py:__main__.f",
    native="abort-py-fatal:error Py_FatalError",
    python="abort py:__main__.f",
)  # fmt: skip
stack(
    "never-empty-memcpy",
    "N6 N53",
    "segv-null",
    [n("__memmove_avx_unaligned_erms", LIBC), n("_start", "prog")],
    strict="memmove",
    stable="segv-null memmove",
    coarse="segv-null memmove",
    native="segv-null memmove",
)
stack(
    "ctypes", "N52 N53", "segv-null",
    [n("__memmove_avx_unaligned_erms", LIBC), n(None, "/usr/lib/libffi.so.8.1.2"),
     n("ffi_call", "libffi.so.8"), n("_ctypes_callproc", "_ctypes.so"), EVAL,
     p("copy", "__main__")],
    strict="memmove <- libffi.so.8!? <- ffi_call <- _ctypes_callproc <- _PyEval_EvalFrameDefault "
           "<-- py:__main__.copy",
    stable="segv-null memmove <-- py:__main__.copy",
    coarse="segv-null memmove <-- py:__main__.copy", native="segv-null memmove",
    python="segv-null py:__main__.copy",
)  # fmt: skip
stack(
    "std-containers", "N8 N9 N52", "segv-null",
    [n("_ZNSt6vectorIiSaIiEEixEm"), n("_ZSt13__adjust_heapIPiliEvT_T0_S2_T1_"), n("sort_rows"),
     n("main")],
    strict="std::vector<T>::operator[] <- std::__adjust_heap<T> <- sort_rows <- main",
    stable="segv-null sort_rows <- main", coarse="segv-null sort_rows",
    native="segv-null sort_rows <- main",
)  # fmt: skip
stack(
    "printf-of-a-bad-pointer", "N52", "segv-wild",
    [n("__strlen_evex", LIBC), n("__vfprintf_internal", LIBC), n("__printf_chk", LIBC), n("report"),
     n("main")],
    strict="strlen <- __vfprintf_internal <- __printf_chk <- report <- main",
    stable="segv-wild report <- main", coarse="segv-wild report", native="segv-wild report <- main",
)  # fmt: skip
stack(
    "callers-of-python-do-not-count",
    "N57",
    "segv-null",
    [n("boom"), EVAL, p("view"), n("uwsgi_request", "uwsgi"), n("main", "uwsgi")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.view <-- uwsgi_request <- main",
    stable="segv-null boom <-- py:app.view",
    coarse="segv-null boom <-- py:app.view",
    native="segv-null boom",
    python="segv-null py:app.view",
)
stack(
    "callback-from-c", "N57 N59", "segv-null",
    [n("inner"), EVAL, p("key"), n("sort_slices", PYTHON), n("list_sort", PYTHON), EVAL, p("main")],
    strict="inner <- _PyEval_EvalFrameDefault <-- py:app.key <-- sort_slices <- list_sort <- "
           "_PyEval_EvalFrameDefault <-- py:app.main",
    stable="segv-null inner <-- py:app.key <-- sort_slices <- list_sort <-- py:app.main",
    coarse="segv-null inner <-- py:app.key", native="segv-null inner",
    python="segv-null py:app.key <- py:app.main",
)  # fmt: skip
stack(
    "no-interesting-python", "N53", "segv-null",
    [n("init_mod"), EVAL, p("_call_with_frames_removed", "importlib._bootstrap",
                            "<frozen importlib._bootstrap>")],
    strict="init_mod <- _PyEval_EvalFrameDefault",
    stable="segv-null init_mod <-- py:importlib._bootstrap._call_with_frames_removed",
    coarse="segv-null init_mod <-- py:importlib._bootstrap._call_with_frames_removed",
    native="segv-null init_mod",
    python="segv-null py:importlib._bootstrap._call_with_frames_removed",
)  # fmt: skip
# --- Cython ---------------------------------------------------------------------------------------
CYTHON = {
    "strict": "cy:fast.total <- _PyEval_EvalFrameDefault <-- py:app.f",
    "stable": "segv-null cy:fast.total <-- py:app.f",
    "coarse": "segv-null cy:fast.total <-- py:app.f",
    "native": "segv-null cy:fast.total",
    "python": "segv-null py:app.f",
}
stack("cython-wrapper-and-body", "N21 N38", "segv-null",
      [n("__pyx_pf_4fast_2total"), n("__pyx_pw_4fast_3total"), EVAL, p("f")], **CYTHON)  # fmt: skip
stack("cython-body-inlined", "N21 N37 N38", "segv-null",
      [i("__pyx_pf_4fast_2total"), n("__pyx_pw_4fast_3total"), EVAL, p("f")], **CYTHON)  # fmt: skip
stack("cython-wrapper-only", "N21", "segv-null",
      [n("__pyx_pw_4fast_3total"), EVAL, p("f")], **CYTHON)  # fmt: skip
stack(
    "function-and-its-part",
    "N4 N38",
    "segv-null",
    [n("check.part.0"), n("check"), n("outer"), *END],
    strict="check <- outer <- main",
    stable="segv-null check <- outer <- main",
    coarse="segv-null check",
    native="segv-null check <- outer <- main",
)
stack(
    "function-and-its-part-by-debug-information",
    "N38",
    "segv-null",
    [n("check"), n("check"), n("outer"), *END],
    strict="check <- outer <- main",
    stable="segv-null check <- outer <- main",
    coarse="segv-null check",
    native="segv-null check <- outer <- main",
)
stack(
    "two-python-frames-are-a-recursion",
    "N38 N54",
    "segv-null",
    [n("boom"), EVAL, p("f"), p("f")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.f ~1",
    stable="segv-null boom <-- py:app.f ~1",
    coarse="segv-null boom <-- py:app.f",
    native="segv-null boom",
    python="segv-null py:app.f ~1",
)
stack(
    "instances-of-a-template",
    "N9 N54",
    "segv-null",
    [n("_Z3fibILi1EEiv"), n("_Z3fibILi2EEiv"), n("_Z3fibILi3EEiv"), n("main")],
    strict="fib<T> ~1 <- main",
    stable="segv-null fib<T> ~1 <- main",
    coarse="segv-null fib<T>",
    native="segv-null fib<T> ~1 <- main",
)
# --- cycles ---------------------------------------------------------------------------------------
stack(
    "direct-recursion",
    "N54",
    "segv-wild",
    [n("leaf"), n("f"), n("f"), n("f"), *END],
    strict="leaf <- f ~1 <- main",
    stable="segv-wild leaf <- f ~1 <- main",
    coarse="segv-wild leaf",
    native="segv-wild leaf <- f ~1 <- main",
)
stack(
    "mutual-recursion",
    "N54",
    "segv-wild",
    [n("a"), n("b"), n("a"), n("b"), n("main")],
    strict="a <- b ~2 <- main",
    stable="segv-wild a <- b ~2 <- main",
    coarse="segv-wild a",
    native="segv-wild a <- b ~2 <- main",
)
EIGHT = [n(f"f{number}") for number in range(8)]
stack(
    "period-of-eight",
    "N54 N56",
    "segv-wild",
    [*EIGHT, *EIGHT, n("main")],
    strict="f0 <- f1 <- f2 <- f3 <- f4 <- f5 <- f6 <- f7 ~8 <- main",
    stable="segv-wild f0 <- f1 <- f2",
    coarse="segv-wild f0",
    native="segv-wild f0 <- f1 <- f2",
)
NINE = [n(f"f{number}") for number in range(9)]
stack(
    "period-of-nine-stays",
    "N54",
    "segv-wild",
    [*NINE, *NINE],
    strict=" <- ".join(f"f{number}" for number in [*range(9), *range(9)]),
    stable="segv-wild f0 <- f1 <- f2",
    coarse="segv-wild f0",
    native="segv-wild f0 <- f1 <- f2",
)
stack(
    "recursion-through-glue",
    "N52 N54",
    "segv-null",
    [n("visit"), CFUNC, EVAL, p("walk"), n("visit"), CFUNC, EVAL, p("walk"), p("main")],
    strict="visit <- cfunction_call <- _PyEval_EvalFrameDefault <-- py:app.walk ~4 <- py:app.main",
    stable="segv-null visit <-- py:app.walk ~2 <- py:app.main",
    coarse="segv-null visit <-- py:app.walk",
    native="segv-null visit",
    python="segv-null py:app.walk ~1 <- py:app.main",
)
stack(
    "python-recursion",
    "N54",
    "segv-null",
    [n("boom"), EVAL, p("fact"), p("fact"), p("fact"), p("main")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.fact ~1 <- py:app.main",
    stable="segv-null boom <-- py:app.fact ~1 <- py:app.main",
    coarse="segv-null boom <-- py:app.fact",
    native="segv-null boom",
    python="segv-null py:app.fact ~1 <- py:app.main",
)
# --- stack overflow -------------------------------------------------------------------------------
A, B = n("a", offset=0x100), n("b", offset=0x200)
OVERFLOW = {
    "exact": "abababababababab+0x100 <- abababababababab+0x200 ~2",
    "strict": "a <- b ~2",
    "stable": "segv-stack-overflow a <- b ~2",
    "coarse": "segv-stack-overflow a",
    "native": "segv-stack-overflow a <- b ~2",
}
stack("overflow-in-a", "N55 N64", "segv-stack-overflow", [A, B, A, B, A, B, *END], **OVERFLOW)
stack("overflow-in-b", "N55 N64", "segv-stack-overflow", [B, A, B, A, B, A, B, *END], **OVERFLOW)
stack("overflow-in-a-leaf", "N55 N64", "segv-stack-overflow",
      [n("vfprintf", LIBC), A, B, A, B, A, B, *END], **OVERFLOW)  # fmt: skip
stack("overflow-elsewhere-in-a", "N55 N64", "segv-stack-overflow",
      [n("a", offset=0x104), B, A, B, A, B, *END], **OVERFLOW)  # fmt: skip
stack(
    "overflow-through-python", "N55 N64", "segv-stack-overflow",
    [n("PyOS_snprintf", PYTHON, offset=0x7), *(3 * [
        n("visit_list", offset=0x30), n("cfunction_call", PYTHON, offset=0x20),
        n("_PyEval_EvalFrameDefault", PYTHON, offset=0x10), p("visit")]), p("main")],
    exact="abababababababab+0x10 <- abababababababab+0x30 <- abababababababab+0x20 ~3",
    strict="visit_list <- cfunction_call <- _PyEval_EvalFrameDefault <-- py:app.visit ~4",
    stable="segv-stack-overflow visit_list <-- py:app.visit ~2",
    coarse="segv-stack-overflow visit_list <-- py:app.visit",
    native="segv-stack-overflow visit_list ~1", python="segv-stack-overflow py:app.visit ~1",
)  # fmt: skip
stack(
    "overflow-by-one-large-frame",
    "N55 N64",
    "segv-stack-overflow",
    [n("big_array"), *END],
    strict="big_array <- main",
    stable="segv-stack-overflow big_array <- main",
    coarse="segv-stack-overflow big_array",
    native="segv-stack-overflow big_array <- main",
)
# --- Python names ---------------------------------------------------------------------------------


def python_name(identity: str, rules: str, frame: Json, name: str, plain: str = "") -> None:
    """Add a vector of one Python frame that calls boom()."""
    stack(
        f"python-{identity}", rules, "segv-null", [n("boom"), EVAL, frame],
        strict=f"boom <- _PyEval_EvalFrameDefault <-- py:{name}",
        stable=f"segv-null boom <-- py:{name}", coarse=f"segv-null boom <-- py:{plain or name}",
        native="segv-null boom", python=f"segv-null py:{name}",
    )  # fmt: skip


SITE = "/opt/v/lib/python3.12/site-packages"
python_name("function", "N40", p("run", "pkg.mod"), "pkg.mod.run")
python_name(
    "method", "N40 N42", p("Trainer.step", "pkg.mod"), "pkg.mod.Trainer.step", "pkg.mod.step"
)
python_name("nested", "N40 N42", p("f.<locals>.g"), "app.f.<locals>.g", "app.g")
python_name("decorated", "N40 N42", p("retry.<locals>.wrapper", "pkg.deco"),
            "pkg.deco.retry.<locals>.wrapper", "pkg.deco.wrapper")  # fmt: skip
python_name(
    "lambda", "N40 N46", p("f.<locals>.<lambda>"), "app.f.<locals>.<lambda>", "app.<lambda>"
)
python_name("generator-expression", "N46", p("f.<locals>.<genexpr>"), "app.f.<locals>.<genexpr>",
            "app.<genexpr>")  # fmt: skip
python_name("class-body", "N40", p("Config"), "app.Config")
python_name("module-level", "N40", p("<module>"), "app.<module>")
python_name("before-3.11", "N42", p("step", "pkg.mod", qualname=None), "pkg.mod.step")
python_name("dash-c", "N41 N44", p("<module>", "__main__", "<string>"), "__main__.<module>")
python_name("dash-c-without-globals", "N44", p("work", None, "<string>"), "string.work")
python_name("stdin", "N44", p("work", None, "<stdin>"), "stdin.work")
python_name("dash-m", "N41", p("main", "__main__", f"{SITE}/tool/__main__.py"), "__main__.main")
python_name("no-module-site", "N43", p("forward", None, f"{SITE}/torch/nn/linear.py"),
            "torch.nn.linear.forward")  # fmt: skip
python_name(
    "no-module-package", "N43", p("loads", None, f"{SITE}/orjson/__init__.py"), "orjson.loads"
)
python_name("no-module-dist", "N43", p("f", None, "/usr/lib/python3/dist-packages/apt/cache.py"),
            "apt.cache.f")  # fmt: skip
python_name("no-module-stdlib", "N43", p("decode", None, "/usr/lib/python3.11/json/decoder.py"),
            "json.decoder.decode")  # fmt: skip
python_name("no-module-ft", "N43", p("decode", None, "/opt/lib/python3.13t/json/decoder.py"),
            "json.decoder.decode")  # fmt: skip
python_name("no-module-script", "N43", p("main", None, "/srv/app/trainer.py"), "trainer.main")
python_name("zipapp", "N43", p("main", None, "/srv/tool.pyz/tool/cli.py"), "tool.cli.main")
python_name("egg", "N43", p("main", None, "/srv/Tool-1.egg/tool/__init__.py"), "tool.main")
python_name("frozen", "N44", p("getpath", None, "<frozen getpath>"), "getpath.getpath")
python_name("notebook", "N44", p("train", None, "/tmp/ipykernel_4711/1234567.py"), "{cell}.train")
python_name(
    "notebook-old", "N44", p("train", None, "<ipython-input-3-0123456789ab>"), "{cell}.train"
)
python_name("notebook-main", "N41", p("train", "__main__", "/tmp/ipykernel_4711/1234567.py"),
            "__main__.train")  # fmt: skip
python_name("hostile-name", "N24", p("a b\nc"), "app.a_b\\x0ac")
python_name("unicode", "N24", p("calcule\u0301"), "app.calcul\u00e9")
stack(
    "comprehension",
    "N45",
    "segv-null",
    [n("boom"), EVAL, p("f.<locals>.<listcomp>"), p("f"), p("main")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.f <- py:app.main",
    stable="segv-null boom <-- py:app.f <- py:app.main",
    coarse="segv-null boom <-- py:app.f",
    native="segv-null boom",
    python="segv-null py:app.f <- py:app.main",
)
stack(
    "comprehension-since-3.12",
    "N45",
    "segv-null",
    [n("boom"), EVAL, p("f"), p("main")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.f <- py:app.main",
    stable="segv-null boom <-- py:app.f <- py:app.main",
    coarse="segv-null boom <-- py:app.f",
    native="segv-null boom",
    python="segv-null py:app.f <- py:app.main",
)
stack(
    "importlib-and-thread-base", "N47 N51 N52", "segv-null",
    [n("init_mod"), EVAL, p("_load", "importlib._bootstrap", "<frozen importlib._bootstrap>"),
     p("work", "worker"), p("Thread.run", "threading"), p("Thread._bootstrap", "threading")],
    strict="init_mod <- _PyEval_EvalFrameDefault <-- py:worker.work <- py:threading.Thread.run <- "
           "py:threading.Thread._bootstrap",
    stable="segv-null init_mod <-- py:worker.work", coarse="segv-null init_mod <-- py:worker.work",
    native="segv-null init_mod", python="segv-null py:worker.work",
)  # fmt: skip
stack(
    "runpy", "N52", "segv-null",
    [n("boom"), EVAL, p("main", "__main__"), p("_run_code", "runpy", "<frozen runpy>"),
     p("_run_module_as_main", "runpy", "<frozen runpy>")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:__main__.main <- py:runpy._run_code <- "
           "py:runpy._run_module_as_main",
    stable="segv-null boom <-- py:__main__.main", coarse="segv-null boom <-- py:__main__.main",
    native="segv-null boom", python="segv-null py:__main__.main",
)  # fmt: skip
stack(
    "python-hole",
    "N48",
    "segv-null",
    [n("boom"), EVAL, p("", None, "", hole="unreadable"), p("g")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:app.g",
    stable="segv-null boom <-- py:app.g",
    coarse="segv-null boom <-- py:app.g",
    native="segv-null boom",
    python="segv-null py:app.g",
)
stack(
    "two-interpreters", "N50 N57", "segv-null",
    [n("boom"), EVAL, p("job", "__main__"), n("run_string", PYTHON),
     n("_interpreters_exec", PYTHON), EVAL, p("main", "host")],
    strict="boom <- _PyEval_EvalFrameDefault <-- py:__main__.job <-- run_string <- "
           "_interpreters_exec <- _PyEval_EvalFrameDefault <-- py:host.main",
    stable="segv-null boom <-- py:__main__.job <-- run_string <- _interpreters_exec <-- "
           "py:host.main",
    coarse="segv-null boom <-- py:__main__.job", native="segv-null boom",
    python="segv-null py:__main__.job <- py:host.main",
)  # fmt: skip
# --- hangs, snapshots -----------------------------------------------------------------------------
for category in ("killed-external", "snapshot"):
    stack(
        f"waiting-{category}", "N52 N53", category,
        [n("__futex_abstimed_wait_common", LIBC), n("__new_sem_wait_slow64", LIBC),
         n("PyThread_acquire_lock_timed", PYTHON), EVAL, p("get", "queue"), p("work")],
        strict="__futex_abstimed_wait_common <- __new_sem_wait_slow64 <- "
               "PyThread_acquire_lock_timed <- _PyEval_EvalFrameDefault <-- py:queue.get <- "
               "py:app.work",
        stable=f"{category} __futex_abstimed_wait_common <-- py:queue.get <- py:app.work",
        coarse=f"{category} __futex_abstimed_wait_common <-- py:queue.get",
        native=f"{category} __futex_abstimed_wait_common",
        python=f"{category} py:queue.get <- py:app.work",
    )  # fmt: skip
# --- damaged stacks, missing parts ----------------------------------------------------------------
stack(
    "corrupt-two-of-three",
    "N33 N61",
    "segv-wild",
    [n("f", offset=0x10), n(None, None, code=False), n(None, None, code=False)],
    becomes="corrupt-stack",
    exact="abababababababab+0x10",
    stable="corrupt-stack r-x -",
    coarse="corrupt-stack r-x -",
)
stack(
    "half-plausible-is-no-corrupt-stack",
    "N61",
    "segv-wild",
    [n("f"), n(None, None, code=False)],
    exact="abababababababab+0x10",
    strict="f",
    stable="segv-wild f",
    coarse="segv-wild f",
    native="segv-wild f",
)
stack(
    "lost-at-once",
    "N61",
    "segv-wild",
    [n("f")],
    becomes="corrupt-stack",
    stable="corrupt-stack r-x -",
    coarse="corrupt-stack r-x -",
)
stack(
    "main-alone-is-whole",
    "N61",
    "segv-null",
    [n("main", "/opt/app/prog")],
    strict="main",
    stable="segv-null main",
    coarse="segv-null main",
    native="segv-null main",
)
stack(
    "wild-pc-is-excused",
    "N33 N61",
    "segv-exec",
    [n(None, None, code=False), n("call_it"), n("main")],
    exact=None,
    strict="call_it <- main",
    stable="segv-exec call_it <- main",
    coarse="segv-exec call_it",
    native="segv-exec call_it <- main",
)
stack(
    "no-native-stack",
    "N62",
    "segv-null",
    [n(None, "/lib/x.so")],
    exact=None,
    note="one nameless frame: the unwinder lacked the files",
)
stack(
    "exact-stops",
    "N63",
    "segv-null",
    [n("a"), n("b"), n("c", None), n("d")],
    exact="abababababababab+0x10 <- abababababababab+0x20",
    strict="a <- b <- c <- d",
    stable="segv-null a <- b <- c",
    coarse="segv-null a",
    native="segv-null a <- b <- c",
)


# --- processes that did not fail by themselves ----------------------------------------------------


def member(what: str, *frames: str) -> Json:
    """One member of a hang: what it waits for, and its frames, `module.Class.name`."""
    names = []
    for frame in frames:
        module, _, qualified = frame.partition(".")
        names.append([f"py:{frame}", f"py:{module}.{qualified.rpartition('.')[2]}"])
    return {"what": what, "frames": names}


WAITS = [n("__futex_abstimed_wait_common", LIBC), n("PyThread_acquire_lock_timed", PYTHON)]
STRICT_LOCK = (
    "__futex_abstimed_wait_common <- PyThread_acquire_lock_timed <- _PyEval_EvalFrameDefault <-- "
    "py:threading.Condition.wait <- py:bank.Bank.move <- py:bank.run <-- main"
)
LOCK_FRAMES = [
    *WAITS, EVAL, p("Condition.wait", "threading", "/usr/lib/python3.12/threading.py"),
    p("Bank.move", "bank"), p("run", "bank"), *BASE[1:],
]  # fmt: skip
CIRCLE = "threading.Lock:bank.A py:bank.Bank.move <- py:bank.run => threading.RLock:bank.B"
stack(
    "hang-circle", "N70", "killed-external", LOCK_FRAMES,
    hang={
        "word": "deadlock",
        "members": [
            member("threading.Lock:bank.A", "bank.Bank.move", "bank.run"),
            member("threading.RLock:bank.B", "bank.audit", "bank.run"),
        ],
    },
    strict=STRICT_LOCK,
    stable=f"killed-external deadlock {CIRCLE} py:bank.audit <- py:bank.run",
    coarse="killed-external deadlock threading.Lock:bank.A py:bank.move => threading.RLock:bank.B "
    "py:bank.audit",
    native="killed-external __futex_abstimed_wait_common",
    python=f"killed-external deadlock {CIRCLE} py:bank.audit <- py:bank.run",
)  # fmt: skip
stack(
    "hang-wait", "N71 N72", "snapshot", LOCK_FRAMES,
    hang={
        "word": "threading.Condition:bank.CLOSED",
        "members": [member("threading.Condition:bank.CLOSED", "bank.Bank.move", "bank.run")],
    },
    strict=STRICT_LOCK,
    stable="snapshot threading.Condition:bank.CLOSED __futex_abstimed_wait_common <-- "
    "py:bank.Bank.move <- py:bank.run",
    coarse="snapshot threading.Condition:bank.CLOSED __futex_abstimed_wait_common <-- "
    "py:bank.move",
    native="snapshot __futex_abstimed_wait_common",
    python="snapshot threading.Condition:bank.CLOSED py:bank.Bank.move <- py:bank.run",
)  # fmt: skip
stack(
    "hang-busy",
    "N73",
    "killed-external",
    [n("ring_push"), EVAL, p("digit", "sums"), p("add", "sums"), p("main", "sums"), *BASE[1:]],
    hang={"word": "busy", "members": [member("runs", "sums.add", "sums.main")]},
    strict="ring_push <- _PyEval_EvalFrameDefault <-- py:sums.digit <- py:sums.add <- py:sums.main "
    "<-- main",
    stable="killed-external busy py:sums.add <- py:sums.main",
    coarse="killed-external busy py:sums.add",
    native="killed-external ring_push",
    python="killed-external busy py:sums.add <- py:sums.main",
)
stack(
    "hang-task",
    "N72",
    "killed-external",
    [n("epoll_wait", LIBC), EVAL, p("select", "selectors"), p("main", "app"), *BASE[1:]],
    hang={"word": "task", "members": [member("task", "app.fetch", "app.crawl")]},
    strict="epoll_wait <- _PyEval_EvalFrameDefault <-- py:selectors.select <- py:app.main <-- main",
    stable="killed-external task py:app.fetch <- py:app.crawl",
    coarse="killed-external task py:app.fetch",
    native="killed-external epoll_wait",
    python="killed-external task py:app.fetch <- py:app.crawl",
)
