"""The scenario files are those of the course's list of scenarios: none forgotten, none bent.

The list is no part of the project, so these tests are left out where it is missing. The figures it
gives are asserted in `tests/sim/test_worked_*.py`.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sim import Scenario
from sim.files import builtin, builtin_files, lanes
from sim.workload import synthetic

PARTS = ("cost", "slo", "speculation", "moe")
IN_WORDS = {"11b", "13b"}  # whose requests the list tells in words


@pytest.fixture(scope="module")
def blocks(shared: Path) -> dict[str, str]:
    """The text of every block by its name."""
    text = (shared / "scenarios.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ", text, flags=re.M)[1:]
    result = {part.split()[0]: part for part in parts if not part.startswith("Notes")}
    result["3-exercise"] = _written_out(result["3-exercise"])
    return result


def _written_out(block: str) -> str:
    """Exercise 3 has its two lanes once for each time at which C may come."""
    others, found = re.search(r"requests: (.*)C \(c, 3, 4\)", block), "mode static | **continuous**"
    assert others and found in block
    each = [
        f"**{mode} {c}**{setup} [requests: {others[1]}C ({c}, 3, 4)]"
        for c in (0, 1, 2, 5, 6, 9)
        for mode, setup in (("static", " mode static"), ("continuous", ""))
    ]
    return re.sub(r"- lanes: .*", "- lanes: " + " | ".join(each), block)


def line(block: str, name: str) -> str:
    """What a block says behind `- requests:`, `- base:` or `- lanes:`."""
    found = re.search(rf"^- {name}: (.*)$", block, re.M)
    return found[1] if found else ""


def lane_texts(block: str) -> dict[str, str]:
    """What a block says of each lane, by the names they have in files."""
    found = (re.match(r"\*\*(.+?)\*\* ?(.*)", part) for part in line(block, "lanes").split(" | "))
    return {re.sub(r"[^a-z0-9]+", "-", one[1].lower()): one[2] for one in found if one}


def rows(text: str) -> list[dict[str, Any]]:
    """`A (0, 4, 2; cached 4) · D1…D3 (5, +10, …, 25, 1, 40)` as requests of a file."""
    result = []
    for names, inside in re.findall(r"(\w+(?:…\w+)?) \((.*?)\)(?: · |\]|$)", text):
        numbers, _, more = inside.partition("; ")
        first, _, last = names.partition("…")
        start, *steps, prompt, output = numbers.split(", ")
        low = int(first[1:]) if last else 0
        for k in range(int(last[1:]) - low + 1 if last else 1):
            row = {"id": f"{first[0]}{low + k}" if last else first, **settings(more)}
            row["arrival"] = int(start) + k * int(steps[0] if steps else 0)
            result.append({**row, "prompt": int(prompt), "output": int(output)})
    return result


def settings(text: str) -> dict[str, Any]:
    """`budget 8, cost base 6, per_prefill 0.03` as a table of a file."""
    result: dict[str, Any] = {}
    table = result
    for item in re.findall(r"(?:[^,\[]|\[.*?\])+", text.partition("[requests:")[0]):
        name, value = item.split(maxsplit=1) if item.strip() else ("", "")
        if name in PARTS:
            table = result.setdefault(name, {})
            name, value = value.split(maxsplit=1)
        if name:
            plain = {"on": True, "off": False}
            is_number = re.match(r"[\d\[]", value)
            table[name] = json.loads(value) if is_number else plain.get(value, value.strip())
    return result


def test_every_block_of_the_list_has_a_file(blocks: dict[str, str]) -> None:
    assert set(blocks) <= set(builtin_files())
    assert len(blocks) == 37


def test_every_lane_of_the_list_is_a_lane(blocks: dict[str, str]) -> None:
    for name, block in blocks.items():
        listed = lane_texts(block)
        assert [lane for lane in lanes(name) if lane in listed] == list(listed)


def test_requests_and_setups_are_those_of_the_list(blocks: dict[str, str]) -> None:
    for name, block in blocks.items():
        for lane, text in (lane_texts(block) or {"": ""}).items():
            subject = builtin(f"{name}/{lane}" if lane else name)
            asked = rows(text) or rows("" if name in IN_WORDS else line(block, "requests"))
            expected = Scenario.from_dict(
                {
                    "setup": {**settings(line(block, "base")), **settings(text)},
                    "requests": asked or subject.to_dict()["requests"],
                }
            )
            same = (expected.setup, expected.requests)
            assert (name, lane, subject.setup, subject.requests) == (name, lane, *same)
            assert bool(asked) is (name not in IN_WORDS)


def test_11b_sixteen_come_each_second() -> None:
    requests = builtin("11b").requests
    assert [r.arrival for r in requests] == [i // 16 * 1_000_000_000 for i in range(160)]
    assert {(r.prompt, r.output) for r in requests} == {(2, 50)}


@pytest.mark.parametrize("lane", ["512", "4096", "60-ms"])
def test_13b_has_drawn_requests(lane: str) -> None:
    assert builtin(f"13b/{lane}").requests == synthetic(600, 14, seed=1, max_prompt=8192)
