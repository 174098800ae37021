# SPDX-License-Identifier: Apache-2.0
"""What the fleet's questions say of fleets of real life, whose truth is planted.

Each is made of full records and host-hours in files, as a person has them, and asked by the
command (tests/support/fleet_lives, tests/bench/README.md). Most are heavy: all take 120 s.
"""

from __future__ import annotations

import re

import pytest
from support.fleet_lives import fifth, first, fourth, second, seventh, sixth, third
from support.shell import Shell


@pytest.fixture
def ask(shell, tmp_path):
    """Make a fleet, put it into the database; return what asks it."""

    def made(make) -> Shell:
        folder = tmp_path / make.__name__
        make(folder)
        assert shell("fleet", "ingest", folder / "records.jsonl").code == 0
        if (folder / "hours.csv").exists():
            assert shell("fleet", "exposure", folder / "hours.csv").code == 0
        return shell

    return made


def verdicts(shell: Shell) -> list[str]:
    """The verdicts of `fleet suspects`, without what stands before them."""
    lines = shell("fleet", "suspects").out.splitlines()
    return [line.removeprefix("verdict: ") for line in lines if line.startswith("verdict: ")]


@pytest.mark.heavy
def test_a_rack_is_named_alone_and_said_to_be_over(ask):
    shell = ask(first.f03_rack_switch)
    (verdict,) = verdicts(shell)
    place = "hardware, power or network of a place, or what is set up there"
    assert verdict.startswith(f'{place}: goes with rack=r07: "abort, in ')
    assert "but: none since 2026-11-01: it may be over" in shell("fleet", "suspects").out
    # Every host of the rack has one BIOS: that is no second condition.
    assert "bios" not in shell("fleet", "split", "watchdog_abort").out.split("the rest")[0]


@pytest.mark.heavy
def test_hosts_of_a_bad_microcode_are_not_accused_one_by_one(ask):
    shell = ask(first.f04_microcode)
    assert verdicts(shell) == ["hardware or firmware: bit flips go with microcode=0x2b0005c0"]
    assert "no host to take out now" in shell("fleet", "exclude").out
    assert "cannot tell yet: host" not in shell("fleet", "suspects").out


@pytest.mark.heavy
def test_onset_names_a_kernel_that_no_host_hours_tell_of(ask):
    shell = ask(first.f05_kernel_on_half)
    out = shell("fleet", "onset", "io_uring_wait").out
    assert "the rate rose with kernel=6.1.0-28-amd64" in out and "2026-10-22" in out


@pytest.mark.heavy
def test_a_weekly_job_is_one_story(ask):
    shell = ask(first.f07_weekly_job)
    verdict_lines = verdicts(shell)
    assert sum("one event" in line for line in verdict_lines) == 1
    assert any("comes on Sunday (UTC)" in line for line in verdict_lines)
    assert "more events like it" in shell("fleet", "suspects").out


@pytest.mark.heavy
def test_of_a_service_on_a_few_hosts_none_is_accused(ask):
    shell = ask(first.f08_service_on_few_hosts)
    accused = [line for line in verdicts(shell) if "host" in line]
    assert len(accused) == 1 and "srv-088" in accused[0] and "move its job first" in accused[0]


@pytest.mark.heavy
def test_a_repaired_host_is_said_to_be_like_the_others(ask):
    shell = ask(first.f17_repaired)
    verdict_lines = verdicts(shell)
    assert any("(z44), take it out" in line for line in verdict_lines)
    assert any("(z31) until 2026-10-1" in line and "repaired" in line for line in verdict_lines)
    out = shell("fleet", "exclude").out
    assert out.startswith("z44 ") and "left in: z31: since 2026-10-1" in out


