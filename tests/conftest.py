"""What every test may ask for.

Hypothesis draws the same examples in every run, so a red run can be repeated and a green one means
the same everywhere; `--hypothesis-profile=explore` draws new ones. No deadline: the machine may be
busy with other things.
"""

import gc
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SIM_TESTS = ROOT / "tests" / "sim"
SELF_CHECK_SEED = int(os.environ.get("REBATCH_SEED", "1"))

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests are found, and all of them stay: no garbage is looked for among them.

    Nor is it later, which took nearly half of the time of tests that make many objects.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure the coverage of `sim` where it is promised: by the written examples of its tests.

    To be measured makes a run four times slower, and the page and the laws run thousands. The trace
    functions are taken away because a worker of pytest-xdist has two measurements under way: when
    one is stopped, the other goes on. What was worked out meanwhile is forgotten, lest an example
    find it done.
    """
    is_example = not item.get_closest_marker("hypothesis")
    if Coverage.current() is None or (is_example and item.path.is_relative_to(SIM_TESTS)):
        return (yield)
    own, of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        forget()
        sys.settrace(own)
        threading.settrace(of_threads)


def forget() -> None:
    """Empty all caches of functions in `sim`."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] == "sim"]
    for module in modules:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def pytest_report_header() -> str:
    """The seed of what is not drawn alike in every run."""
    return f"self-check seed: {SELF_CHECK_SEED} (REBATCH_SEED sets another)"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference data beside the repository (recorded schedules, public traces).

    It is no part of the project and may not be copied into it, so the tests that use it are left
    out where it is missing. Nothing else in the project knows about this folder.
    """
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"no reference data: {folder} is not there")
    return folder
