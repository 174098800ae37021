# SPDX-License-Identifier: Apache-2.0
"""Environment variables of a process, if their names are on a list.

Found through libc's `environ`, which setenv() and os.environ keep up to date, else in the block
that execve() put above the stack (fs/binfmt_elf.c: arguments, environment, file name).
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import read_arguments_and_environment
from gdb_epi.target.symbols import exported_address
from gdb_epi.typing_lite import NamedTuple

MAX_VARIABLES = 4096
MAX_ENTRY = 4096  # bytes of NAME=VALUE that are examined
MAX_BLOCK = 256 << 10  # bytes above the stack
PIECE = 512

# The names that may be recorded; a prefix stands before a *.
ALLOWED = frozenset(
    """
    SLURM_JOB_ID SLURM_JOBID SLURM_STEP_ID SLURM_PROCID SLURM_LOCALID SLURM_NODEID SLURM_NTASKS
    SLURM_JOB_NUM_NODES SLURM_CLUSTER_NAME SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID
    SLURM_RESTART_COUNT SLURMD_NODENAME PBS_JOBID LSB_JOBID JOB_COMPLETION_INDEX
    RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK NODE_RANK
    OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK PMI_RANK PMI_SIZE
    TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT TORCHELASTIC_MAX_RESTARTS
    CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES
    CUDA_LAUNCH_BLOCKING CUDA_DEVICE_ORDER LD_PRELOAD LD_BIND_NOW GLIBC_TUNABLES
    HOSTNAME NODE_NAME K8S_NODE_NAME KUBERNETES_NODE_NAME POD_NAME K8S_POD_NAME POD_NAMESPACE
    K8S_NAMESPACE NAMESPACE CONTAINER_IMAGE IMAGE_DIGEST container KUBERNETES_SERVICE_HOST
    MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS
""".split()
)
ALLOWED_PREFIXES = ("NCCL_", "OMP_", "PYTHON", "MALLOC_")
# A name that matches a prefix but contains one of these words is left out.
SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASS", "PWD", "CRED", "AUTH", "COOKIE", "SESSION")


_PERSONAL = frozenset(("USER", "LOGNAME", "SUDO_USER", "HOME"))


class Environment(NamedTuple):
    """`values` by name; `others` counts what was left out; `source` is "environ" or "stack".

    `people` are names of users, to be taken out of paths: never to be recorded.
    """

    values: dict[str, str]
    others: int
    source: str
    people: frozenset[str]


def is_allowed(name: str) -> bool:
    """Tell whether a variable of this name may be recorded."""
    if name in ALLOWED:
        return True
    upper = name.upper()
    return name.startswith(ALLOWED_PREFIXES) and not any(word in upper for word in SECRET_WORDS)


def read_environment(target: Target) -> Environment | Absent:
    """Return the variables of the list, as the process had them when it died.

    Absent when neither `environ` nor the block above the stack can be read.
    """
    for source, entries in (
        ("environ", _entries_from_environ_symbol(target)),
        ("stack", _entries_from_stack(target)),
    ):
        variables = _keep_listed_variables(source, entries)
        if variables is not None:
            return variables
    return Absent(UNREADABLE, "neither environ nor the block above the stack is in the core")


def environment_from_entries(entries: Iterator[bytes], source: str) -> Environment | Absent:
    """Return the variables of the list among NAME=VALUE entries that a collector kept."""
    variables = _keep_listed_variables(source, entries)
    return variables if variables is not None else Absent(NOT_AVAILABLE, "no variables")


def _keep_listed_variables(source: str, entries: Iterator[bytes]) -> Environment | None:
    values: dict[str, str] = {}
    people: set[str] = set()
    others = count = 0
    for entry in entries:
        count += 1
        name, equals, value = entry.partition(b"=")
        word = name.decode("ascii", "replace")
        if word in _PERSONAL:
            people.add(value.decode("utf-8", "backslashreplace").rstrip("/").rpartition("/")[2])
        if equals and is_allowed(word):
            values.setdefault(word, value.decode("utf-8", "backslashreplace"))
        else:
            others += 1
    return Environment(values, others, source, frozenset(people)) if count else None


def _entries_from_environ_symbol(target: Target) -> Iterator[bytes]:
    symbol = exported_address(target, "environ") or exported_address(target, "__environ")
    table = read_word(target, symbol) if symbol else None
    for number in range(MAX_VARIABLES):
        at = read_word(target, table + 8 * number) if table else None
        if not at:
            return
        entry = _c_string(target, at)
        if entry is not None:
            yield entry


def _c_string(target: Target, at: int) -> bytes | None:
    """Return a string; None when it is unreadable or too long to be one of the list."""
    text = b""
    while len(text) < MAX_ENTRY:
        piece = read_up_to(target, at + len(text), PIECE - (at + len(text)) % PIECE)
        end = piece.find(b"\0")
        if end >= 0:
            return text + piece[:end]
        if not piece:
            return None
        text += piece
    return text


def _entries_from_stack(target: Target) -> Iterator[bytes]:
    """Yield the strings between the auxiliary vector's strings and the file name, newest first."""
    block = read_arguments_and_environment(target, MAX_BLOCK)
    for entry in block.rstrip(b"\0").split(b"\0")[:0:-1][:MAX_VARIABLES]:
        # Whether a string is NAME=VALUE; an argument of that shape cannot be told from one.
        name, equals, _ = entry.partition(b"=")
        first = name[:1]
        good = all(chr(byte).isalnum() or byte in b"_.-%()/" for byte in name)
        if not (bool(equals) and good and (first.isalpha() or first == b"_")):
            return  # the arguments begin here
        yield entry