@pytest.mark.heavy
def test_a_small_fleet_hears_what_it_would_take_to_drain(ask):
    out = ask(first.f01_bad_host_of_40)("fleet", "exclude").out
    assert out.startswith("gpu-17 should be drained, and too many would be out then")
    assert "no host may be out: 2 % of 40 hosts" in out and "to allow it: --at-most 3%" in out
    again = ask(first.f01_bad_host_of_40)("fleet", "exclude", "--at-most", "2.5%").out
    assert again.startswith("gpu-17 ")


@pytest.mark.heavy
def test_nothing_is_wrong(ask):
    shell = ask(first.f15_nothing)
    assert verdicts(shell) == []
    assert shell("fleet", "suspects").out.startswith("nothing stands out among ")


@pytest.mark.heavy
def test_a_release_is_told_from_where_its_service_runs(ask):
    shell = ask(first.f06_release)
    verdict_lines = verdicts(shell)
    # ranker runs nearly all on one model: no model, and no older image, is accused for that.
    assert len(verdict_lines) == 1
    assert verdict_lines[0].startswith("software: needs image=registry/ranker:42: ")
    out = shell("fleet", "suspects").out
    assert "compared with: the other crashes of registry/ranker\n" in out
    assert "but: none since 2026-11-" in out, "rolled back"
    onset = shell("fleet", "onset", "beam_search_overrun").out
    assert "the rate rose with image=registry/ranker:42" in onset


@pytest.mark.heavy
def test_a_release_on_every_host_at_once_is_named_by_its_image(ask):
    shell = ask(first.f10_clocks)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: needs image=registry/etl:9: ")
    onset = shell("fleet", "onset", "arrow_cast_null").out
    assert "when image=registry/etl:9 came up; beside the date nothing speaks for it" in onset
    check = shell("fleet", "check").out
    assert "(on h047)" in check and "(on h011)" in check


@pytest.mark.heavy
def test_one_signature_of_a_host_and_of_a_package(ask):
    shell = ask(first.f14_two_populations)
    out = shell("fleet", "split", "memcpy_decode_image").out
    assert "two causes: host=m22 apart from package libcodec=2.3.0" in out
    assert "12 crashes on 1 host: host=m22: " in out
    assert "34 crashes on " in out and "image=" not in out, "an image that all have is no cause"


@pytest.mark.heavy
def test_a_race_that_grows_with_the_cpus_says_so(ask):
    out = ask(first.f16_cpu_count)("fleet", "suspects").out
    assert "that only such hosts run: goes with cpu_count >= 64: " in out
    assert "but: its rate rises with cpu_count (16: " in out


@pytest.mark.heavy
def test_a_service_that_dies_on_its_hosts_alone_is_told_and_accuses_none(ask):
    out = ask(first.f08_service_on_few_hosts)("fleet", "suspects").out
    line = next(line for line in out.splitlines() if line.startswith("stays on few hosts: "))
    assert "on 12 of 150 hosts" in line and "imgproc.service" in line
    assert "but: reporter.service crashed on no other host: it may run there alone" in out


@pytest.mark.heavy
def test_hosts_without_hours_keep_what_their_cores_know(ask):
    shell = ask(first.f12_partial_hours)
    assert verdicts(shell) == ["hardware: one host (p120), take it out and test it"]
    assert "kernel: unknown" not in shell("fleet", "check").out


@pytest.mark.heavy
def test_a_backlog_of_cores_is_no_event(ask):
    shell = ask(first.f11_late_upload)
    assert verdicts(shell) == []
    assert "have only the date of a file as their time" in shell("fleet", "check").out


@pytest.mark.parametrize(
    ("make", "host"), [(first.f09_renamed, "dc1-12"), (first.f13_domains, "web-21")]
)
def test_a_host_of_two_names_is_one(ask, make, host):
    assert verdicts(ask(make)) == [f"hardware: one host ({host}), take it out and test it"]


@pytest.mark.heavy
def test_machines_that_live_for_days_and_an_image_of_them(ask):
    (verdict,) = verdicts(ask(second.s1_spot_machines))
    assert verdict.startswith('software: needs ami=ami-b: "abort, in module_teardown"')


