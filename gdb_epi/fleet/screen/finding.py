# SPDX-License-Identifier: Apache-2.0
"""A finding of the screening, and the limits of significance and size that it must meet."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gdb_epi.fleet.statistics.arrays import Bools, Floats
from gdb_epi.typing_lite import NamedTuple

# Measured by `python tests/bench/fleet_screen.py` on simulated fleets; see tests/bench/README.md.
MAX_Q = 0.01  # false discovery rate inside one attribute
# Of hosts as such: their null is simulated, and half of this a day are raised by chance.
MAX_HOST_Q = 0.05
# Crashes a day; the limit grows with their number: where a bad host's crashes are
# the fewer among others, no more of the names are wrong than of those of a small fleet.
HOST_Q_A_DAY, HOST_Q_TIMES = 50, 3
MIN_N = 3  # crashes: fewer say nothing
MIN_RR = 2.0  # relative risk
MAX_CONDITIONAL_P = 1e-3  # given a finding that is known already
MAX_CELLS = 200  # findings of signatures and one attribute, or hosts: the strongest
HOST_HOURS, NO_HOURS = "host-hours", "none: all other crashes"  # where expected shares come from
WINDOWS = (3, 7, 14)  # days, beside all: a host that breaks today must not wait for its average

HOST = "host"
EVENT = "event"  # crashes that came together; the value is when
LOOP_OF = "crash loop"  # the value is the host
CLUSTERED_CRASHES = (EVENT, LOOP_OF)  # what such findings are about: they accuse nothing
TIME_OF_DAY, DAY_OF_WEEK, CPU_NUMBER = "time of day", "day of the week", "cpu number"
DAY_OF_MONTH = "day of the month"
CAVEAT_MOVED = "it was on {hosts}: it follows its program, and none of these hosts is to blame"
HOURS_AND_DAYS = (TIME_OF_DAY, DAY_OF_WEEK, DAY_OF_MONTH)
TIME_AND_CPU_ATTRIBUTES = (*HOURS_AND_DAYS, CPU_NUMBER)
MIN_CPUS = 2
MOSTLY = 0.8  # of a host's crashes have one signature: its job may then be the cause
CAVEAT_ONE_SIGNATURE = (
    "without its most frequent signature it is like other hosts: its job may be the cause"
)
CAVEAT_ONE_FUNCTION = (
    "nearly all of its crashes are in one function of one program: a stray write of that program "
    "looks the same, and bad memory does where the host runs little else"
)
CAVEAT_LOOP = "a job that restarts and dies again on one host looks the same: move the job first"
NOT_ONE_JOB = "not one job: {programs} died so on this host"
CAVEAT_DAMAGES_ITSELF = (
    "a job of this host that damages its own memory dies in many ways too: "
    "see whether its crashes are of one program"
)
CAVEAT_ONLY_MORE_CRASHES = (
    "its crashes stand out by their number, hardly by flipped bits, signatures of its own or one "
    "CPU: it may run what dies more often"
)
UNSURE_Q = 0.01  # of a host without FLIPS_THAT_TELL, above which nobody takes it out yet
FLIPS_THAT_TELL = 2  # crashes with a flipped bit: any host has one of them now and then
CAVEAT_MAY_BE_CHANCE = (
    "some healthy host of one in {fleets} fleets like this has such crashes by chance: wait for "
    "more of them before it is taken out"
)
CAVEAT_OF_LATE = (
    "over all its days it is much like other hosts: what stands out is {crashes} of its crashes "
    "since {since}, {risk} times its share of those days"
)
_NOT_ONE_JOB = NOT_ONE_JOB.partition("{")[0]
_MAY_BE_CHANCE = CAVEAT_MAY_BE_CHANCE.partition("{")[0]
NOT_SURE = (CAVEAT_ONLY_MORE_CRASHES, _MAY_BE_CHANCE)  # how the caveat of such a host begins
CAVEAT_ONE_PROGRAM = (
    "that program crashed on no other host, and no bit flip was seen: it may be the cause, and the "
    "host be sound"
)
CAVEAT_RECOVERED = "since {day} it is like other hosts ({crashes} since): was it repaired?"
CAVEAT_REPLACED = "another machine has this name since {day}: {now}, and {was} before"
CAVEAT_OUT = "it has no host-hours since {day}, so it seems to be out already"
CAVEAT_ROLL_OUT = (
    "all the host-hours of this value are newer than the others': a change of that time fits too"
)
CAVEAT_ALONE = "hardly any host had another value in its time: what else changed then fits too"
CAVEAT_FORKS = "a job that forks with threads and always runs on this host looks the same"

ALL = "*"
BITFLIP = "*bitflip"
LOCK = "*lock"
COUNTED = "negative binomial p="  # how the test of all of a host's crashes begins
CPU = "*cpu "  # and its number: the crashes of a host on one of its CPUs


def is_about_whole_host(signature: str) -> bool:
    """Whether a host's finding is about the host as such, and not about one signature or flag."""
    return signature in (ALL, BITFLIP) or signature.startswith(CPU)


