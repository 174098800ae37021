# SPDX-License-Identifier: Apache-2.0
# The stacks of every thread, native and Python frames together:
#     gdb -nx -batch -x FOLDER/gdb_epi/batch/all_stacks.gdb python3 core
# EPI_FORMAT=json gives JSON (the Python frames of every thread), text (as usual) also the native
# ones; EPI_OUTPUT=FILE writes a file. Exit code: that of the command: 0 done, 1 the tool failed,
# 2 no such format, 3 nothing usable was loaded.
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

def _epi_stacks():
    """Print the stacks in the format that is asked for."""
    import os
    from gdb_epi.gdbhost.command_adapter import set_epi_status_variable
    formats = {"text": ["bt", "--native-all"], "json": ["bt", "--all", "--json"]}
    name = os.environ.get("EPI_FORMAT") or "text"
    if name not in formats:
        set_epi_status_variable(2)
        gdb.write("EPI_FORMAT=" + ascii(name)[1:-1] + ": no such format; try: text or json\n", gdb.STDERR)
        return
    output = os.environ.get("EPI_OUTPUT")
    _epi(*formats[name], *(["--output", output] if output else []))

_epi_batch("all_stacks.gdb")
_epi_stacks()
end
quit $epi_status
