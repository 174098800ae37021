# SPDX-License-Identifier: Apache-2.0
"""Imported modules: sys.modules of an interpreter, with versions that the process itself knew.

Versions come from `__version__`, and from the names of the metadata folders that the import
system's own directory listings hold (`FileFinder._path_cache`): no file of this machine is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from gdb_epi.cpython.source.safe_file_reading import read_file_in_sysroot
from gdb_epi.cpython.types import InterpreterState, PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.errors import UNREADABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import version_or_none

MAX_MODULES = 100_000
MAX_TEXT = 1 << 16
MAX_NAMES = 5_000_000  # of all modules together that are examined
MAX_FOLDERS = 1_000
MAX_ENTRIES = 200_000  # names in one folder's listing
MAX_METADATA = 4 << 20  # bytes of a RECORD file
MAX_DISTRIBUTIONS = 2_000  # whose metadata is read from files

# Kinds of modules, by what loaded them.
SOURCE, BYTECODE, EXTENSION = "source", "bytecode", "extension"
BUILTIN, FROZEN, NAMESPACE, ZIP, OTHER = "built-in", "frozen", "namespace", "zip", "other"
_LOADERS = {
    "SourceFileLoader": SOURCE,
    "SourcelessFileLoader": BYTECODE,
    "ExtensionFileLoader": EXTENSION,
    "BuiltinImporter": BUILTIN,
    "FrozenImporter": FROZEN,
    "NamespaceLoader": NAMESPACE,
    "_NamespaceLoader": NAMESPACE,
    "zipimporter": ZIP,
}
_ENDINGS = ((".py", SOURCE), (".pyc", BYTECODE), (".so", EXTENSION))


class ImportedModule(NamedTuple):
    """One entry of sys.modules."""

    name: str
    address: int  # PyObject *
    kind: str = OTHER
    file: str | None = None
    package: bool = False
    version: str | None = None  # __version__
    initializing: bool = False  # its import had not ended
    stdlib: bool = False
    build_id: str | None = None  # of an extension's shared object
    problem: str = ""

    @property
    def top_level_name(self) -> str:
        """The name of the package that it belongs to."""
        return self.name.partition(".")[0]


class Distribution(NamedTuple):
    """An installed distribution, by the name of its metadata folder."""

    name: str
    version: str
    folder: str


class ImportedModules(NamedTuple):
    """What one interpreter has imported, in the order of import."""

    interpreter: int  # id
    modules: tuple[ImportedModule, ...]
    distributions: tuple[Distribution, ...]  # of the folders that modules came from
    soft_errors: tuple[SoftError, ...]


def read_imported_modules(
    target: Target,
    python: PythonState,
    interpreter: InterpreterState,
    *,
    only: frozenset[str] | None = None,
    access: PlainValues | None = None,
) -> ImportedModules | Absent:
    """Return the modules of one interpreter, or those of them with a name in `only`.

    Absent when sys.modules cannot be read. Reference: Python/import.c (3.8 to 3.15).
    """
    walk = _ModuleReader(target, access or PlainValues(target, python), interpreter)
    return walk.modules(only)


class _ModuleReader:
    def __init__(self, target: Target, access: PlainValues, interpreter: InterpreterState) -> None:
        self._target = target
        self._access = access
        self._interpreter = interpreter
        self._errors: list[SoftError] = []
        self._sys = access.module_dict(interpreter.address, "sys") or 0
        self._room = MAX_NAMES

    def modules(self, only: frozenset[str] | None) -> ImportedModules | Absent:
        """Return all modules."""
        try:
            contents = self._access.objects.sys_modules(self._interpreter.address)
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))
        if isinstance(contents, Absent):
            return contents
        if self._access.ident(contents) != "dict":
            return Absent(UNREADABLE, "sys.modules is not there: start-up, finalization or damage")
        modules: list[ImportedModule] = []
        lost = 0
        for key, value in self._access.dict_pairs(contents):
            if only is not None and self._access.reader.string(key, MAX_TEXT) not in only:
                continue
            name = self._access.text(key, MAX_TEXT)
            if name is None:
                lost += 1
            else:
                modules.append(self._decode_module(name, value))
            if len(modules) >= MAX_MODULES:
                self._note_problem(f"stopped after {MAX_MODULES} modules")
                break
        if self._room < 0:
            self._note_problem(f"stopped after {MAX_NAMES} names of modules")
        if lost:
            self._note_problem(f"{lost} names in sys.modules cannot be read")
        others = [module for module in modules if not module.stdlib]
        return ImportedModules(
            self._interpreter.id,
            tuple(modules),
            tuple(self._distributions(others)),
            tuple(self._errors),
        )

    def _note_problem(self, message: str) -> None:
        self._errors.append(SoftError("modules", f"interpreter {self._interpreter.id}", message))

    # -- one module ---------------------------------------------------------------------------

    def _decode_module(self, name: str, address: int) -> ImportedModule:
        access, problem, contents = self._access, "", 0
        module = ImportedModule(name, address)
        if access.ident(address) != "module":
            problem = f"not a module but {access.type_name(address) or 'an unreadable object'}"
        else:
            try:
                at = access.context.offset("PyModuleObject", "md_dict")
                contents = access.reader.u64(address + at)
                if access.ident(contents) != "dict":
                    problem = f"its dict at {contents:#x} is lost or damaged"
            except UnreadableMemory as error:
                problem = str(error)
        if problem:
            return module._replace(problem=problem, stdlib=self._is_stdlib(module))
        names = self._import_attributes(contents)
        spec = access.attributes(names["__spec__"]) if "__spec__" in names else {}
        file = self._str_contents(names.get("__file__"))
        origin = self._str_contents(spec.get("origin"))
        kind = self._loader_kind(names.get("__loader__"), spec.get("loader"), file, origin)
        if file is None and kind == EXTENSION:
            file = origin
        module = module._replace(
            kind=kind,
            file=file,
            package="__path__" in names,
            version=version_or_none(self._str_contents(names.get("__version__"))),
            initializing=access.integer(spec.get("_initializing", 0)) == 1,
        )
        build_id = self._build_id(file) if kind == EXTENSION and file else None
        return module._replace(stdlib=self._is_stdlib(module), build_id=build_id)

    def _import_attributes(self, contents: int) -> dict[str, int]:
        wanted = ("__spec__", "__file__", "__loader__", "__path__", "__version__")
        values: dict[str, int] = {}
        reader = self._access.reader
        for key, value in self._access.dict_pairs(contents):
            self._room -= 1
            if self._room < 0:
                break
            for name in wanted:
                if name not in values and reader.is_str_object_with_text(key, name):
                    values[name] = value
            if len(values) == len(wanted):
                break
        return values

    def _str_contents(self, address: int | None) -> str | None:
        return self._access.text(address, MAX_TEXT) if address else None

    def _loader_kind(
        self, loader: int | None, spec_loader: int | None, file: str | None, origin: str | None
    ) -> str:
        for candidate in (spec_loader, loader):
            kind = _LOADERS.get(self._loader_name(candidate)) if candidate else None
            if kind is not None:
                return kind
        if origin in (BUILTIN, FROZEN):
            return str(origin)
        for ending, kind in _ENDINGS:
            if file is not None and file.endswith(ending):
                return kind
        return OTHER

    def _loader_name(self, address: int) -> str:
        """Return the name of a loader's class, which some modules have instead of an instance."""
        if self._access.ident(address) != "type":
            return self._access.type_name(address).rpartition(".")[2]
        try:
            return self._access.context.types.type_at(address).qualname
        except UnreadableMemory:
            return ""

    def _build_id(self, file: str) -> str | None:
        return self._build_ids.get(file) or self._build_ids.get(file.rpartition("/")[2])

    @cached_property
    def _build_ids(self) -> dict[str, str | None]:
        build_ids: dict[str, str | None] = {}
        for module in self._target.modules():
            build_ids[module.path] = module.build_id
            # The kernel names the file behind symbolic links.
            build_ids.setdefault(module.path.rpartition("/")[2], module.build_id)
        return build_ids

    # -- the standard library -----------------------------------------------------------------

    @cached_property
    def _stdlib_names(self) -> frozenset[str]:
        # sys.stdlib_module_names came with 3.10 (bpo-42955).
        at = self._access.dict_value(self._sys, "stdlib_module_names") if self._sys else None
        names = (self._access.text(at, 256) for at in (self._access.set_members(at) if at else ()))
        return frozenset(name for name in names if name)

    @cached_property
    def _stdlib_folder(self) -> str | None:
        contents = self._access.module_dict(self._interpreter.address, "os")
        file = self._str_contents(
            self._access.dict_value(contents, "__file__") if contents else None
        )
        return file.rpartition("/")[0] + "/" if file and file.startswith("/") else None

    def _is_stdlib(self, module: ImportedModule) -> bool:
        inside = module.file is not None and (
            "site-packages/" in module.file or "dist-packages/" in module.file
        )
        if inside or module.name == "__main__":
            return False
        if module.top_level_name in self._stdlib_names or module.kind == BUILTIN:
            return True
        if module.file is None or self._stdlib_folder is None:
            return module.kind == FROZEN
        return module.file.startswith(self._stdlib_folder)

    # -- distributions ------------------------------------------------------------------------

    def _distributions(self, modules: Iterable[ImportedModule]) -> list[Distribution]:
        """Return the distributions of the folders that modules came from."""
        folders = {folder for folder in map(import_folder, modules) if folder}
        cache = self._access.dict_value(self._sys, "path_importer_cache") if self._sys else None
        distributions: list[Distribution] = []
        for number, (key, finder) in enumerate(self._access.dict_pairs(cache) if cache else ()):
            if number >= MAX_FOLDERS:
                self._note_problem(
                    f"stopped after {MAX_FOLDERS} folders of sys.path_importer_cache"
                )
                break
            folder = self._str_contents(key)
            if folder is None or folder not in folders:
                continue
            names = self._access.attribute(finder, "_path_cache")
            for name in self._access.set_members(names)[:MAX_ENTRIES] if names else ():
                text = self._access.text(name, 512)
                distribution = parse_metadata_folder_name(text, folder) if text else None
                if distribution is not None:
                    distributions.append(distribution)
        return sorted(distributions)


