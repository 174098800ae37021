# SPDX-License-Identifier: Apache-2.0
"""More crashes that are no higher rate: cores that begin to be kept, hosts that are added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.fleet_simulator import CPUS, Crash, population, simulate

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.questions.changes_by_host_hours import change_by_host_hours_sentences
from gdb_epi.fleet.questions.onset import find_onset, programs_risen_with_value_sentences

HOSTS, DAYS = 60, 40


def came(host: np.ndarray | int) -> np.ndarray | int:
    """The day on which a value comes to a host."""
    return 8 + host % 24


def fleet_with(
    is_kept: Callable[[int, int], bool], *, kinds: int = 4, attr: str = "collector"
) -> Population:
    """A fleet in which `claims` dies three times a day; of it only some crashes are kept."""
    fleet = simulate(661_500, hosts=HOSTS, days=DAYS, per_day=6.0)
    random = np.random.default_rng(3)
    for number in range(3 * DAYS):
        host, day = int(random.integers(HOSTS)), number // 3
        if is_kept(host, day):
            name = f"claims {number % kinds}"
            fleet.crashes.append(Crash(day, host, name, number % CPUS, False, ""))
    fleet.crashes.sort()
    whole = population(fleet)
    is_own = np.array([name.startswith("claims") for name in whole.signatures])
    programs = np.where(is_own[whole.signature], 1, 0)
    program = Attribute("program", ["other", "claims"], programs, np.zeros(0))
    first = int(whole.exposure_day.min())
    codes = [
        (day - first >= came(host)).astype(int)
        for day, host in ((whole.day, whole.host), (whole.exposure_day, whole.exposure_host))
    ]
    own = Attribute(attr, ["2.1", "2.2"], *codes)
    return whole._replace(facts=(program,), attributes=(*whole.attributes, own), memo=None)


def is_there(host: int, day: int) -> bool:
    return bool(day >= came(host))


@pytest.mark.parametrize(
    ("attr", "says"), [("collector", "what is counted changed"), ("driver", "or brings what keeps")]
)
def test_cores_that_begin_to_be_kept_are_a_change_of_counting(attr, says):
    whole = fleet_with(is_there, attr=attr)
    sentences, image = programs_risen_with_value_sentences(whole)
    assert sentences.startswith(
        "crashes of claims of all kinds (4 signatures) and of no other program"
    )
    assert f"rose with {attr}=2.2, host by host: " in sentences
    assert says in sentences
    assert image.startswith(f"with {attr}=2.2 they came before image=image1, too: it is not why (")


@pytest.mark.parametrize(
    ("is_kept", "kinds"),
    [
        (lambda _host, day: day >= 20, 4),  # it rose everywhere on one day
        (is_there, 1),  # a bug of the new version
        (lambda host, _day: host % 24 < 8, 4),  # it runs on some of the hosts, all the time
        (lambda _host, _day: True, 4),
    ],
)
def test_other_rises_are_no_change_of_counting(is_kept, kinds):
    assert programs_risen_with_value_sentences(fleet_with(is_kept, kinds=kinds)) == []


def with_place(late_hosts: float, rate: float) -> Population:
    """A fleet of two sites; a share of `b`'s hosts run from day 20 on, or crash more often then."""
    whole = population(simulate(661_501, hosts=HOSTS, days=DAYS, per_day=30.0))
    random, first = np.random.default_rng(5), int(whole.exposure_day.min())
    late = HOSTS * (1 - late_hosts / 2)

    def runs(host: np.ndarray, day: np.ndarray) -> np.ndarray:
        return np.asarray((host < late) | (day - first >= 20))

    is_b = whole.host >= HOSTS // 2
    less = is_b & (whole.day - first < 20) & (random.random(whole.day.size) < 1 - 1 / rate)
    codes = [(host >= HOSTS // 2).astype(int) for host in (whole.host, whole.exposure_host)]
    site = Attribute("site", ["a", "b"], *codes)
    whole = whole._replace(attributes=(*whole.attributes, site), memo=None)
    return whole.select(
        runs(whole.host, whole.day) & ~less, runs(whole.exposure_host, whole.exposure_day)
    )


def test_more_hosts_are_no_higher_rate():
    sentences = change_by_host_hours_sentences(with_place(0.7, 1.0), ())
    assert [words.partition(": ")[0] for words in sentences[:2]] == ["all crashes", "site=b"]
    assert "more crashes a day since " in sentences[1] and "by more host-hours (" in sentences[1]
    assert "not by a higher rate (" in sentences[1]


@pytest.mark.parametrize(("late_hosts", "rate"), [(0.0, 3.0), (0.0, 1.0)])
def test_a_higher_rate_is_not_put_down_to_hosts(late_hosts, rate):
    assert change_by_host_hours_sentences(with_place(late_hosts, rate), ()) == []


def test_a_signature_that_came_with_more_hosts_has_no_higher_rate():
    whole = population(simulate(661_502, hosts=HOSTS, days=DAYS, per_day=30.0))
    late = whole.exposure_day - int(whole.exposure_day.min()) >= 20
    day = whole.day - int(whole.exposure_day.min())
    most = int(np.bincount(whole.signature).argmax())
    kept = (day >= 20) | (whole.host < HOSTS // 3)
    more = whole.select(kept, late | (whole.exposure_host < HOSTS // 3))
    assert "not by a higher rate" in find_onset(more, most).answer
    assert "host-hours" not in find_onset(whole, most).answer


@pytest.mark.parametrize("delay", [6, 0])
def test_what_a_release_brings_days_later_names_it(delay):
    """A leak kills its hosts from the sixth day after the release on."""
    whole = fleet_with(lambda host, day: day >= came(host) + delay, kinds=1, attr="router")
    onset = find_onset(whole, whole.signatures.index("claims 0"))
    later = [c for c in onset.caveats if "router=2.2 came up before" in c]
    assert bool(later) == bool(delay)
    assert all("on no host sooner than 6 days after it came there" in c for c in later)
