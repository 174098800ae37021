# SPDX-License-Identifier: Apache-2.0
"""Cores that lie elsewhere: s3://, gs://, https:// and what else fsspec opens (extra `objects`).

An address may hold secrets: a user and password, the signature of a query. They stay in `Remote`,
which is used to open the file; what is shown, stored and raised has the masked address.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from gdb_epi.errors import InputError
from gdb_epi.suggestions import install_command
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cli.support.unpack import DecompressedStream

MASK = "***"
MAX_OBJECTS = 1_000_000  # of one pattern or folder
AT_ONCE = 8  # requests while the cores are looked for
REQUEST = 4 << 20  # bytes asked for at once
STREAM = 0  # instead of it: one request for all; a server of the web may know no ranges
MAX_WORDS = 200  # characters of a library's own words
_GLOB = frozenset("*?[")
_WEB = ("http", "https")
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs",
             "az": "adlfs", "sftp": "paramiko", "ssh": "paramiko", "http": "aiohttp",
             "https": "aiohttp"}  # fmt: skip
# What tells when an object was written, by the names that fsspec's file systems give it.
_DATES = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")


class RemoteObject(NamedTuple):
    """An object: its address as it was given, its size in bytes, and when it was written.

    `size` and `modified` (s since 1970) are None where the store does not say them.
    """

    url: str
    size: int | None = None
    modified: float | None = None
    version: str = ""  # what changes with the content: an ETag, a checksum


def is_url(name: str) -> bool:
    """Tell whether a name is an address and no path: it begins with SCHEME://."""
    scheme, separator, _ = name.partition("://")
    return bool(separator and scheme) and _SCHEME.issuperset(scheme)


def strip_credentials(url: str) -> str:
    """Return an address without user, password, query and fragment."""
    scheme, _, rest = url.partition("://")
    rest, query = _split_query(scheme, rest)
    host, slash, path = rest.partition("/")
    user, at, host = host.rpartition("@")
    return f"{scheme}://{MASK + at if user else ''}{host}{slash}{path}{'?' + MASK if query else ''}"


def file_name_of_url(url: str) -> str:
    """Return the last part of an address's path."""
    scheme, _, rest = url.partition("://")
    return _split_query(scheme, rest)[0].rstrip("/").rpartition("/")[2]


def _is_web(url: str) -> bool:
    return url.partition("://")[0].lower() in _WEB


def _split_query(scheme: str, rest: str) -> tuple[str, str]:
    """Return what is after the scheme without the query, and the query.

    Outside of the web `?` is any letter of a pattern, unless what follows is NAME=VALUE.
    """
    path, _, query = rest.partition("?")
    if scheme.lower() in _WEB:
        path, hashed, fragment = path.partition("#")
        return path, query or (hashed and fragment)
    return (path, query) if "=" in query else (rest, "")


def list_remote_objects(url: str, size: int) -> Iterator[tuple[RemoteObject, bytes] | InputError]:
    """Yield the objects at an address, a pattern or below a folder, with their first bytes.

    `size` is how many bytes. What cannot be had is yielded as an error.
    """
    try:
        with _errors_in_one_line(url):
            system, path = _open_file_system(url)
            objects, is_itself = _list_objects(system, path, url)
    except InputError as error:
        yield error
        return

    def first_bytes_or_error(remote: RemoteObject) -> tuple[RemoteObject, bytes] | InputError:
        try:
            return remote, _first_bytes(system, remote.url, size)
        except InputError as error:
            return error

    if is_itself:
        yield first_bytes_or_error(objects[0])
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(first_bytes_or_error, objects)


def _list_objects(system: Any, path: str, url: str) -> tuple[list[RemoteObject], bool]:
    """Return the objects, and whether the address was that of one object itself."""
    scheme, _, rest = url.partition("://")
    rest, query = _split_query(scheme, rest)
    is_web = _is_web(url)
    if not is_web and _GLOB.intersection(rest):
        listed = system.glob(path, detail=True)
    elif not is_web and (rest.endswith("/") or system.isdir(path)):
        listed = system.find(path, detail=True)
    else:
        return [_remote_object(url, system.info(path))], True
    if len(listed) > MAX_OBJECTS:
        raise InputError(
            f"{strip_credentials(url)}: more than {MAX_OBJECTS} objects", hint="several runs"
        )
    files = {name: info for name, info in sorted(listed.items()) if info.get("type") != "directory"}
    if not files:
        raise InputError(f"{strip_credentials(url)}: nothing is there", hint="check the address")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    objects = []
    for name, info in files.items():
        full = system.unstrip_protocol(name)
        place = full.partition("://")[2]
        if user and not place.startswith(user + at):
            place = f"{user}{at}{place}"
        objects.append(_remote_object(f"{scheme}://{place}{'?' + query if query else ''}", info))
    return objects, False