@pytest.mark.heavy
def test_bit_flips_of_a_hot_row_name_the_row_and_no_host(ask):
    shell = ask(second.s2_hot_row)
    verdict_lines = verdicts(shell)
    assert verdict_lines == ["hardware, power or network of a place: bit flips go with row=C"]


@pytest.mark.heavy
def test_all_ranks_of_a_job_are_one_event_and_its_first_one_is_no_host(ask):
    shell = ask(second.s3_mpi_job)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("one event: 64 crashes on 16 hosts in 1 min, ")
    assert ", and 4 more events like it: " in verdict
    assert "came with events of others" in shell("fleet", "split", "halo_exchange").out
    assert "image=" not in shell("fleet", "split", "mpi_abort").out.split("share no value")[0]


@pytest.mark.heavy
def test_two_causes_at_once_are_both_named(ask):
    verdict_lines = verdicts(ask(second.s4_two_causes_at_once))
    assert verdict_lines[0] == "hardware: one host (b077), take it out and test it"
    (other,) = verdict_lines[1:]
    assert other.startswith("software: needs package tlslib=3.1.5: ")
    assert other.endswith(", and 2 more signatures")


@pytest.mark.heavy
def test_a_collector_that_is_rolled_out_accuses_nobody(ask):
    assert verdicts(ask(second.s5_collector_rolled_out)) == []


@pytest.mark.heavy
def test_a_core_that_fails_under_one_program(ask):
    (verdict,) = verdicts(ask(second.s6_bad_core_under_one_program))
    assert verdict.startswith("hardware: one host (t19), take it out and test it; 10 of its 1")
    assert verdict.endswith(" crashes were on CPU 37")


@pytest.mark.heavy
def test_a_service_that_moves_takes_its_bugs_along(ask):
    shell = ask(second.s7_service_moved)
    assert verdicts(shell) == []
    assert "would settle it" not in shell("fleet", "split", "query_step_0").out


@pytest.mark.heavy
def test_the_next_sunday_is_no_news(ask):
    shell = ask(first.f07_weekly_job)
    assert "comes on Sunday" in shell("fleet", "screen", "--asof", "2026-11-14").out
    assert shell("fleet", "screen").out.startswith("nothing new stands out")


@pytest.mark.heavy
def test_a_canary_on_machines_that_live_for_hours(ask):
    (verdict,) = verdicts(ask(third.t01_canary_on_autoscaled))
    assert verdict.startswith("software: needs image=registry/api:8: ")


@pytest.mark.heavy
def test_a_rack_whose_clocks_are_two_days_ahead_is_named_and_nothing_else(ask):
    shell = ask(third.t03_rack_two_days_ahead)
    assert verdicts(shell) == []
    (line,) = (line for line in shell("fleet", "check").out.splitlines() if "beside them" in line)
    named = re.findall(r"h(\d+) \(\+(.+?) days\)", line)
    assert len(named) == 6 and all(41 <= int(host) <= 50 for host, _ in named)
    assert all(1.2 < float(days) < 2.8 for _, days in named)


@pytest.mark.heavy
def test_a_job_of_three_oclock_is_named_by_its_hour_and_its_unit(ask):
    shell = ask(third.t04_cron_at_three)
    verdict_lines = verdicts(shell)
    assert len(verdict_lines) == 2 and any("one event" in line for line in verdict_lines)
    hour = "comes at 03:00 to 04:00 UTC; see what runs then (rotate.service)"
    assert any(hour in line for line in verdict_lines)
    assert hour in shell("fleet", "split", "lock_timeout").out


