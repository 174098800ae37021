# SPDX-License-Identifier: Apache-2.0
"""Host, container and job, as far as allow-listed environment variables tell."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.errors import Absent, SoftError
from gdb_epi.record.environment_variables import Environment, read_environment
from gdb_epi.record.redact import redact_value
from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group

MAX_VARIABLES = 128
# The first variable that is set counts.
NODE = ("NODE_NAME", "K8S_NODE_NAME", "KUBERNETES_NODE_NAME", "SLURMD_NODENAME")
CONTAINER = {
    "pod": ("POD_NAME", "K8S_POD_NAME"),
    "namespace": ("POD_NAMESPACE", "K8S_NAMESPACE"),
    "node": NODE[:3],
    "image": ("CONTAINER_IMAGE", "IMAGE_DIGEST"),
    "runtime": ("container",),
}
JOB_TEXTS = {
    "id": ("SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "TORCHELASTIC_RUN_ID"),
    "cluster": ("SLURM_CLUSTER_NAME",),
}
JOB_NUMBERS = {
    "rank": ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"),
    "world_size": ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"),
    "local_rank": ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "restart": ("TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"),
}
SCHEDULERS = (
    ("SLURM_JOB_ID", "slurm"), ("SLURM_JOBID", "slurm"), ("PBS_JOBID", "pbs"),
    ("LSB_JOBID", "lsf"), ("TORCHELASTIC_RUN_ID", "torchelastic"),
)  # fmt: skip
_IN_OTHER_GROUPS = frozenset(
    ("HOSTNAME", "NAMESPACE", "KUBERNETES_SERVICE_HOST", *NODE, *sum(CONTAINER.values(), ()))
)


@group(SEVERAL_GROUPS, order=210)
def environment_groups(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return the groups job, container and host."""
    variables = read_environment(parts.state.target)
    if isinstance(variables, Absent):
        notes.errors.append(SoftError("facts", "environment", variables.detail))
        return None
    notes.people |= variables.people
    notes.left_out["environment"] = variables.others
    return groups_of_environment(variables)


def groups_of_environment(variables: Environment) -> Json:
    """Return the groups of an environment, from the core or from a collector."""
    return {
        "job": read_job(variables),
        "container": read_container(variables.values),
        "host": read_host(variables.values),
    }


def read_job(variables: Environment) -> Json | None:
    """Return the job's ids and the variables of the list."""
    values = {name: redact_value(text) for name, text in variables.values.items()}
    ids: Json = {name: _first_value(values, names) for name, names in JOB_TEXTS.items()}
    ids |= {name: _parse_number(_first_value(values, names)) for name, names in JOB_NUMBERS.items()}
    ids["scheduler"] = next((word for name, word in SCHEDULERS if name in values), None)
    fields = {key: value for key, value in ids.items() if value is not None}
    listed = sorted(set(values) - _IN_OTHER_GROUPS)
    if listed:
        fields["environment"] = {name: values[name] for name in listed[:MAX_VARIABLES]}
    fields["variables_left_out"] = variables.others + max(len(listed) - MAX_VARIABLES, 0)
    return {**fields, "source": variables.source}


def read_container(given: Mapping[str, str]) -> Json | None:
    """Return pod, namespace, node and image where the environment names them."""
    values = {name: redact_value(text) for name, text in given.items()}
    fields = {name: _first_value(values, names) for name, names in CONTAINER.items()}
    return {key: value for key, value in fields.items() if value is not None}


def read_host(values: Mapping[str, str]) -> Json | None:
    """Return the host's name where the environment tells it.

    Inside a container HOSTNAME is the container's name, and its crashes must not be counted for a
    host of that name: the variable is used only where nothing points to a container.
    """
    node = _first_value(values, NODE)
    if node is not None:
        return {"hostname": redact_value(node), "hostname_source": "environment"}
    inside = "KUBERNETES_SERVICE_HOST" in values or "container" in values
    name = values.get("HOSTNAME")
    if not name or inside or _is_container_id(name):
        return None
    return {"hostname": redact_value(name), "hostname_source": "environment"}


def _is_container_id(name: str) -> bool:
    """Tell whether this is a name that Docker gives a container: 12 digits of its id."""
    return len(name) in (12, 64) and all(char in "0123456789abcdef" for char in name)


def _first_value(values: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def _parse_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 10 else None
