"""What every test may ask for.

Hypothesis draws the same examples in every run, so a red run can be repeated and a green one means
the same everywhere; `--hypothesis-profile=explore` draws new ones. No deadline: the machine may be
busy with other things.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SELF_CHECK_SEED = int(os.environ.get("REBATCH_SEED", "1"))

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")


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