@pytest.mark.heavy
def test_the_notebook_of_one_user_is_not_the_hardware_of_its_host(ask):
    shell = ask(third.t05_notebook_of_one_user)
    (verdict,) = verdicts(shell)
    assert verdict.startswith(
        "one host (ws-07), nearly all of one program that crashed on no other"
    )
    assert "move its job first" in verdict
    assert "left in: ws-07: its job may be the cause" in shell("fleet", "exclude").out


@pytest.mark.heavy
def test_a_library_that_fails_on_one_model_of_cpu_is_not_called_hardware(ask):
    (verdict,) = verdicts(ask(third.t07_one_cpu_model))
    assert verdict.startswith(
        "perhaps one cause in 3 signatures of batch, ranker: they go with cpu_mo"
    )
    assert "It may be that part, its firmware, or code of each that only such hosts run" in verdict


@pytest.mark.heavy
def test_a_repair_that_is_told_later_counts_from_its_own_day(ask):
    shell = ask(third.t09_repaired_fails_again)
    assert shell("fleet", "mark", "host", "d12", "--repaired", "--on", "2026-10-22").code == 0
    assert verdicts(shell) == ["hardware: one host (d12), take it out and test it"]
    out = shell("fleet", "exclude").out
    assert out.startswith("d12  since 2026-11-"), "the crashes before its repair do not count"
    assert shell("fleet", "mark", "host", "d12", "--repaired", "--on", "2999-01-01").code == 2


def test_a_region_without_hours_is_not_accused_and_its_bad_host_is(ask):
    verdict_lines = verdicts(ask(third.t10_region_without_hours))
    assert verdict_lines == ["hardware: one host (us-33), take it out and test it"]


@pytest.mark.heavy
def test_a_package_that_comes_with_restarts(ask):
    shell = ask(third.t12_dependency_without_release)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: needs package protobuf=6.30.0: ")
    assert shell("fleet", "check").out.startswith("the data: nothing to mend"), (
        "a process without the package lacks nothing"
    )


@pytest.mark.heavy
def test_cores_that_are_uploaded_twice_are_told(ask):
    shell = ask(third.t13_uploaded_twice)
    assert verdicts(shell) == []
    out = shell("fleet", "check").out
    assert "more of a death that another record tells of" in out
    assert "let one collector send each core" in out


@pytest.mark.heavy
def test_copies_of_an_image_are_hosts_of_their_own(ask):
    shell = ask(third.t15_cloned_machine_ids)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("hardware: one host (c07), which has no host-hours since 2026-10-")
    assert "each a host of its own: c07, c19, c41" in shell("fleet", "check").out


@pytest.mark.heavy
def test_a_bad_node_is_found_by_the_crashes_of_its_pods(ask):
    assert verdicts(ask(third.t16_pods)) == [
        "hardware: one host (node-17), take it out and test it"
    ]


@pytest.mark.heavy
def test_memory_that_moves_to_another_host(ask):
    shell = ask(third.t18_memory_moved)
    verdict_lines = verdicts(shell)
    assert (
        len(verdict_lines) == 2
        and "hardware: one host (e52), take it out and test it" in verdict_lines
    )
    out = shell("fleet", "exclude").out
    assert out.startswith("e52 ") and "left in: e11: since 2026-10-" in out


def test_an_image_that_came_with_a_driver_is_no_second_condition(ask):
    shell = ask(third.t02_driver_and_image_of_one_day)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: needs gpu_driver=560.35: ")


@pytest.mark.heavy
def test_a_job_of_one_local_hour_comes_at_two_hours(ask):
    verdict_lines = verdicts(ask(third.t14_job_of_a_local_hour))
    assert len(verdict_lines) == 2 and all(
        "see what runs then (report.timer, r" in line for line in verdict_lines
    )
    assert [line.partition("region=")[2][:2] for line in verdict_lines] in (
        ["eu", "us"],
        ["us", "eu"],
    )
    assert {re.findall(r"comes at (\d\d:00 to \d\d:00)", line)[0] for line in verdict_lines} == {
        "01:00 to 02:00", "07:00 to 08:00",
    }  # fmt: skip


