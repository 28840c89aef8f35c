from __future__ import annotations

from typing import Union
from urllib.parse import quote


def segment(name: str, value: Union[str, int]) -> str:
    """An id as a part of a path."""
    text = str(value)
    # A server resolves `.` and `..`, and an empty id changes the path: the request would go elsewhere.
    if not isinstance(value, (str, int)) or text in ("", ".", ".."):
        raise ValueError(f"{name} must be an id.")
    return quote(text, safe="")
