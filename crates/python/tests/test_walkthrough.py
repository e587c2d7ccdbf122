"""docs/PYTHON.md is one program: it runs, and it prints what the page says."""

import contextlib
import io
import os
import pathlib
import re
from typing import Any

import pytest

from conftest import PROJECT

PAGE = PROJECT / "docs" / "PYTHON.md"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


def test_the_page_prints_what_it_says(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    names: dict[str, Any] = {"__name__": "walkthrough"}
    found = said = 0

    def run(block: re.Match[str]) -> str:
        nonlocal found, said
        found += 1
        code, expected = block.groups()
        output = io.StringIO()
        line = text[: block.start()].count("\n") + 1
        with contextlib.redirect_stdout(output):
            # Blank lines in front make tracebacks name the lines of the page.
            exec(compile("\n" * line + code, str(PAGE), "exec"), names)
        if expected is None:
            assert output.getvalue() == "", f"line {line}: output without a text block"
            return block.group()
        said += 1
        return f"```python\n{code}```\n\n```text\n{output.getvalue()}```"

    fresh = BLOCK.sub(run, text)
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(fresh)
    assert fresh == PAGE.read_text()
    assert (tmp_path / "evaluation.png").stat().st_size > 1000
    assert found > 10 and said > 9
