# SPDX-License-Identifier: Apache-2.0
"""Values that are not shown unless asked for: passwords, tokens, keys.

The rule (commands/README.md): a value is masked when its name says that it is a secret, and so
are in any text the password of a URL, a setting's value and what has the form of a key. A name says
so when one of its words is in WORDS or ends with one of ENDINGS, when two of them in a row are in
PAIRS, or when the last is in LAST_WORDS; words are separated by `_`, other punctuation, and
capitals. None, True, False, empty values, functions, classes and modules are shown under any name;
so are numbers, unless the last word is in NUMBER_WORDS: `max_tokens` is no secret.
"""

from __future__ import annotations

from collections.abc import Iterator

WORDS = frozenset(
    "password passwords passwd passwds pwd passphrase passphrases passcode secret secrets token "
    "tokens credential credentials creds apikey apikeys auth authorization jwt bearer cookie "
    "cookies otp sessionid privatekey accesskey secretkey".split()
)
LAST_WORDS = frozenset(("pass", "pw"))  # DB_PASS; pass_count is none
ENDINGS = ("password", "passwd", "passphrase", "secret", "token", "apikey", "credentials")
PAIRS = frozenset(
    (first, "key")
    for first in "api access private secret auth signing encryption master account shared".split()
) | {("session", "id")}
LOGS_IN = frozenset("login logon signin authenticate connect encrypt decrypt hmac".split())
NUMBER_WORDS = frozenset("password passwd pass pwd pw passphrase passcode pin otp secret".split())

# Built-in types (or those that a type derives from) that hold no secret, and empty values.
_OPEN = frozenset(
    "NoneType bool function type module builtin_function_or_method method ellipsis "
    "NotImplementedType property method_descriptor wrapper_descriptor".split()
)
_EMPTY = frozenset(("''", "b''", "[]", "{}", "()", "set()", "bytearray(b'')"))
_NUMBERS = frozenset(("int", "float", "complex"))
MASK = "***"
MASKED = "<masked "  # begins the text that stands for a whole value; its type follows
MAX_NAME = 200
# Settings in text: `password=...` of libpq, ODBC and query strings, `"password": "..."` of JSON.
_NAMED = r"[\w.-]*?(?:password|passwd|pwd|passphrase|(?:api|access|account)[_-]?key|secret|token)"
_SETTING = rf"(?i)((?:^|[\s?&;,({{\['\"]){_NAMED}=)(?!\*\*\*)([^\s&;'\"<>]+)"
_QUOTED = rf"(?i)((?:^|[\s?&;,({{\['\"]){_NAMED}=\\?['\"])(?!\*\*\*)([^'\"\\]+)"
_FIELD = rf"(?i)(\\?[\"']{_NAMED}\\?[\"']\s*:\s*\\?[\"'])(?!\*\*\*)([^\"'\\]+)"
_SETTING_MARKS = ("passw", "pwd", "passphrase", "key", "secret", "token")
# A command line, as one text or as the repr() of a list: `--password X`, curl's and others'
# `-u user:X`, mysql's and sshpass's `-pX`.
_BETWEEN = r"(?:['\"],\s*b?['\"]|\s+['\"]?)"
_OPTION = (
    rf"(?i)((?:^|[\s'\"])--?(?!-){_NAMED}(?:['\"],\s*b?['\"]|\s+['\"]))(?!\*\*\*|-)([^'\"]+)"
    rf"|(?i:((?:^|[\s'\"])--?(?!-){_NAMED}\s+))(?!\*\*\*|-)([^\s'\"]+)"
)
_USER = (
    rf"((?:^|[\s'\"])(?:-u|--user|--proxy-user){_BETWEEN}[^\s:'\"/]+:)(?!\*\*\*|\d+\b)([^\s'\"]+)"
)
_SHORT = (
    r"(\b(?:mysql(?:dump|admin)?|mariadb|sshpass)\b[^\n]{0,200}?[\s'\"]-p)(?!\*\*\*)([^\s'\"]+)"
)
_SHORT_MARKS = ("mysql", "mariadb", "sshpass")
# What has the form of a key, by whoever gives it out: HTTP's schemes, JSON web tokens (RFC 7519),
# PEM (RFC 7468), GitHub, GitLab, Slack, Amazon, OpenAI, Stripe, Vault, Google, npm, PyPI, Hugging
# Face, SendGrid, DigitalOcean and Docker. A cut text may lack the end.
_KEYS = (
    r"(\b(?:Bearer|Basic) +)(?=\S*[\d.=])[\w.~+/=-]{6,}"
    r"|()\beyJ[\w-]{6,}(?:\.[\w-]*){1,2}"
    r"|(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?:(?!-----END).)+"
    r"|()\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk-|[sr]k_live_|AKIA|ASIA)[\w-]{12,}"
    r"|()\b(?:AIza|dop_v1_|dckr_pat_|hv[sbr]\.|ya29\.)(?=[\w.-]*\d)[\w.-]{12,}"
    # Names of packages, functions and settings begin so too, but their words are shorter.
    r"|()\b(?:npm_|pypi-|hf_)(?=[A-Za-z]*\d)[A-Za-z0-9]{16}[\w-]*|()\bSG\.[\w-]{16,}\.[\w-]*"
)
_KEY_MARKS = (
    "Bearer ", "Basic ", "eyJ", "PRIVATE KEY-----", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "xox", "sk-", "k_live_", "AKIA", "ASIA",
    "AIza", "npm_", "pypi-", "hf_", "dop_v1_", "dckr_pat_", "hvs.", "hvb.", "hvr.", "ya29.", "SG.",
)  # fmt: skip
# A comment, or a text with its prefix and quotes, which may begin here and end in a later line.
_LITERAL = r"#.*|([A-Za-z]{0,2})(\"\"\"|'''|\"|')((?:\\.|(?!\2).)*)(?:\2|$)"
_NUMBER = r"((\b[^\W\d]\w*)\s*=\s*)\d[\w.]*"  # that a name is given
# scheme://user:password@host; a text that was cut may end inside the password.
_URL = r"([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'\"]*:)([^\s/'\"]+@|(?!\d+(?:['\"]|$))[^\s/@'\"]+$)"