def import_folder(module: ImportedModule) -> str | None:
    """Return the sys.path entry that a module came from; None when its file does not tell."""
    if not module.file or not module.file.startswith("/"):
        return None
    depth = module.name.count(".") + (2 if module.package else 1)
    folder = module.file
    for _ in range(depth):
        folder = folder.rpartition("/")[0]
    return folder or None


def parse_metadata_folder_name(entry: str, folder: str) -> Distribution | None:
    """Return what a metadata folder's name says: NAME-VERSION.dist-info or .egg-info."""
    for ending in (".dist-info", ".egg-info"):
        if entry.endswith(ending):
            parts = entry.removesuffix(ending).split("-")
            version = version_or_none(parts[1]) if len(parts) > 1 else None
            return Distribution(parts[0], version, folder) if version else None
    return None


def normalized_name(name: str) -> str:
    """Return a distribution's or module's name in the form in which they are compared."""
    return name.lower().replace("-", "_").replace(".", "_")


class Package(NamedTuple):
    """One top-level package with its version; `source` says who knew it."""

    name: str
    version: str | None
    source: str  # "__version__", "metadata" or ""
    distribution: Distribution | None


def top_level_packages(imported: ImportedModules) -> list[Package]:
    """Return the top-level packages that are not of the standard library, by name."""
    by_place = {
        (normalized_name(distribution.name), distribution.folder): distribution
        for distribution in imported.distributions
    }
    listed = []
    for module in imported.modules:
        if "." in module.name or module.stdlib or module.name == "__main__":
            continue
        place = (normalized_name(module.name), import_folder(module) or "")
        distribution = by_place.get(place)
        version, source = module.version, "__version__"
        if version is None and distribution is not None:
            version, source = distribution.version, "metadata"
        listed.append(Package(module.name, version, source if version else "", distribution))
    return sorted(listed, key=lambda package: package.name)


