"""Which texts are secrets: one table of their shapes.

Three sorts of rules:

- *tokens* tell themselves by how they begin: `ghp_`, `AKIA`, `-----BEGIN … PRIVATE KEY-----`. Their shapes are
  those that the vendors document;
- *values* are told by what stands before them: `Authorization: Bearer …`, `DB_PASSWORD=…`, `://user:…@`;
- *members* of a JSON object are told by their name (`is_secret`).

A rule has *hints*: lower-case words of which one is in every text that the rule finds something in. Looking for
words is some hundred times as fast as looking for shapes, and most lines of a session hold none of them.

A text may come in pieces, as deltas do. What stands at the end of a piece and may be the beginning of a secret
is told by the rule's *open* pattern.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ENOUGH = 8
"""Characters of a secret that say too much of it; fewer of them are no secret yet."""


class Rule(NamedTuple):
    """One kind of secret.

    Attributes:
        kind: What the placeholder calls it.
        hints: See above; none: every text is looked at.
        pattern: Its shape; the secret is the group if there is one, else all of it. It is compiled when it is first
            needed: most never are, and all of them would take longer than everything else at the start.
        open: The shape of what may become one, up to the end of the text.
        word: It begins where a word begins: "task-force" holds no "sk-force".
        folded: The patterns are for the text in lower case.
        value: What stands there may be a word in the place of a secret; see `may_be_secret`.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    open: str = ""
    word: bool = True
    folded: bool = False
    value: bool = False


_ALNUM, _WORD, _HEX, _BASE64 = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]", "[A-Za-z0-9+/=_-]"


def _token(kind: str, hints: str, head: str, body: str, least: int) -> Rule:
    """Return the rule for tokens of a *head* and at least *least* characters of *body*."""
    return Rule(
        kind,
        tuple(hints.split()),
        f"{head}{body}{{{least},}}+",
        rf"{head}{body}{{{min(least, ENOUGH)},}}+\Z",
    )


_KEY_BLOCK = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"

TOKENS = (
    Rule(
        "private_key",
        ("private key",),
        rf"(?s:{_KEY_BLOCK}.*?(?:{_KEY_END}|\Z))",
        rf"(?s:{_KEY_BLOCK}(?:(?!{_KEY_END}).)*+\Z)",
        word=False,
    ),
    Rule(
        "jwt",
        ("eyj",),
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        r"eyJ[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]*){0,2}\Z",
    ),
    _token("anthropic_key", "sk-", "sk-ant-", _WORD, 20),
    _token("openai_key", "sk-", "sk-(?:proj|svcacct|admin)-", _WORD, 20),
    _token("openrouter_key", "sk-", "sk-or-", _WORD, 20),
    _token("api_key", "sk-", "sk-", _ALNUM, 32),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_", _ALNUM, 30),
    _token("github_token", "github_pat_", "github_pat_", "[A-Za-z0-9_]", 22),
    _token("gitlab_token", "glpat- gldt- glrt- gloas-", "gl(?:pat|dt|rt|oas)-", "[A-Za-z0-9_.-]", 20),
    _token("aws_key", "akia asia", "A(?:KIA|SIA)", "[A-Z0-9]", 16),
    _token("google_key", "aiza", "AIza", _WORD, 35),
    _token("google_token", "ya29. gocspx-", r"(?:ya29\.|GOCSPX-)", _WORD, 20),
    _token("slack_token", "xox xapp-", "(?:xox[abeoprs]|xapp)-", "[A-Za-z0-9.-]", 10),
    _token(
        "slack_webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/", "[A-Za-z0-9+/]", 20
    ),
    _token("discord_webhook", "api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d+/", _WORD, 40),
    _token("stripe_key", "_live_ _test_", "[sr]k_(?:live|test)_", _ALNUM, 10),
    _token("webhook_secret", "whsec_", "whsec_", _BASE64, 20),
    _token("npm_token", "npm_", "npm_", _ALNUM, 36),
    _token("pypi_token", "pypi-ag", "pypi-Ag", _WORD, 48),
    _token("rubygems_key", "rubygems_", "rubygems_", _HEX, 48),
    _token("huggingface_token", "hf_", "hf_", _ALNUM, 30),
    _token("replicate_token", "r8_", "r8_", _ALNUM, 30),
    _token("groq_key", "gsk_", "gsk_", _ALNUM, 40),
    _token("perplexity_key", "pplx-", "pplx-", _ALNUM, 40),
    _token("xai_key", "xai-", "xai-", _ALNUM, 40),
    _token("sendgrid_key", "sg.", r"SG\.", "[A-Za-z0-9_.-]", 40),
    _token("twilio_key", "sk", "SK", _HEX, 32),
    _token("mailgun_key", "key-", "key-", _HEX, 32),
    _token("telegram_token", ":aa", r"[0-9]{8,10}:AA", _WORD, 32),
    _token("azure_key", "accountkey=", "AccountKey=", _BASE64, 40),
    _token("digitalocean_token", "_v1_", "do[opr]_v1_", _HEX, 64),
    _token("shopify_token", "shp", "shp(?:at|ca|pa|ss)_", "[A-Fa-f0-9]", 32),
    _token("linear_key", "lin_", "lin_(?:api|oauth)_", _ALNUM, 32),
    _token("notion_token", "ntn_ secret", "(?:ntn|secret)_", _ALNUM, 40),
    _token("databricks_token", "dapi", "dapi", _HEX, 32),
    _token("vault_token", "hvs. hvb.", r"hv[sb]\.", _WORD, 20),
    _token("doppler_token", "dp.", r"dp\.(?:pt|st|sa|ct)\.", "[A-Za-z0-9.]", 40),
    _token("postman_key", "pmak-", "PMAK-", _WORD, 50),
    _token("docker_token", "dckr_pat_", "dckr_pat_", _WORD, 20),
    _token("figma_token", "figd_", "figd_", _WORD, 30),
    _token("supabase_token", "sbp_ secret", "(?:sbp_|sb_secret_)", _WORD, 20),
    _token("atlassian_token", "atatt3", "ATATT3", _BASE64, 50),
    _token("newrelic_key", "nrak-", "NRAK-", "[A-Z0-9]", 27),
    _token("grafana_token", "glsa_ glc_", "gl(?:sa|c)_", _BASE64, 30),
    _token("sentry_token", "sntry", "sntry[su]_", _BASE64, 30),
    _token("tailscale_key", "tskey-", "tskey-[a-z]+-", _WORD, 20),
    _token("pulumi_token", "pul-", "pul-", _HEX, 40),
    _token("age_key", "age-secret-key-1", "AGE-SECRET-KEY-1", "[0-9A-Z]", 50),
)
"""Secrets that tell themselves."""

