"""What a round says: a sentence for everyone and every reason, in both languages."""

import re
from fractions import Fraction
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings

from app.i18n import LANGUAGES, words
from app.sentences import Teller, number
from lessons.catalogue import scenes
from sim import Reason, Scenario, run
from sim.files import builtin
from sim.hand import by_hand as play
from tests.sim.make import by_hand, plain_servers, scenario, scenarios

TWO, THREE = (("A", 0, 4, 2), ("B", 0, 4, 2)), ("C", 0, 1, 2)
POOL = {"block_size": 4, "num_blocks": 2}
SLOW = {"credits": 1, "read_every": 50}
QUEUE = {"block_size": 4, "num_blocks": 3, "on_full": "queue"}
LONG = ("A", 0, 5, 1)
LATER = (("A", 0, 4, 2), ("B", 1, 4, 2))


def line(subject: Scenario, index: int, id_: str, lang: str = "en") -> str:
    """One request's sentence in a round."""
    card = Teller(lang, subject).card(run(subject)[index])
    return str(next(row["text"] for row in card["lines"] if row["req"] == id_))


SAID: list[tuple[str, Scenario, int, str, str]] = [
    ("by hand, whole budget", by_hand(), 0, "A", "gets 4 of its 6 prompt tokens: the budget is 4."),
    (
        "by hand, last chunk",
        by_hand(),
        1,
        "A",
        "computes the last 2 tokens of its prompt, and its first output comes with them.",
    ),
    (
        "by hand, whole prompt",
        by_hand(),
        1,
        "B",
        "computes its whole prompt, 2 tokens, and its first output comes with it.",
    ),
    ("by hand, decode", by_hand(), 2, "A", "decodes one token, its 2nd of 3."),
    ("by hand, last", by_hand(), 2, "B", "decodes its 2nd and last token, and leaves."),
    (
        "by hand, cut",
        by_hand(),
        2,
        "C",
        "gets 2 of its 3 prompt tokens: A and B had taken 2 of the 4.",
    ),
    (
        "by hand, one left",
        by_hand(),
        3,
        "C",
        "computes the last token of its prompt, and its first output comes with it.",
    ),
    (
        "arrives inside",
        by_hand(),
        0,
        "B",
        "arrives at 2 ms, inside this round. It can join at 4 ms.",
    ),
    (
        "arrives at a closed batch",
        by_hand(mode="static"),
        0,
        "B",
        "arrives at 2 ms, and finds the batch closed.",
    ),
    (
        "chunk limit",
        by_hand(max_chunk=2),
        0,
        "A",
        "gets 2 of its 6 prompt tokens, the most one request may take a round.",
    ),
    (
        "limit on all prompts",
        by_hand(max_prefill=2),
        0,
        "A",
        "gets 2 of its 6 prompt tokens: with these the round holds all the prompt tokens it may.",
    ),
    (
        "time target",
        by_hand(round_target=3.5),
        0,
        "A",
        "gets 3 of its 6 prompt tokens: more would take the round past its target time.",
    ),
    (
        "prompts first",
        scenario(*LATER, budget=8, service="prefill_first"),
        1,
        "A",
        "gets nothing: prompts go first, and this round is for B.",
    ),
    (
        "decode limit",
        scenario(*TWO, budget=8, max_decodes=1),
        1,
        "B",
        "gets nothing: this round may hold no more decodes, and they take turns.",
    ),
    (
        "budget spent",
        scenario(*TWO, budget=4),
        0,
        "B",
        "gets nothing: all 4 tokens of this round go to A.",
    ),
    (
        "behind head",
        scenario(*TWO, THREE, budget=4),
        0,
        "C",
        "waits behind B, which cannot go yet.",
    ),
    (
        "one seat",
        scenario(*TWO, budget=8, max_num_seqs=1),
        0,
        "B",
        "waits: the only seat is taken.",
    ),
    (
        "two seats",
        scenario(*TWO, THREE, budget=9, max_num_seqs=2),
        0,
        "C",
        "waits: all 2 seats are taken.",
    ),
    (
        "whole prompt",
        scenario(*TWO, budget=6, chunked=False),
        0,
        "B",
        "waits: its prompt of 4 must fit whole, and 2 of the 6 tokens are left.",
    ),
    (
        "batch closed",
        scenario(*TWO, budget=4, mode="static", batch_size=1),
        0,
        "B",
        "waits outside: this batch is closed until A is done.",
    ),
    (
        "batch turn",
        scenario(*TWO, budget=4, mode="static"),
        0,
        "B",
        "waits for the other prompts of its batch.",
    ),
    (
        "idle",
        builtin("1a").with_setup(mode="static"),
        2,
        "A",
        "is done, but holds its seat until C",
    ),
    (
        "held",
        builtin("1a").with_setup(mode="static"),
        1,
        "A",
        "decodes its 2nd and last token; its seat stays taken.",
    ),
    (
        "padding",
        scenario(("A", 0, 3, 1), ("B", 0, 1, 1), budget=2, mode="static"),
        2,
        "B",
        "has no prompt left here: 2 positions of its row are padding.",
    ),
    (
        "first of a decode",
        builtin("1a"),
        0,
        "A",
        "decodes its first token of 2.",
    ),
    (
        "only token by decode",
        scenario(("A", 0, 4, 1, {"cached": 4}), budget=4),
        0,
        "A",
        "decodes its only token, and leaves.",
    ),
    (
        "only token with the prompt",
        scenario(("A", 0, 1, 1), budget=4),
        0,
        "A",
        "computes its prompt of one token, and its first output comes with it. "
        "It was its only one: it leaves.",
    ),
    (
        "next round",
        builtin("3a"),
        0,
        "A",
        "computes the last 4 of its prompt tokens; its first output comes next round.",
    ),
]