def packages_by_files(
    imported: ImportedModules, listed: list[Package], sysroot: str | None = None
) -> list[Package]:
    """Return the packages, those without a distribution looked up in metadata files here.

    A distribution may be called unlike what is imported (PyYAML, yaml); its top_level.txt or
    RECORD tell. The files are of this machine, below the sysroot.
    """
    folders = {m.name: import_folder(m) for m in imported.modules if "." not in m.name}
    wanted_folders = {folders.get(p.name) for p in listed if p.distribution is None}
    assigned = {package.distribution for package in listed}
    rest = [distribution for distribution in imported.distributions if distribution not in assigned]
    by_module: dict[tuple[str, str | None], Distribution] = {}
    for distribution in rest[:MAX_DISTRIBUTIONS]:
        if distribution.folder in wanted_folders:
            for name in _top_level_names(distribution, sysroot):
                by_module.setdefault((name, distribution.folder), distribution)
    completed = []
    for package in listed:
        by_files = by_module.get((package.name, folders.get(package.name)))
        if package.distribution is None and by_files is not None:
            package = package._replace(distribution=by_files)
            if package.version is None:
                package = package._replace(version=by_files.version, source="metadata file here")
        completed.append(package)
    return completed


def _top_level_names(distribution: Distribution, sysroot: str | None) -> set[str]:
    base = f"{distribution.folder}/{distribution.name}-{distribution.version}.dist-info"
    for name in ("top_level.txt", "RECORD"):
        file = read_file_in_sysroot(f"{base}/{name}", sysroot, MAX_METADATA)
        if isinstance(file, Absent):
            continue
        lines = file.data.decode("utf-8", "replace").splitlines()
        if name == "RECORD":
            lines = [line.split(",")[0].split("/")[0].removesuffix(".py") for line in lines]
        return {line.strip() for line in lines if line.strip().isidentifier()}
    return set()