_NAMES = (
    r"api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|passphrase|private[_-]?key|access[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|(?:access|auth|refresh|id|session|bearer|api|bot)[_-]?token"
    r"|credentials?|connection[_-]?string|authorization"
)
_SECRET_NAME = re.compile(rf".*?(?:{_NAMES})s?|pwd", re.IGNORECASE)
_TOKEN_NAME = re.compile(r".*?(?:token|auth|cookie|[_-]key|[a-z]Key)|key|pass|pin", re.IGNORECASE)
_PHRASE_NAME = re.compile(r".*?(?:passphrase|mnemonic|seed[_-]?phrase|authorization|cookie)", re.IGNORECASE)
_NO_SECRET = re.compile(
    r"(?i:string|str|text|true|false|null|none|undefined|required|optional|example|password|secret|token|bearer|basic"
    r"|changeme|redacted|hidden|unset|empty|missing|\.{3}|…|[*x•-]{3,}|your[_ -].*)"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|.*\.{3}"  # the name of a variable; an example cut short
    r"|[$%<{].*|.*\$\{.*|(?:process\.env|os\.environ|env|import\.meta)[.\[(:].*",
    re.DOTALL,
)
_LETTER_AND_DIGIT = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])", re.DOTALL)
_LEAST, _LEAST_OF_TOKEN = 4, 16


def _value(kind: str, hints: str, pattern: str, *, folded: bool = True, opened: str = "") -> Rule:
    """Return the rule for a value (the group "secret") behind something that tells it."""
    return Rule(kind, tuple(hints.split()), pattern, opened, word=False, folded=folded, value=True)


_ASSIGNED = r"""[^\s"'`\\;,)&|<>$({\[][^\s"'`\\;&|<>)]{7,}"""
_VARIABLES = "API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD|PASS|CREDENTIALS?|DSN"

