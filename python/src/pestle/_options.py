from __future__ import annotations

from typing import Any, Callable, Optional
from urllib.parse import urlsplit


def check_options(options: dict[str, Any]) -> None:
    """Raises one error that names every wrong option. Never shows a value: it may be a secret."""
    problems: list[str] = []
    if options["client_secret"] is None and options["client_assertion"] is None:
        problems.append("Give client_secret or client_assertion.")
    for name, value in options.items():
        wrong = _CHECKS[name](value)
        if wrong is not None:
            problems.append(f"{name} {wrong}.")
    if problems:
        raise ValueError("Pestle: " + " ".join(problems))


def _text(value: Any) -> Optional[str]:
    return None if isinstance(value, str) and value else "must be a text that is not empty"


def _optional_text(value: Any) -> Optional[str]:
    return None if value is None else _text(value)


def _any_text(value: Any) -> Optional[str]:
    return None if isinstance(value, str) else "must be a text"


def _seconds(value: Any) -> Optional[str]:
    return None if _number(value) and value > 0 else "must be a number of seconds above 0"


def _count(value: Any) -> Optional[str]:
    return None if value is None or (_number(value) and value >= 0) else "must be a number from 0"


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _function(value: Any) -> Optional[str]:
    return None if value is None or callable(value) else "must be a function"


def _address(value: Any) -> Optional[str]:
    """Both servers require https, or plain http on loopback."""
    if isinstance(value, str):
        try:
            parts = urlsplit(value)
            host = parts.hostname or ""
        except ValueError:
            return "must be an https address"
        local = host in ("localhost", "::1") or host.startswith("127.")
        if host and (parts.scheme == "https" or (parts.scheme == "http" and local)):
            return None
    return "must be an https address"


_CHECKS: dict[str, Callable[[Any], Optional[str]]] = {
    "client_id": _text,
    "client_secret": _optional_text,
    "client_assertion": _function,
    "base_url": _address,
    "auth_url": _address,
    "scope": _any_text,
    "deadline_s": _seconds,
    "attempt_timeout_s": _seconds,
    "retries": _count,
    "keep_answers": _count,
    "transport": _function,
}
