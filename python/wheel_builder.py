"""Builds the wheel with the standard library alone, so that `pip install ./python` downloads nothing (PEP 517)."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    name, version, summary, python = (
        re.search(rf'^{field} = "(.+)"$', project, re.MULTILINE).group(1)
        for field in ("name", "version", "description", "requires-python")
    )
    info = f"{name}-{version}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: {summary}\nRequires-Python: {python}\n"
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    files = {
        f"{name}/{file.name}": file.read_bytes()
        for file in sorted((HERE / "src" / name).iterdir())
        if file.suffix == ".py" or file.name == "py.typed"
    }
    more = f"License: Apache-2.0\nClassifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n{readme}"
    files[f"{info}/METADATA"] = (head + more).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: pestle\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/LICENSE"] = (HERE / "LICENSE").read_bytes()
    rows = [f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            # The same sources make the same bytes.
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
