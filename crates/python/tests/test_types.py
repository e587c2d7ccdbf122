"""The types: mypy on the package and its examples, and the stubs against the real module."""

import subprocess
import sys

import tabiya
from conftest import CRATE


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=CRATE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict_is_content() -> None:
    run("mypy", "--strict")


def test_the_stubs_match_the_module() -> None:
    run("mypy.stubtest", "tabiya", "--mypy-config-file", "pyproject.toml")


def test_only_what_is_meant_for_users_is_shown() -> None:
    assert dir(tabiya) == sorted(tabiya.__all__)
    assert all(hasattr(tabiya, name) for name in tabiya.__all__)