def finding_identity(attr: str, value: str, signature: str) -> tuple[str, str, str]:
    """Return the key by which a finding is recognised when it is found again."""
    broad = attr == HOST and is_about_whole_host(signature)
    return attr, value, ALL if broad else signature


class DaysHostChanged(NamedTuple):
    """Days like "2026-11-29" since which a host is not what it was; None where it is.

    It is like the others; it has no host-hours; another machine has its name. `now`: the name that
    its machine has. Each stands among the caveats in words.
    """

    recovered: str | None = None
    left: str | None = None
    replaced: str | None = None
    now: str | None = None


class Finding(NamedTuple):
    """One value of one attribute that has more crashes of a signature than its share."""

    attr: str
    value: str
    signature: str  # its text; `*` all crashes, `*bitflip` and `*lock` those with the flag
    n: int  # crashes of the signature with the value
    total: int  # crashes of the signature
    p: float
    q: float
    rr: float
    rr_low: float  # 95 % interval
    rr_high: float
    test: str
    exposure: str  # where the expected share came from
    aliases: tuple[str, ...]  # attr=value that cannot be told apart from this one
    caveats: tuple[str, ...]
    members: Bools  # which crashes
    changes: DaysHostChanged = DaysHostChanged()

    @property
    def identity(self) -> tuple[str, str, str]:
        """The key by which a finding is the same on another day."""
        return (self.attr, self.value, self.signature)

    @property
    def mark(self) -> str:
        """What its crashes have."""
        return f"{self.attr}={self.value}"

    @property
    def marks(self) -> tuple[str, ...]:
        """Its mark, and those that cannot be told apart from it."""
        return (self.mark, *self.aliases)

    def with_caveats(self, *more: str | None) -> Finding:
        """Return the finding with more caveats after its own; None is none."""
        return self._replace(caveats=(*self.caveats, *filter(None, more)))


class ExposureShares(NamedTuple):
    """The share of the host-hours that each host has, and its source."""

    by_host: Floats  # one share per host of the population
    source: str


def is_signature_of_several_programs(finding: Finding) -> bool:
    """Whether several programs have the signature of a host's finding."""
    return any(caveat.startswith(_NOT_ONE_JOB) for caveat in finding.caveats)


def may_host_stand_out_by_chance(finding: Finding) -> bool:
    """Whether a host stands out no more than one of some healthy fleets does."""
    return any(caveat.startswith(_MAY_BE_CHANCE) for caveat in finding.caveats)


def crashes_of_findings(findings: Iterable[Finding], size: int) -> Bools:
    """Return which of `size` crashes any of some findings is about."""
    members = np.zeros(size, dtype=bool)
    for finding in findings:
        members |= finding.members
    return members
