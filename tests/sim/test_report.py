"""Reports: whole, escaped, self-contained, in both languages; pictures that show the numbers."""

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from sim.compare import METRICS, Comparison, compare
from sim.curves import Curve
from sim.report import html
from sim.report.cells import metric_name, percent, phrases, unit_name
from sim.report.svg import Axis, picture, value_axis
from sim.report.words import LANGUAGES, WORDS
from sim.setup import Setup
from tests.sim.make import by_hand, scenario

VOID = {"meta", "br", "path"}


class Page(HTMLParser):
    """Tags, attributes and text of a page, and whether every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def compared(**setup: Any) -> Comparison:
    pool = {"block_size": 2, "num_blocks": 9, **setup}
    return compare({"A": by_hand(**pool), "B": by_hand(**{**pool, "budget": 6})})


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_report_is_whole_and_asks_nobody(lang: str) -> None:
    told = html(compared(slo={"ttft": 8}), lang, "https://example.org/?a=1&b=2")
    page = Page(told)
    assert page.open == []
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "use", "image"}
    assert "url(" not in told and "@import" not in told
    addresses = [value for _, attrs in page.tags for key, value in attrs.items() if key == "href"]
    assert addresses == ["https://example.org/?a=1&b=2"]
    assert page.count("figure") == 5  # TTFT, ITL, E2E, queue, KV
    assert page.count("table") == 4  # setups, objectives, groups, metrics
    assert WORDS[lang]["title"] in page.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_not_there_is_left_out(lang: str) -> None:
    page = Page(html(compare({"A": scenario(("A", 0, 2, 1), budget=4)}), lang))
    assert (page.count("figure"), page.count("table")) == (3, 2)
    assert WORDS[lang]["again"] not in page.text
    nobody = compare({"A": by_hand(max_queue=0)})
    assert Page(html(nobody, lang)).count("figure") == 0
    plain = Page(html(compare({"A": by_hand()}), lang))
    assert WORDS[lang]["groups_plain_note"] in plain.text


def test_text_from_outside_is_escaped() -> None:
    evil = '<script>alert(1)</script>"&'
    table = by_hand().to_dict()
    table |= {"name": evil, "note": evil}
    table["requests"] = [{**row, "tenant": evil + row["id"]} for row in table["requests"]]
    subject = type(by_hand()).from_dict(table)
    for link in (f"/app?{evil}", f"javascript:{evil}", evil):
        told = html(compare({evil: subject}), "en", link)
        page = Page(told)
        assert "script" not in {tag for tag, _ in page.tags}
        assert "<script" not in told
        assert any(evil in text for text in page.text)
        assert not any(str(attrs.get("href")).startswith("java") for _, attrs in page.tags)


def test_a_command_is_shown_and_no_link() -> None:
    page = Page(html(compared(), "en", "python -m sim compare 5a"))
    assert "python -m sim compare 5a" in page.text and page.count("a") == 0


def test_the_figures_of_the_table_are_those_of_the_comparison() -> None:
    told = " ".join(Page(html(compared())).text)
    assert "makespan (ms) 19.5 17.5 ★" in re.sub(r"\s+", " ", told)


def test_what_all_setups_share_is_said_once() -> None:
    told = Page(html(compared())).text
    assert sum("decodes first" in text for text in told) == 1
    assert {"4 tokens a round", "6 tokens a round"} <= set(told)
    alone = Page(html(compare({"A": by_hand()}))).text
    assert not any(text.startswith("All of them") for text in alone)
    static_too = compare({"A": by_hand(), "B": by_hand(mode="static", service="running_first")})
    told = Page(html(static_too)).text
    assert any(text.startswith("All of them: 4 tokens a round, a round takes") for text in told)
    same = Page(html(compare({"A": by_hand(), "B": by_hand()}))).text
    assert same.count("–") >= 2


# Words.


def test_both_languages_say_the_same_things_with_the_same_values() -> None:
    english = WORDS["en"]
    for other in WORDS.values():
        assert english.keys() == other.keys()
        for key, text in english.items():
            values = re.findall(r"\{(\w+)", text)
            assert sorted(values) == sorted(re.findall(r"\{(\w+)", other[key])), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_metric_has_a_name_of_its_own(lang: str) -> None:
    names = [metric_name(metric, lang) for metric in METRICS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_units_follow_the_unit_of_time(lang: str) -> None:
    in_ticks = compare({"A": by_hand(time="tick")})
    for metric in METRICS:
        told = unit_name(metric, in_ticks, lang)
        assert bool(told) == (metric.unit in ("time", "rate"))
        assert "ms" not in told and not told.endswith("/s")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_phrases_are_of_settings_that_there_are(lang: str) -> None:
    named = {key.split(".")[1] for key in WORDS[lang] if key.startswith("phrase.")}
    assert named <= set(Setup.__dataclass_fields__)


def test_a_setup_is_told_in_words_and_what_has_none_by_its_name() -> None:
    subject = by_hand(chunked=False, budget=9, watermark=1, num_blocks=40, buckets=[1, 2])
    (outcome,) = compare({"A": subject}).outcomes
    assert phrases(outcome, "en") == [
        "continuous batching",
        "9 tokens a round",
        "prompts whole",
        "decodes first",
        "a pool of 40 KV blocks",
        "watermark = 1",
        "buckets = [1, 2]",
        "a round takes 2 ms + 0.5 ms a prompt token + 1 ms a decode + 0 ms a KV token read",
    ]
    (ticks,) = compare({"A": by_hand(time="tick", slo={"ttft": 3})}).outcomes
    assert phrases(ticks, "zh") == ["连续批处理", "每轮 4 个 token", "解码优先"]


@pytest.mark.parametrize(
    ("share", "told"), [(1, "100%"), (0.9999, "99.9%"), (0.29, "29%"), (0, "0%")]
)
def test_a_share_is_never_rounded_up_to_all(share: float, told: str) -> None:
    assert percent(share) == told


# Pictures.


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (Axis(0, 19.5), [0, 5, 10, 15]),
        (Axis(0, 3), [0, 1, 2, 3]),
        (Axis(3, 5000, is_log=True), [10, 100, 1000]),
        (Axis(1e-3, 1e9, is_log=True), [1e-3, 1, 1e3, 1e6, 1e9]),
    ],
)
def test_ticks_are_round_and_few(axis: Axis, ticks: list[float]) -> None:
    assert axis.ticks == pytest.approx(ticks)


def test_an_axis_maps_its_range_to_all_of_the_picture() -> None:
    assert [Axis(2, 6).share(value) for value in (1, 2, 4, 6, 7)] == [0, 0, 0.5, 1, 1]
    assert Axis(1, 100, is_log=True).share(10) == pytest.approx(0.5)


def test_values_that_span_much_get_a_logarithmic_axis() -> None:
    def curve(*x: float) -> Curve:
        return Curve(np.array(x), np.ones(len(x)))

    assert value_axis([curve(1, 5), curve(101)]) == Axis(1, 101, is_log=True)
    assert value_axis([curve(1, 5), curve(100)]) == Axis(0, 100)
    assert value_axis([curve(0, 5000)]) == Axis(0, 5000)
    assert value_axis([curve(0)]) == Axis(0, 1)


def test_a_picture_draws_steps_between_its_axes() -> None:
    curve = Curve(np.array([0.0, 1, 2]), np.array([0.0, 1, 0.5]))
    told = picture("a < b", [(2, curve)], Axis(0, 2), Axis(0, 1), "ms")
    assert 'class="line s2" d="M44.0 170.0H195.0V10.0H346.0V90.0"' in told
    assert "a &lt; b" in told


def test_large_numbers_at_an_axis_are_short() -> None:
    curve = Curve(np.array([0.0]), np.array([0.0]))
    told = Page(picture("", [(0, curve)], Axis(0, 5e6), Axis(0, 50_000), ""))
    assert {"1M", "5M", "10k", "50k", "0"} <= set(told.text)