@pytest.mark.heavy
def test_damage_in_one_function_on_many_hosts_is_software(ask):
    shell = ask(fourth.v02_stray_write)
    assert [v for v in verdicts(shell) if "host" in v] == [
        "hardware: one host (n07), take it out and test it"
    ]
    out = shell("fleet", "split", "blend_tiles").out
    assert "software is likely: memory was damaged on" in out and "hardware is likely" not in out


@pytest.mark.heavy
def test_an_outage_is_one_event_and_clocks_of_local_time_are_told(ask):
    shell = ask(fourth.v08_outage_and_local_time)
    verdict_lines = verdicts(shell)
    assert sum("one event" in line for line in verdict_lines) == 2
    assert not any("needs" in line or "goes with" in line for line in verdict_lines)
    assert "site=c: 2 jobs or events come there +9 hours" in shell("fleet", "check").out
    out = shell("fleet", "split", "read_mapped <- search").out
    assert out.splitlines()[1].startswith("  one event: ")
    assert "nothing to date but one event" in shell("fleet", "onset", "read_mapped <- api").out


@pytest.mark.heavy
def test_a_loop_follows_its_program(ask):
    shell = ask(fourth.v09_loop_that_moved)
    verdict_lines = [line for line in verdicts(shell) if "loop" in line]
    assert (
        len(verdict_lines) == 1
        and "(image=registry/pricing:2.1.0-rc1) on k03, k11: it" in verdict_lines[0]
    )
    assert "more signature" not in verdict_lines[0]
    assert "108 of its 108 crashes" in shell("fleet", "split", "load_rules").out
    assert any("image=registry/api:5" in line for line in verdicts(shell))


@pytest.mark.heavy
def test_what_rises_everywhere_is_no_release(ask):
    shell = ask(fourth.v01_everything_rises)
    out = shell("fleet", "suspects").out
    assert "nothing stands out" in out and "all crashes rose on 2026-11-09 (" in out
    out = shell("fleet", "onset", "update_index_0").out
    assert "the rate rose as that of all other crashes did" in out


@pytest.mark.heavy
def test_the_largest_values_are_one_limit(ask):
    shell = ask(fourth.v12_limit_of_memory)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: needs memory_gib >= 1024: ")
    assert "two causes" not in shell("fleet", "split", "index_window").out


@pytest.mark.heavy
def test_a_machine_below_many_names_is_named_and_no_name(ask):
    shell = ask(fourth.v13_machine_below_names)
    assert verdicts(shell) == ["hardware or firmware: bit flips go with hypervisor=hv-19"]
    out = shell("fleet", "exclude").out
    assert "no host to take out now" in out and "bit flips go with hypervisor=hv-19" in out
    assert "names with many machine ids" in shell("fleet", "check").out


@pytest.mark.heavy
def test_a_dead_collector_is_no_fix(ask):
    shell = ask(fourth.v14_collector_died)
    assert "no crash of any program on rack=r05 (10 hosts) after 2026-11-08" in (
        shell("fleet", "check").out
    )
    windows = ("2026-11-01..2026-11-08", "2026-11-09..2026-11-16")
    for question in (("trend",), ("trend", "round_cents"), ("compare", *windows)):
        assert "a fall may be silence: no crash of any program on rack=r05 (10 hosts)" in (
            shell("fleet", *question).out
        )
    out = shell("fleet", "onset", "round_cents").out
    assert (
        "no lasting change of its rate: chance alone does" in out
        and "left out: no crash of any" in out
    )
    fixed = ("--fixed-in", "5.2", "--of", "billing")
    out = shell("fleet", "mark", "signature", "round_cents", *fixed).out
    assert "fixed in billing 5.2, but " in out and ": regressed; marked by " in out


