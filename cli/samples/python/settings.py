"""Reads .env, which `samples create` wrote. It has secrets: do not commit it."""

from pathlib import Path

_lines = Path(__file__).with_name(".env").read_text().splitlines()
settings = dict(line.split("=", 1) for line in _lines if line and not line.startswith("#"))
