"""The types: mypy on the package and its examples, and the stubs against the real module."""

import subprocess
import sys

from conftest import CRATE


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=CRATE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_is_content() -> None:
    run("mypy", "--strict")


def test_the_stubs_match_the_module() -> None:
    run("mypy.stubtest", "tabiya", "--mypy-config-file", "pyproject.toml")