VALUES = (
    _value(
        "url_password",
        "://",
        r"""://[^\s:/@"'<>\\]*:(?P<secret>[^\s@/"'<>\\]+)@""",
        opened=r"""://[^\s:/@"'<>\\]{1,64}:(?P<secret>[^\s@/"'<>\\]{8,})\Z""",
    ),
    _value(
        "authorization",
        "authorization",
        r"""authorization[\\"']*\s*[:=,]\s*[\\"']*(?:[a-z]+\s+)?(?P<secret>[a-z0-9._~+/=-]{8,})""",
    ),
    _value("bearer", "bearer", r"\bbearer\s+(?P<secret>[a-z0-9._~+/=-]{16,})"),
    _value("cookie", "cookie:", r"""\b(?:set-)?cookie:\s*(?P<secret>[^\r\n"'\\]{8,})"""),
    # Assignments as environments and shells have them: AWS_SECRET_ACCESS_KEY=…
    _value(
        "secret",
        "key token secret pass pwd credential dsn",
        rf"""(?<![A-Za-z0-9])(?:{_VARIABLES})(?:_[A-Z0-9]+)*[ \t]*=[ \t]*[\\"'`]*(?P<secret>{_ASSIGNED})""",
        folded=False,
    ),
    # The same in code, YAML and JSON within other text: apiKey: "…", client_secret="…"
    _value(
        "secret",
        "key token secret pass credential connection",
        rf"""(?:{_NAMES})s?[\\"'`]*\s*(?::|=>?|:=)\s*\\*["'`](?P<secret>[^\s"'`\\]{{4,}})\\*["'`]""",
    ),
    # password: … without quotes: only what has both letters and digits.
    _value(
        "secret",
        "key token secret pass",
        rf"""(?<![a-z0-9])(?:{_NAMES})\s*[:=]\s*(?P<secret>(?=\S*[0-9])(?=\S*[a-z])"""
        r"""[^\s"'`\\;,(){}\[\]<>$&|.]{8,})(?=[\s"'`\\;,]|\Z)""",
    ),
)
"""Secrets that are told by what stands before them."""

RULES = (*TOKENS, *VALUES)


def may_be_secret(value: str) -> bool:
    """Say whether *value* is more than a word that stands where a secret will be."""
    return not _NO_SECRET.fullmatch(value)


def is_secret(name: str, value: str) -> bool:
    """Say whether *value*, the member *name* of a JSON object, is a secret."""
    if name == "api_key":
        return bool(value) and may_be_secret(value)
    if not may_be_secret(value) or (" " in value.strip() and not _PHRASE_NAME.fullmatch(name)):
        return False
    if _SECRET_NAME.fullmatch(name) or _PHRASE_NAME.fullmatch(name):
        return len(value) >= _LEAST
    return len(value) >= _LEAST_OF_TOKEN and bool(_TOKEN_NAME.fullmatch(name) and _LETTER_AND_DIGIT.match(value))


_SECRET_VARIABLE = re.compile(rf"(?:.*_)?(?:{_VARIABLES})(?:_[A-Z0-9]+)?")


def secret_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the values of secret-looking variables of an environment, and what to call each."""
    return {
        value: name.lower()
        for name, value in sorted(environment.items())
        if _SECRET_VARIABLE.fullmatch(name) and len(value) >= ENOUGH and not value.startswith(("/", "~", "."))
        if may_be_secret(value)
    }


def custom(name: str, pattern: str) -> Rule:
    """Return a rule of the user's own.

    Raises:
        ValueError: It is no name for a placeholder, or no regular expression, or finds nothing in every text.
    """
    if not re.fullmatch(r"[a-z0-9_.-]+", name):
        raise ValueError(f"expected a name of a-z, 0-9, _, . and -, found {name!r}")
    try:
        compiled = re.compile(pattern)
    except re.error as problem:
        raise ValueError(f"expected a regular expression: {problem}") from None
    if compiled.search(""):
        raise ValueError("expected a regular expression that does not match an empty text")
    return Rule(name, (), pattern, word=False)


def path_rules(places: Iterable[tuple[str, str]]) -> list[Rule]:
    """Return rules for paths: *places* are pairs of a kind ("home", "project") and a path."""
    rules = []
    for kind, path in places:
        plain = path.rstrip("/\\")
        # As it is, and as the name of a folder that an agent keeps for a project: -home-alice-demo.
        for form in {plain, re.sub(r"[^A-Za-z0-9]", "-", plain)}:
            if len(form) >= _LEAST:
                pattern = re.escape(form) + r"(?![A-Za-z0-9_])"
                rules.append(Rule(kind, (form.lower(),), pattern, word=False))
    return rules