def patient(**more: Any) -> tuple[Any, ...]:
    """A request that takes four rounds, beside whom others come and go."""
    return ("A", 0, 4, 4, more)


FULL = {"budget": 8, "block_size": 4, "num_blocks": 2}
DRAFTS = {"budget": 8, "speculation": {"drafts": 3, "accepted": [2, 0, 1]}}
ODD: list[tuple[str, Scenario, int, str, str]] = [
    (
        "cancelled",
        scenario(("A", 0, 4, 9, {"cancel_at": 7}), ("B", 0, 4, 9), budget=8),
        2,
        "A",
        "is cancelled: its client left at 7 ms. Its place is free from this round on.",
    ),
    (
        "cancelled in a batch",
        scenario(("A", 0, 4, 9, {"cancel_at": 7}), ("B", 0, 4, 9), budget=8, mode="static"),
        2,
        "A",
        "is cancelled: its client left at 7 ms. Its seat stays taken until the batch ends.",
    ),
    (
        "gone from a batch",
        scenario(("A", 0, 4, 9, {"cancel_at": 7}), ("B", 0, 4, 9), budget=8, mode="static"),
        3,
        "A",
        "has left, but its seat stays taken until B is done.",
    ),
    (
        "padding of one who left",
        scenario(("A", 0, 4, 2), ("B", 0, 1, 2, {"cancel_at": 1}), budget=3, mode="static"),
        2,
        "B",
        "has left; 2 positions of its row are padding all the same.",
    ),
    (
        "a token nobody gets",
        scenario(("A", 0, 4, 9, {"cancel_at": 6}), budget=8),
        1,
        "A",
        "decodes one token, its 2nd of 9. Its client had left at 6 ms, so nobody gets it.",
    ),
    (
        "a last token nobody gets",
        scenario(("A", 0, 4, 2, {"cancel_at": 6}), budget=8),
        1,
        "A",
        "decodes its 2nd and last token. Its client had left at 6 ms, so nobody gets it.",
    ),
    (
        "timed out",
        scenario(patient(), ("B", 0, 4, 1), budget=8, max_num_seqs=1, queue_timeout=6),
        2,
        "B",
        "leaves: it has waited 6 ms, the most a request may.",
    ),
    (
        "queue full",
        scenario(patient(), ("B", 1, 4, 1), ("C", 2, 4, 1), budget=4, max_num_seqs=1, max_queue=1),
        1,
        "C",
        "is turned away: the queue holds 1 at most, and it was full.",
    ),
    (
        "pool full",
        scenario(patient(), ("B", 0, 4, 4), **FULL, on_full="reject"),
        1,
        "A",
        "is turned away: it needed blocks of the pool, and too few were free.",
    ),
    (
        "queue or pool",
        scenario(patient(), ("B", 0, 4, 4), **FULL, on_full="reject", max_queue=9),
        1,
        "A",
        "is turned away: the queue or the pool was full.",
    ),
    (
        "evicted",
        scenario(patient(), ("B", 0, 4, 4), **FULL),
        1,
        "B",
        "gives its blocks back: more were needed than were free. It will be computed again.",
    ),
    (
        "swapped out",
        scenario(patient(), ("B", 0, 4, 4), **FULL, on_full="swap"),
        1,
        "B",
        "moves its blocks out: more were needed than were free. Nothing of it is computed again.",
    ),
    (
        "back",
        scenario(patient(), ("B", 0, 4, 4), **FULL),
        4,
        "B",
        "is back and computes the last 5 tokens whose KV it had lost, and its 2nd output of 4",
    ),
    (
        "swapped in",
        scenario(patient(), ("B", 0, 4, 4), **FULL, on_full="swap"),
        4,
        "B",
        "moves its blocks back in and decodes one token, its 2nd of 4.",
    ),
    (
        "no block for one who runs",
        scenario(patient(), ("B", 0, 4, 4), budget=8, **QUEUE),
        1,
        "B",
        "gets nothing: it needs more blocks than are free. It keeps what it has.",
    ),
    ("some drafts", scenario(("A", 0, 1, 12), **DRAFTS), 1, "A", "tries 3 drafts, 2 are right: 3 "),
    ("no draft", scenario(("A", 0, 1, 12), **DRAFTS), 2, "A", "tries 3 drafts, none is right: one"),
    ("one of them", scenario(("A", 0, 1, 12), **DRAFTS), 3, "A", "tries 3 drafts, one is right: 2"),
    (
        "one draft",
        scenario(("A", 0, 1, 4), **DRAFTS | {"budget": 2}),
        1,
        "A",
        "tries one draft, and it is right: 2 tokens, 3 of 4 are out.",
    ),
    (
        "drafts to the end",
        scenario(("A", 0, 1, 4), **DRAFTS),
        1,
        "A",
        "tries 2 drafts, 2 are right: 3 tokens, 4 of 4 are out. It is done.",
    ),
    (
        "paused",
        scenario(("A", 0, 4, 4, SLOW), ("B", 0, 4, 4), budget=8),
        2,
        "A",
        "pauses: its reader has as many unread tokens as it may. It keeps its seat and blocks.",
    ),
]


