"""Every metric of the page has a definition, complete and in every language."""

import pytest

from app.definitions import PARTS, definitions
from app.i18n import LANGUAGES
from app.lane_figures import OVERALL
from app.lane_tables import PER_REQUEST


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_metric_is_defined(lang: str) -> None:
    found = definitions()
    for key in (*PER_REQUEST, *(name for name, *_ in OVERALL)):
        told = found[lang][found["same"].get(key, key)]
        assert set(told) == PARTS
        assert all(told[part] for part in PARTS - {"tools"})
        assert all(tool and text for tool, text in told["tools"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_definition_is_for_nothing(lang: str) -> None:
    found = definitions()
    shown = {*PER_REQUEST, *(name for name, *_ in OVERALL)}
    assert set(found[lang]) == {found["same"].get(key, key) for key in shown}


def test_tools_are_told_of_alike() -> None:
    found = definitions()
    for key, told in found["en"].items():
        assert len(told["tools"]) == len(found["zh"][key]["tools"]), key