def split_name_words(name: str) -> Iterator[str]:
    """Yield the words of a name in lower case: `apiKey`, `api-key` and `API_KEY` have two each."""
    word = ""
    for character in name[:MAX_NAME]:
        if not character.isalnum():
            if word:
                yield word.lower()
            word = ""
            continue
        if character.isupper() and word and not word[-1].isupper():
            yield word.lower()
            word = ""
        word += character
    if word:
        yield word.lower()


def is_secret_name(name: str) -> bool:
    """Tell whether a name says that its value is a secret."""
    before = ""
    for word in split_name_words(name):
        word = word.rstrip("0123456789")
        if word in WORDS or word.endswith(ENDINGS) or (before, word) in PAIRS:
            return True
        before = word
    return before in LAST_WORDS


def is_shown_despite_name(name: str, ident: str, text: str) -> bool:
    """Tell, by its built-in type and text, whether a value with a secret's name is shown."""
    if ident in _OPEN or text in _EMPTY:
        return True
    if ident not in _NUMBERS:
        return False
    last = ""
    for word in split_name_words(name):
        last = word.rstrip("0123456789") or last
    return last not in NUMBER_WORDS


def mask_literals(line: str) -> str:
    """Return a line of Python source without what may be a secret in its texts.

    Of a line that names a secret, or logs in somewhere, each text may be the password: then a key
    in brackets stays, and a text of one letter, or none. Elsewhere a statement of SQL, a command or
    a pattern is the answer, and only what looks like a key is masked. Comments are left out.
    """
    import re

    names = re.findall(r"[^\W\d]\w*", line)
    has_secret = any(
        is_secret_name(n) or not LOGS_IN.isdisjoint(split_name_words(n)) for n in names
    )

    def mask_literal(match: re.Match[str]) -> str:
        whole, before = match[0], line[: match.start()]
        is_key = re.search(r"[\w)\]]\[$", before) and line[match.end() :].startswith("]")
        inside = match[3]
        if inside is None:
            return ""
        mixed = any(map(str.isdigit, inside)) and any(map(str.isalpha, inside))
        opaque = mixed and re.fullmatch(r"[\w+/=.~-]{16,}", inside) is not None
        if is_key or len(inside) < 2 or not (has_secret or opaque):
            return whole
        return f"{match[1]}{match[2]}{MASK}{match[2] if whole.endswith(match[2]) else ''}"

    def masked_number(match: re.Match[str]) -> str:
        is_secret = is_secret_name(match[2]) and not is_shown_despite_name(match[2], "int", "")
        return f"{match[1]}{MASK}" if is_secret else match[0]

    end = ""
    for match in re.finditer(_LITERAL, line):
        opened = (match[3] or "").count("{") - (match[3] or "").count("}")
        if has_secret and "f" in (match[1] or "").lower() and opened > 0:
            # Since 3.12 the same quotes may stand within: where the text ends cannot be told.
            line, end = line[: match.start()], f"{match[1]}{match[2]}{MASK}"
            break
    shown = re.sub(_NUMBER, masked_number, re.sub(_LITERAL, mask_literal, line))
    return mask_passwords(f"{shown}{end}".rstrip())


def mask_passwords(text: str) -> str:
    """Return a text with `***` in place of passwords in URLs and settings, and of keys."""
    has_option = "-" in text and ("-u" in text or "--" in text or "-p" in text)
    lower = text.lower() if "=" in text or ":" in text or has_option else ""
    has_setting = any(mark in lower for mark in _SETTING_MARKS)
    has_key = any(mark in text for mark in _KEY_MARKS)
    if "://" not in text and not has_setting and not has_key and not has_option:
        return text
    import re

    if "://" in text:
        text = re.sub(_URL, lambda m: f"{m[1]}{MASK}{'@' if m[2].endswith('@') else ''}", text)
    if has_setting:
        for pattern in (_SETTING, _QUOTED, _FIELD):
            text = re.sub(pattern, rf"\1{MASK}", text)
    if has_option:
        if has_setting:
            text = re.sub(_OPTION, lambda m: (m[1] or m[3]) + MASK, text)
        text = re.sub(_USER, rf"\1{MASK}", text)
        if any(mark in lower for mark in _SHORT_MARKS):
            text = re.sub(_SHORT, rf"\1{MASK}", text)
    if has_key:
        text = re.sub(_KEYS, lambda m: (m[1] or m[3] or "") + MASK, text, flags=re.S)
    return text