@pytest.mark.heavy
def test_in_a_peak_the_old_version_is_not_accused(ask):
    (verdict,) = verdicts(ask(fifth.x05_release_in_a_peak))
    assert verdict.startswith("software: needs image=registry/gateway:2: ") and "encode" in verdict


@pytest.mark.heavy
def test_a_bad_host_is_seen_beside_a_storm(ask):
    shell = ask(fifth.x01_storm)
    verdict_lines = verdicts(shell)
    assert verdict_lines[0] == "hardware: one host (q31), take it out and test it"
    assert (
        verdict_lines[1].startswith("software: needs image=registry/api:8: ")
        and "fold" in verdict_lines[1]
    )
    assert not any("q07" in line for line in verdict_lines)
    out = shell("fleet", "suspects").out
    assert "of all kinds" in out and 'without the crashes of "NULL pointer, in fold"' in out


@pytest.mark.heavy
def test_work_that_is_tried_again_is_no_loop(ask):
    assert verdicts(ask(fifth.x02_retries)) == []


@pytest.mark.heavy
def test_a_kernel_that_fails_on_large_hosts(ask):
    verdict_lines = verdicts(ask(fifth.x04_kernel_on_large_hosts))
    assert verdict_lines[0].startswith("software: needs kernel=6.8.0 and cpu_count >= 96: ")


@pytest.mark.heavy
def test_a_purchase_is_named_with_its_firmware(ask):
    (verdict,) = (line for line in verdicts(ask(fifth.x03_purchase)) if "bit flips" in line)
    assert "go with vendor=Fjord, most of them with bios_version=2.07 (" in verdict


@pytest.mark.heavy
def test_a_bug_that_a_build_renamed_is_one_and_not_mended(ask):
    shell = ask(sixth.x01_other_names)
    renamed, new = verdicts(shell)
    assert renamed.startswith("software: one bug under other names, it seems, neither mended nor ")
    for name in ("expand (", "fill_run", "next_code", "put_pixels"):
        assert name in renamed
    assert "join" in new and "image=registry/scan:2" in new
    assert "may be over" not in shell("fleet", "suspects").out


@pytest.mark.heavy
def test_a_flag_that_was_switched_off_is_no_silence_and_no_fix_of_a_release(ask):
    shell = ask(sixth.x02_flag_off)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: needs ff_prefetch=on: ")
    fell = shell("fleet", "onset", "fetch").out
    assert "the rate fell when ff_prefetch=on went out of use" in fell
    assert "fell when image" not in fell
    for question in ("check", "trend", "suspects"):
        assert "no crash of any program" not in shell("fleet", question).out


@pytest.mark.heavy
def test_a_closing_is_told_by_its_days_and_no_kernel_for_it(ask):
    shell = ask(sixth.x03_closing)
    verdict_lines = verdicts(shell)
    assert any(line.startswith("software: needs memory_gib=64") for line in verdict_lines)
    assert any("the last 2 days and the first day of a month" in line for line in verdict_lines)
    out = shell("fleet", "suspects").out + shell("fleet", "screen", "--replay").out
    assert "kernel=" not in out and "may be over" not in out
    assert "image=" not in out, "ledger's only image, which dies on the other hosts as well"


@pytest.mark.heavy
def test_a_rush_is_told_by_the_hour_of_each_region(ask):
    shell = ask(sixth.x04_rush)
    verdict_lines = verdicts(shell)
    assert any("needs instance_type=m.large" in line for line in verdict_lines)
    for region in ("fra", "nyc", "tyo"):
        assert any("lease" in line and f"region={region})" in line for line in verdict_lines)
    assert any("comes at 23:00 to 00:00 UTC" in line and "dump" in line for line in verdict_lines)


@pytest.mark.heavy
def test_a_library_that_comes_host_by_host_is_told_from_the_load(ask):
    shell = ask(sixth.x05_library_and_load)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: goes with libgeos=2: ") and "in ring" in verdict
    assert "rose with libgeos=2: on the days of its roll-out" in shell("fleet", "onset", "ring").out
    cache = shell("fleet", "onset", "run_cache").out
    assert "when libgeos" not in cache and "with libgeos" not in cache


