"""The examples of `sim/README.md` do what they say."""

import doctest
from pathlib import Path

import sim

README = Path(sim.__file__).with_name("README.md")


def test_every_example_of_the_readme_is_right() -> None:
    found = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert found.attempted > 0
    assert found.failed == 0
