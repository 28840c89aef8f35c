from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).parent.parent
sys.path.insert(0, str(HERE))

import pestle  # noqa: E402
import wheel_builder  # noqa: E402


class Package(unittest.TestCase):
    def test_the_wheel_has_the_package_and_runs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            wheel = Path(folder) / wheel_builder.build_wheel(folder)
            names = zipfile.ZipFile(wheel).namelist()
            sources = {f"pestle/{file.name}" for file in (HERE / "src/pestle").glob("*.py")}
            self.assertLessEqual({*sources, "pestle/py.typed", f"pestle-{pestle.__version__}.dist-info/METADATA"}, set(names))
            said = subprocess.run(
                [sys.executable, "-c", "import pestle; print(pestle.__file__)"],
                env={**os.environ, "PYTHONPATH": str(wheel)},
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=60,
            )
            self.assertIn("py3-none-any.whl", said.stdout, said.stderr)

    def test_the_version_is_the_same_everywhere(self) -> None:
        project = (HERE / "pyproject.toml").read_text()
        self.assertEqual(re.findall(r'^version = "(.+)"$', project, re.MULTILINE), [pestle.__version__])
        node = json.loads((HERE.parent / "sdk/package.json").read_text())
        self.assertEqual(node["version"], pestle.__version__)

    def test_nothing_but_the_standard_library_is_imported(self) -> None:
        standard = getattr(sys, "stdlib_module_names", None)
        if standard is None:
            self.assertLess(sys.version_info, (3, 10))
            return
        for file in (HERE / "src/pestle").glob("*.py"):
            for name in re.findall(r"^(?:from|import) ([a-z_0-9]+)", file.read_text(encoding="utf-8"), re.MULTILINE):
                self.assertIn(name, standard, file.name)