@pytest.mark.heavy
def test_a_leak_is_told_by_the_uptime_and_no_rack_is_named(ask):
    shell = ask(sixth.x06_leak)
    (verdict,) = verdicts(shell)
    assert verdict.startswith("software: goes with uptime_days range=") and "rack" not in verdict
    assert "its rate rises with uptime_days range (0 to " in shell("fleet", "suspects").out


@pytest.mark.heavy
def test_full_disks_are_no_fix_and_accuse_no_place(ask):
    shell = ask(sixth.x07_full_disks)
    verdict_lines = verdicts(shell)
    assert verdict_lines[0].startswith("hardware: one host (w070), which has no host-hours since ")
    assert len(verdict_lines) == 2 and verdict_lines[1].startswith(
        "software: came with image 8 and is not mended: "
    )
    text = shell("fleet", "suspects").out
    assert "since with image=registry/etl:9, which came later: not mended" in text
    assert "may be over" not in text
    check = shell("fleet", "check").out
    assert re.search(r"no crash of any program on 3\d of the 40 hosts of registry/etl after", check)
    excluded = shell("fleet", "exclude").out
    assert excluded.startswith("no host to take out now") and "left in: w070: no host" in excluded


@pytest.mark.heavy
def test_no_host_is_accused_for_being_a_canary(ask):
    shell = ask(seventh.v01_canary_as_always)
    assert verdicts(shell) == []
    assert (
        "all of them have ring=canary: gdb-epi fleet rates ring=canary"
        in shell("fleet", "suspects").out
    )
    assert "host=" not in shell("fleet", "screen", "--replay").out
    assert shell("fleet", "exclude").out.startswith("no host to take out now")


@pytest.mark.heavy
def test_a_release_on_three_canaries_is_named_by_its_days_too(ask):
    shell = ask(seventh.v02_canary_is_worse)
    assert [line.partition(': "')[0] for line in verdicts(shell)] == [
        "software: needs image=registry/api:9"
    ]
    onset = shell("fleet", "onset", "decode_utf16").out
    assert "the rate rose with image=registry/api:9: on the days of its roll-out" in onset


@pytest.mark.heavy
def test_a_job_that_was_moved_is_no_new_cause(ask):
    shell = ask(seventh.v03_batch_moved)
    verdict_lines = verdicts(shell)
    moved = "comes at 04:00 to 05:00 UTC since 2026-11-01, 02:00 to 03:00 UTC until then"
    assert any(moved in line and "in fold" in line for line in verdict_lines)
    out = shell("fleet", "suspects").out
    assert "it moved by 2 hours, and is no new cause" in out
    assert "the same local hour, so a job that runs by local time" in out
    news = shell("fleet", "screen", "--replay").out
    assert len(re.findall(r"time of day=.*in fold", news)) == 1  # not again at the new hour


@pytest.mark.heavy
def test_a_power_strip_is_one_story_with_its_times(ask):
    shell = ask(seventh.v04_power_strip)
    verdict_lines = verdicts(shell)
    assert len(verdict_lines) == 2
    assert verdict_lines[1].startswith(
        "pdu=p06 failed, by all signs (8 times, 61 crashes on its hosts"
    )
    assert "at 2026-10-01 11:15 UTC, 2026-10-07 19:05 UTC, " in shell("fleet", "suspects").out


@pytest.mark.heavy
def test_a_race_of_many_cpus_that_a_release_brought_back(ask):
    (verdict,) = verdicts(ask(seventh.v05_race_of_versions))
    assert "cpu_count >= 64; hardly any with package libarena 7.3" in verdict
    assert "and again with 7.4: mended in 7.3, and lost since" in verdict
