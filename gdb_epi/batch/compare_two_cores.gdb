# SPDX-License-Identifier: Apache-2.0
# Are two cores the same crash? The first is loaded as usual, EPI_OTHER names the second:
#     EPI_OTHER=core.2 gdb -nx -batch -x FOLDER/gdb_epi/batch/compare_two_cores.gdb python3 core.1
# EPI_OTHER_EXE names the executable of the second (else the one that it names), EPI_AT the key that must be
# equal, or a narrower one: exact, strict, stable (as usual) or coarse. EPI_FORMAT=json, EPI_OUTPUT=FILE.
# Prints at which keys they agree, and how categories, verdicts and versions differ. Exit code: 0 the
# same crash, 4 another one, 1 the tool failed, 3 a core was not usable.
python
def _epi_batch(name):
    """Load gdb-epi from the folder above this script, which GDB holds open while it runs."""
    import os, runpy
    folders = [os.environ["GDB_EPI_PACKAGE"]] if os.environ.get("GDB_EPI_PACKAGE") else []
    for number in sorted(os.listdir("/proc/self/fd")):
        try:
            path = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue
        if os.path.basename(path) == name:
            folders.append(os.path.dirname(os.path.dirname(path)))
    for folder in folders:
        bootstrap = os.path.join(folder, "gdb_epi_bootstrap.py")
        if os.path.isfile(bootstrap):
            return runpy.run_path(bootstrap)
    raise gdb.GdbError("gdb-epi is not beside this script; try: GDB_EPI_PACKAGE=FOLDER/gdb_epi")

def _epi(*words):
    """Run an epi command; a failure is told, and its code is in $epi_status."""
    import shlex
    try:
        gdb.execute("epi " + " ".join(shlex.quote(word) for word in words))
    except gdb.error as error:
        gdb.write(str(error) + "\n", gdb.STDERR)

_epi_batch("compare_two_cores.gdb")
def _epi_executable(core):
    """Return the executable of a core: the file it names, where that has its build-id."""
    from gdb_epi.errors import Absent
    from gdb_epi.target.corefile import CoreFileTarget
    for module in CoreFileTarget.open(core).modules()[:1]:  # the executable is the first
        if not isinstance(module.file, Absent):
            return module.file
    return gdb.current_progspace().filename

def _epi_compare():
    import json, os
    from gdb_epi.analysis import analyze
    from gdb_epi.errors import EXIT_EXPECTATION_NOT_MET, EpiError, InputError, UsageError
    from gdb_epi.gdbhost.command_adapter import set_epi_status_variable
    from gdb_epi.gdbhost.sessions import shared_sessions
    from gdb_epi.render.escape import escape
    from gdb_epi.repro.expected_crash import comparison_lines, compare_records
    try:
        other = os.environ.get("EPI_OTHER")
        if not other:
            raise UsageError("EPI_OTHER names no core", hint="EPI_OTHER=core.2 gdb ...")
        at = os.environ.get("EPI_AT", "stable")
        if at not in ("exact", "strict", "stable", "coarse"):
            raise UsageError(f"EPI_AT={at}", hint="exact, strict, stable or coarse")
        form = os.environ.get("EPI_FORMAT") or "text"
        if form not in ("text", "json"):
            raise UsageError(f"EPI_FORMAT={form}: no such format", hint="text or json")
        if not os.path.isfile(other):
            raise InputError(f"EPI_OTHER={other}: no such file", hint="check the path")
        one = analyze(shared_sessions().current_session())
        exe = os.environ.get("EPI_OTHER_EXE") or _epi_executable(other)
        gdb.execute("core-file", to_string=True)
        if exe:
            gdb.execute("file " + exe, to_string=True)
        gdb.execute("core-file " + other, to_string=True)
        found = compare_records(one, analyze(shared_sessions().current_session()), at)
    except EpiError as error:
        set_epi_status_variable(error.exit_code)
        gdb.write(escape(error.one_line_text()) + "\n", gdb.STDERR)
        return
    except gdb.error as error:
        set_epi_status_variable(3)
        gdb.write(escape(str(error)) + "\n", gdb.STDERR)
        return
    text = json.dumps(found) if form == "json" else "\n".join(
        escape(line) for line in comparison_lines(found))
    if os.environ.get("EPI_OUTPUT"):
        with open(os.environ["EPI_OUTPUT"], "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    else:
        gdb.write(text + "\n")
    set_epi_status_variable(0 if found["match"]["reached"] else EXIT_EXPECTATION_NOT_MET)

gdb.execute("set confirm off")
_epi_compare()
end
quit $epi_status