@pytest.mark.parametrize(
    ("subject", "index", "id_", "said"),
    [case[1:] for case in (*SAID, *ODD)],
    ids=[case[0] for case in (*SAID, *ODD)],
)
def test_a_line_says_what_happened_and_the_number_that_caused_it(
    subject: Scenario, index: int, id_: str, said: str
) -> None:
    assert line(subject, index, id_).startswith(said)
    assert re.search(r"[\u4e00-\u9fff]", line(subject, index, id_, "zh"))


REASONS: dict[Reason, tuple[Scenario, int, str]] = {
    Reason.BUDGET_SPENT: (scenario(*TWO, budget=4), 0, "B"),
    Reason.NO_SEAT: (scenario(*TWO, budget=8, max_num_seqs=1), 0, "B"),
    Reason.NO_BLOCKS: (scenario(LONG, TWO[1], budget=9, **POOL), 0, "B"),
    Reason.PREEMPTED: (scenario(*TWO, budget=8, **POOL), 1, "B"),
    Reason.WHOLE_PROMPT: (scenario(*TWO, budget=6, chunked=False), 0, "B"),
    Reason.BEHIND_HEAD: (scenario(*TWO, THREE, budget=4), 0, "C"),
    Reason.DECODE_LIMIT: (scenario(*TWO, budget=8, max_decodes=1), 1, "B"),
    Reason.PREFILL_LIMIT: (scenario(*TWO, budget=8, max_prefill=4), 0, "B"),
    Reason.TIME_TARGET: (scenario(*TWO, budget=8, round_target=4), 0, "B"),
    Reason.PROMPTS_FIRST: (scenario(*LATER, budget=8, service="prefill_first"), 1, "A"),
    Reason.TENANT_QUOTA: (scenario(*TWO, budget=8, order="tenant", tenant_quota=1), 0, "B"),
    Reason.CHUNK_LIMIT: (by_hand(max_chunk=2), 0, "A"),
    Reason.AFTER_EVICTION: (scenario(*TWO, THREE, budget=8, **POOL), 1, "C"),
    Reason.PAUSED: (scenario(("A", 0, 4, 4, SLOW), ("B", 0, 4, 4), budget=8), 2, "A"),
    Reason.BLOCKS_AWAITED: (scenario(*TWO, THREE, budget=8, **QUEUE), 1, "C"),
    Reason.BATCH_CLOSED: (scenario(*TWO, budget=4, mode="static", batch_size=1), 0, "B"),
    Reason.BATCH_TURN: (scenario(*TWO, budget=4, mode="static"), 0, "B"),
    Reason.BY_HAND: (scenario(*TWO, budget=8), 0, "B"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence_and_a_chip(reason: Reason, lang: str) -> None:
    subject, index, id_ = REASONS[reason]
    is_played = reason is Reason.BY_HAND
    record = (play(subject, [{"A": 4}]).history if is_played else run(subject))[index]
    assert reason in (record.why.get(id_), record.cut.get(id_))
    row = next(row for row in Teller(lang, subject).card(record)["lines"] if row["req"] == id_)
    assert row["text"] and "{" not in row["text"]
    assert row["chips"] == [[words(lang)[f"reason.{reason}"], "plain"]]


@settings(max_examples=100)
@given(scenarios() | plain_servers())
def test_every_round_can_be_told_in_both_languages(subject: Scenario) -> None:
    history = run(subject)
    for lang in LANGUAGES:
        teller = Teller(lang, subject, history.arrivals.tolist())
        for record in history:
            card = teller.card(record)
            texts = [card["sum"], card["ms"], card["more"], *(row["text"] for row in card["lines"])]
            assert all("{" not in text for text in texts)
            assert all(row["text"] for row in card["lines"])
            if lang == "zh":
                for row in card["lines"]:
                    assert not english_in(row["text"]), row["text"]
            if len(card["lines"]) < 8:
                here = {*record.running, *record.idle, *record.waiting, *record.departed}
                assert here <= {row["req"] for row in card["lines"]}
            assert_sum_is_the_time(card, record.end - record.start, subject)


def assert_sum_is_the_time(card: dict[str, Any], duration: int, subject: Scenario) -> None:
    """The terms of the card's sum make the time of the round."""
    if subject.setup.time == "tick":
        return
    parts = re.split("so |所以 ", card["sum"])[1].removesuffix(" = ").split(" + ")
    factors = [[Fraction(x.replace(",", "")) for x in part.split(" × ")] for part in parts]
    assert sum(prod(terms) for terms in factors) == Fraction(duration, 10**6)


def english_in(text: str) -> bool:
    """Whether a Chinese sentence has an English word in it, names and terms left out."""
    bare = re.sub(r"\b([A-Z]\d*|token|tokens|ms|s|KV)\b", "", text)
    return bool(re.search(r"[A-Za-z]{2,}", bare))


MOST_CARDS = 300  # of a run: long ones say the same over and over


@pytest.mark.parametrize("name", list(scenes()))
def test_no_english_slips_into_a_chinese_card(name: str) -> None:
    subject = builtin(name)
    for mode in ("static", "continuous"):
        history = run(subject.with_setup(mode=mode))
        teller = Teller("zh", history.scenario)
        for place in range(0, len(history), -(-len(history) // MOST_CARDS) or 1):
            for row in teller.card(history[place])["lines"]:
                assert not english_in(row["text"]), row["text"]


def test_the_sum_of_a_round_leads_to_its_time() -> None:
    teller = Teller("en", by_hand())
    card = teller.card(run(by_hand())[2])
    assert (card["sum"], card["ms"]) == ("4 of 4 tokens, so 2 + 0.5 × 2 + 2 = ", "5 ms")
    dear = by_hand(cost={"per_kv_token": 0.001})
    assert Teller("en", dear).card(run(dear)[2])["sum"].endswith("2 + 0.5 × 2 + 2 + 0.001 × 8 = ")
    ticks = builtin("3a")
    assert Teller("en", ticks).card(run(ticks)[0])["sum"] == "6 of 8 tokens in "
    assert Teller("en", ticks).card(run(ticks)[0])["ms"] == "1 tick"


def test_the_sum_does_not_count_padding_and_idle_seats_as_tokens() -> None:
    subject = builtin("3a").with_setup(mode="static")
    sums = [Teller("en", subject).card(record)["sum"] for record in run(subject)]
    assert sums[0] == "6 of 8 tokens and 2 for nobody in "
    assert sums[2:4] == ["2 of 8 tokens in ", "1 of 8 tokens and 1 for nobody in "]


@pytest.mark.parametrize(
    ("setup", "index", "total"),
    [
        (
            {"speculation": {"drafts": 2, "accepted": [1]}},
            1,
            "3 of 8 tokens, so 2 + 1 + 0.5 × 2 = ",
        ),
        ({"buckets": [4], "price_padding": True}, 1, "1 of 8 tokens, so 2 + 4 = "),
        (
            {"moe": {"weights": [1, 3]}, "cost": {"per_expert_token": 0.25}},
            0,
            "4 of 8 tokens, so 2 + 0.5 × 4 + 0.25 × 3 = ",
        ),
    ],
)
def test_the_sum_names_what_extras_cost(setup: dict[str, Any], index: int, total: str) -> None:
    subject = scenario(("A", 0, 4, 9), budget=8, **setup)
    assert Teller("en", subject).card(run(subject)[index])["sum"] == total


def test_the_sum_names_the_blocks_that_were_moved() -> None:
    pool = {"block_size": 4, "num_blocks": 2, "on_full": "swap", "cost": {"per_swap_block": 3}}
    subject = scenario(*TWO, budget=8, **pool)
    assert Teller("en", subject).card(run(subject)[1])["sum"].endswith("so 2 + 1 + 3 × 1 = ")


def test_a_card_says_what_a_graph_adds() -> None:
    for buckets, said in (
        ([4], "2 decodes are added to fill the graph for 4."),
        ([3], "One decode is added to fill the graph for 3."),
        ([2], ""),
        ([1], "2 decodes are more than the largest graph takes, 1: it runs without one."),
    ):
        subject = scenario(*TWO, budget=8, buckets=buckets)
        assert Teller("en", subject).card(run(subject)[1])["more"] == said


def test_a_crowd_is_counted_and_no_one_is_lost() -> None:
    rows = [(f"R{i}", 0, 2, 3) for i in range(40)]
    subject = scenario(*rows, budget=64, max_num_seqs=20)
    card = Teller("en", subject).card(run(subject)[1])
    assert len(card["lines"]) == 8
    told = sum(int(n) for n in re.findall(r"\d+", card["more"]))
    assert told == 40 - 8


def test_a_crowd_of_a_static_batch_is_counted_too() -> None:
    """Members whose row is only padding, or whose turn has not come, are members all the same."""
    rows = [("A", 0, 12, 2), *((f"R{i}", 0, 1, 2) for i in range(11))]
    subject = scenario(*rows, budget=36, mode="static", batch_size=12)
    for record in run(subject):
        card = Teller("en", subject).card(record)
        told = sum(int(n) for n in re.findall(r"\d+", card["more"]))
        assert told == 12 - len(card["lines"]), f"round {record.number}: {card['more']!r}"


@pytest.mark.parametrize(
    ("ids", "en", "zh"),
    [
        ([], "", ""),
        (["A"], "A", "A"),
        (["A", "B"], "A and B", "A"),
        (["A", "B", "C"], "A, B and C", "A、B"),
        (list("ABCDEFG"), "A, B and 5 others", "A、B"),
    ],
)
def test_names_are_listed_or_counted(ids: list[str], en: str, zh: str) -> None:
    assert Teller("en", by_hand()).names(ids) == en
    assert Teller("zh", by_hand()).names(ids).startswith(zh)
    if len(ids) > 3:
        assert "7" in Teller("zh", by_hand()).names(ids)


@pytest.mark.parametrize(
    ("n", "en"),
    [
        *((1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th")),
        *((13, "13th"), (21, "21st"), (102, "102nd"), (111, "111th"), (1003, "1003rd")),
    ],
)
def test_ordinals(n: int, en: str) -> None:
    assert Teller("en", by_hand()).ordinal(n) == en
    assert Teller("zh", by_hand()).ordinal(n) == str(n)


@pytest.mark.parametrize(
    ("value", "text"),
    [(19.5, "19.5"), (3, "3"), (1234.5, "1,234.5"), (0.000001, "0.000001"), (100, "100"), (0, "0")],
)
def test_figures_have_no_idle_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_times_have_their_unit() -> None:
    ms, tick = Teller("en", by_hand()), Teller("en", builtin("3a"))
    assert (ms.time(13_500_000), ms.duration(500_000)) == ("13.5 ms", "0.5 ms")
    assert (tick.time(3), tick.duration(3), tick.duration(1)) == ("tick 3", "3 ticks", "1 tick")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1230, 0, "1,230"), (1230.5, 0, "1,230"), (12.5, 2, "12.5"), (10, 3, "10"), (0, 0, "0")],
)
def test_a_figure_loses_only_decimals_that_say_nothing(value, digits, text):
    assert number(value, digits) == text