def _remote_object(url: str, info: dict[str, Any]) -> RemoteObject:
    size = info.get("size")
    version = next((str(info[k]) for k in ("ETag", "etag", "md5Hash", "crc32c") if info.get(k)), "")
    return RemoteObject(
        url, size if isinstance(size, int) else None, _modification_time(info), version
    )


def _modification_time(info: dict[str, Any]) -> float | None:
    """Return when an object was written, in s since 1970."""
    for name in _DATES:
        value: Any = info.get(name)
        if isinstance(value, str):
            from datetime import datetime

            try:
                value = datetime.fromisoformat(value.replace("Z", "+00:00"))
            except ValueError:
                continue
        seconds = value.timestamp() if hasattr(value, "timestamp") else value
        if isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0:
            return float(seconds)
    return None


def _first_bytes(system: Any, url: str, size: int) -> bytes:
    with _errors_in_one_line(url):
        path = system._strip_protocol(url)
        if _is_web(url):
            with system.open(path, "rb", block_size=STREAM) as file:
                return bytes(file.read(size))
        return bytes(system.cat_file(path, start=0, end=size))


@contextmanager
def open_remote(remote: RemoteObject) -> Iterator[DecompressedStream]:
    """Open an object as a stream of its bytes. Raises InputError."""
    with _errors_in_one_line(remote.url):
        system, path = _open_file_system(remote.url)
        block = STREAM if _is_web(remote.url) else REQUEST
        file = system.open(path, "rb", block_size=block, cache_type="readahead")
    try:
        yield _RemoteObjectStream(file, remote)
    finally:
        with _errors_in_one_line(remote.url):
            file.close()


class _RemoteObjectStream:
    """Reads an object; whatever its library raises becomes an InputError."""

    def __init__(self, file: Any, remote: RemoteObject) -> None:
        self._file = file
        self._remote = remote
        self._count = 0

    @property
    def name(self) -> str:
        """The address, masked."""
        return strip_credentials(self._remote.url)

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes, b"" at the end. Raises InputError."""
        with _errors_in_one_line(self._remote.url):
            content = bytes(self._file.read(size))
        self._count += len(content)
        whole = self._remote.size
        if not content and size and whole is not None and self._count < whole:
            message = f"{self.name}: ended after {self._count} of {whole} bytes"
            raise InputError(message, hint="again")
        return content


def _open_file_system(url: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it. Raises InputError."""
    scheme = url.partition("://")[0]
    if "::" in url.partition("?")[0]:
        message = f"{strip_credentials(url)}: addresses in one another (::) are not read"
        raise InputError(message, hint="the address of the core alone")
    try:
        url_to_fs = import_module("fsspec.core").url_to_fs
    except ImportError:
        message = f"{strip_credentials(url)}: fsspec is not installed"
        raise InputError(message, hint=install_command("objects")) from None
    try:
        system, path = url_to_fs(url)
    except ImportError:
        package = _PACKAGES.get(scheme.lower(), "the package that fsspec names for it")
        message = f"{strip_credentials(url)}: fsspec needs one more package for {scheme}://"
        raise InputError(message, hint=f"pip install {package}") from None
    except ValueError:
        message = f"{strip_credentials(url)}: fsspec knows no {scheme}://"
        raise InputError(message, hint="s3://, gs://, abfs://, https://, or a path") from None
    return system, path


@contextmanager
def _errors_in_one_line(url: str) -> Iterator[None]:
    """Turn what a store's library raises into one line without secrets."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - boundary: a plugin of fsspec, with errors of its own
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        if isinstance(error, FileNotFoundError):
            cause = " ".join(str(error.__cause__ or "").split())
            why = f"no such object{': ' if cause else ''}{cause}"
        why = _without_secrets(why, url)[:MAX_WORDS]
        message = f"{strip_credentials(url)}: {why or type(error).__name__}"
        raise InputError(message, hint="check the address, and your rights there") from None


def _without_secrets(text: str, url: str) -> str:
    """Return a library's words without what strip_credentials() leaves out of an address."""
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    rest, query = _split_query(scheme, rest)
    user = rest.partition("/")[0].rpartition("@")[0]
    values = [part.partition("=")[2] for part in query.split("&")]
    secrets = [query, user, *user.split(":"), *values]
    for secret in sorted({s for s in (*secrets, *map(unquote, secrets)) if s}, key=len)[::-1]:
        text = text.replace(secret, MASK)
    words = text.split(" ")
    return " ".join(strip_credentials(word) if "://" in word else word for word in words)
