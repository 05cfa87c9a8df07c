"""Fitting the cost of a round: what is known comes back, and the best fit is the best."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim import calibrate, profiles
from sim.calibrate import PARTS, Fit, fit, told
from sim.files import FileError
from sim.profiles import Profile, ProfileError, read_profile, read_profile_file
from sim.setup import Cost

Counts = tuple[int, int, int]
HEADER = "prefill,decode,kv,ms"
# Five rounds that can tell all four parts, at base 2, prefill 0.5, decode 1, history 0.001.
KNOWN = (
    "100,0,0,52",  # 2 + 50
    "0,3,300,5.3",  # 2 + 3 + 0.3
    "50,4,1000,32",  # 2 + 25 + 4 + 1
    "7,1,0,6.5",  # 2 + 3.5 + 1
    "7,9,125,14.625",  # 2 + 3.5 + 9 + 0.125
)


def read(*lines: str, header: str = HEADER) -> Profile:
    return read_profile("t.csv", "\n".join([header, *lines]).encode())


def measured(counts: list[Counts], times: list[int]) -> Profile:
    """A profile with times in ns."""
    lines = tuple(range(2, len(counts) + 2))
    return Profile("t.csv", lines, tuple(counts), tuple(1000 * ns for ns in times))


# What is known comes back


def test_the_known_cost_comes_back_without_residuals() -> None:
    found = fit(read(*KNOWN))
    assert found.cost == Cost(2_000_000, 500_000, 1_000_000, 1_000)
    assert found.parts == {"base": 2, "per_prefill": 0.5, "per_decode": 1, "per_kv_token": 0.001}
    assert found.residuals.tolist() == [0, 0, 0, 0, 0]
    assert (found.r2, found.mean_abs_error, found.worst) == (1, 0, 0)
    assert (found.rounding, found.ties) == (0, ())


counts_of_rounds = st.lists(
    st.tuples(st.integers(0, 2048), st.integers(0, 128), st.integers(0, 500_000)),
    min_size=4,
    max_size=12,
)
part = st.just(0) | st.integers(0, 5_000_000)


@given(counts_of_rounds, st.tuples(st.integers(1, 10_000_000), part, part, part))
def test_any_cost_comes_back_from_times_without_noise(
    counts: list[Counts], parts: tuple[int, int, int, int]
) -> None:
    cost = Cost(*parts)
    found = fit(measured(counts, [cost.duration(*row) for row in counts]))
    assert not found.residuals.any()
    assert found.r2 in (1, None)
    columns = np.array([(1, *row) for row in counts])
    has_full_rank = np.linalg.matrix_rank(columns / np.maximum(columns.max(axis=0), 1)) == 4
    assume(has_full_rank)
    assert found.cost == cost
    assert found.ties == ()


# The best fit is the best


def by_hand() -> Fit:
    """4, 3, 2 and 1 ms at 0, 1, 2 and 3 prefill tokens: prompts seem to take negative time."""
    return fit(read("0,0,0,4", "1,0,0,3", "2,0,0,2", "3,0,0,1"))


def test_a_part_that_would_be_negative_is_zero() -> None:
    """What is left is the mean, 2.5 ms."""
    found = by_hand()
    assert found.parts == {"base": 2.5, "per_prefill": 0, "per_decode": 0, "per_kv_token": 0}
    assert found.residuals.tolist() == [1.5, 0.5, -0.5, -1.5]
    assert (found.r2, found.mean_abs_error, found.worst) == (0, 1, 0)


def test_a_line_is_fitted_as_by_hand() -> None:
    """Times 3, 3, 4, 8 at P = 0, 0, 1, 2.

    n = 4, ΣP = 3, ΣP² = 5, Σt = 18, ΣPt = 20: slope = (4·20 − 3·18) / (4·5 − 9) = 26/11 and
    base = (18 − 3·26/11) / 4 = 30/11. Residuals 3/11, 3/11, −12/11, 6/11 have the squares
    9 + 9 + 144 + 36 = 198, over 121; those of the times around 4.5 are 2.25·2 + 0.25 + 12.25 = 17.
    """
    found = fit(read("0,0,0,3", "0,0,0,3", "1,0,0,4", "2,0,0,8"))
    assert found.parts["per_prefill"] == pytest.approx(26 / 11, rel=1e-15)
    assert found.parts["base"] == pytest.approx(30 / 11, rel=1e-15)
    assert (found.cost.base, found.cost.per_prefill) == (2_727_273, 2_363_636)
    assert found.residuals == pytest.approx([3 / 11, 3 / 11, -12 / 11, 6 / 11], rel=1e-14)
    assert found.r2 == pytest.approx(1 - 198 / 121 / 17, rel=1e-14)
    assert found.mean_abs_error == pytest.approx(24 / 44, rel=1e-14)
    assert found.worst == 2


profiles_with_noise = counts_of_rounds.flatmap(
    lambda counts: st.lists(
        st.integers(1, 200_000_000), min_size=len(counts), max_size=len(counts)
    ).map(lambda times: measured(counts, times))
)
small_profiles = st.lists(
    st.tuples(*[st.integers(0, 3)] * 3, st.integers(1, 5)), min_size=1, max_size=8
).map(lambda rows: measured([row[:3] for row in rows], [row[3] for row in rows]))


@given(profiles_with_noise | small_profiles)
def test_no_part_is_negative_and_none_can_be_moved_to_fit_better(profile: Profile) -> None:
    """The conditions of Karush, Kuhn and Tucker, which are enough in a convex problem.

    The gradient of the squares by a part, −2 · column · residuals, is 0 where the part is above 0,
    and not below 0 where it is 0.
    """
    found = fit(profile)
    parts = np.array([found.parts[name] for name in PARTS])
    columns = np.array([(1, *row) for row in profile.counts], dtype=float)
    times = np.array(profile.times) / 1e9
    assert found.residuals == pytest.approx(times - columns @ parts, abs=1e-9 * times.max())
    sizes = np.linalg.norm(columns, axis=0) * np.linalg.norm(times)
    gradient = -columns.T @ found.residuals / np.where(sizes, sizes, 1)
    assert (parts >= 0).all()
    assert gradient[parts > 0] == pytest.approx(0, abs=1e-12)
    assert (gradient[parts == 0] >= -1e-12).all()


@given(profiles_with_noise)
def test_r2_error_and_worst_row_follow_their_formulas(profile: Profile) -> None:
    found = fit(profile)
    times = np.array(profile.times) / 1e9
    assume(len(set(profile.times)) > 1)
    predicted = times - found.residuals
    # the share of the variance in another form: R² = 1 − (var(r) + mean(r)²) / var(t)
    unexplained = found.residuals.var() + found.residuals.mean() ** 2
    assert found.r2 == pytest.approx(1 - unexplained / times.var(), abs=1e-9)
    assert found.r2 is not None and -1e-12 <= found.r2 <= 1
    assert found.mean_abs_error == pytest.approx(np.abs(times - predicted).mean())
    assert abs(found.residuals[found.worst]) == np.abs(found.residuals).max()


def test_equal_times_have_no_variance_to_explain() -> None:
    found = fit(read("1,0,0,5", "2,1,10,5", "3,0,50,5", "4,4,0,5"))
    assert (found.r2, found.parts["base"]) == (None, 5)
    assert "R² –, mean absolute error 0 ms" in told(found)


# Whole nanoseconds


@pytest.mark.parametrize(
    ("ms", "ns"), [("2.0000005", 2_000_000), ("2.0000015", 2_000_002), ("2.0000014", 2_000_001)]
)
def test_parts_are_rounded_half_to_even_once(ms: str, ns: int) -> None:
    found = fit(read(*[f"0,0,0,{ms}"] * 4))
    assert found.cost.base == ns
    assert found.parts["base"] == float(ms)


def test_what_rounding_takes_away_is_told() -> None:
    """0.4 ns a KV token is 0 in whole ns: 100,000 of them take 0.04 ms."""
    rows = ("0,0,0,1", "0,0,100000,1.04", "1,0,0,2", "0,1,0,2")
    found = fit(read(*rows))
    assert (found.cost, found.parts["per_kv_token"]) == (Cost(10**6, 10**6, 10**6, 0), 4e-7)
    assert found.rounding == pytest.approx(0.04)
    assert found.residuals.tolist() == [0, 0, 0, 0]
    assert "in whole ns the cost predicts up to 0.04 ms another time" in told(found)
    assert "whole ns" not in told(fit(read(*KNOWN)))


# What the table cannot tell


@pytest.mark.parametrize(
    ("rows", "parts", "words"),
    [
        (
            ("1,1,0,3.5", "2,1,0,4", "4,2,0,6", "8,1,0,7"),
            (2, 0.5, 1, 0),
            "per_kv_token is open: kv = 0 in every row; measure rounds with another kv too",
        ),
        (
            ("1,4,0,6.5", "2,4,9,7.09", "4,4,5,8.05", "8,4,0,10"),
            (6, 0.5, 0, 0.01),
            "base and per_decode cannot be told apart: decode = 4 in every row; "
            "measure rounds with another decode too",
        ),
        (
            ("1,1,100,3.5", "2,1,100,4", "4,2,200,6", "8,3,300,9"),
            (2, 0.5, 1, 0),
            "per_decode and per_kv_token cannot be told apart: kv = 100·decode in every row; "
            "measure rounds with another kv too",
        ),
        (  # the other way round with P and D would need a prefill token to take negative time
            ("1,9,0,11.5", "2,8,5,11.05", "4,6,0,10", "9,1,7,7.57"),
            (7, 0, 0.5, 0.01),
            "base, per_prefill and per_decode cannot be told apart: decode = 10 − prefill in "
            "every row; measure rounds with another decode too",
        ),
        (
            ("1,0,5,3", "2,1,12,4", "4,4,30,6", "8,1,30,10"),
            (2, 1, 0, 0),
            "base, per_prefill, per_decode and per_kv_token cannot be told apart: kv = "
            "2 + 3·prefill + 4·decode in every row; measure rounds with another kv too",
        ),
        (
            ("1,9,0,1", "2,8,1,1", "4,3,7,1", "9,1,7,1"),
            (1, 0, 0, 0),
            None,
        ),
    ],
)
def test_parts_that_cannot_be_told_apart_are_named(
    rows: tuple[str, ...], parts: tuple[float, ...], words: str | None
) -> None:
    found = fit(read(*rows))
    assert tuple(found.parts.values()) == pytest.approx(parts, rel=1e-12, abs=1e-12)
    assert [str(tie) for tie in found.ties] == [words] * (words is not None)
    last = "of equally good fits this is one with fewest parts above 0"
    assert told(found).endswith(f"{words}\n{last}\n") == (words is not None)


def test_a_relation_may_begin_with_a_minus() -> None:
    found = calibrate.Tie("kv", {"prefill": Fraction(-1, 2), "decode": Fraction(3)})
    assert found.equation == "kv = −0.5·prefill + 3·decode"
    assert found.parts == ("per_prefill", "per_decode", "per_kv_token")


def test_one_round_measured_four_times_tells_nothing_but_its_time() -> None:
    found = fit(read(*["3,2,70,9"] * 4))
    assert [tie.equation for tie in found.ties] == ["prefill = 3", "decode = 2", "kv = 70"]
    assert found.parts == {"base": 9, "per_prefill": 0, "per_decode": 0, "per_kv_token": 0}


# Reading


@pytest.mark.parametrize(
    "header",
    [
        "P,D,K,ms",
        "prefill_tokens,Decode Tokens,KV-tokens,Duration",
        "num_prefill_tokens,decodes,history,time (ms)",
        "\ufeffp;d;k;round_ms",
        "prefill\tnum_decodes\tkv_read\tlatency_ms",
    ],
)
def test_columns_are_found_by_their_usual_names(header: str) -> None:
    mark = next((mark for mark in ";\t" if mark in header), ",")
    rows = [row.replace(",", mark) for row in KNOWN]
    assert read(*rows, header=header).counts == read(*KNOWN).counts


def test_order_further_columns_blank_lines_and_quotes_do_not_matter() -> None:
    rows = [
        "gpu,ms,kv,prefill,decode",
        "",
        "x,52,0,100,0",
        ' "y, z", 5.3 ,300.0,0,3',
        ",,,,",
        '"two\r\nlines",32,1e3,50,4',
        "x,+6.5,0,7,1",
    ]
    found = read_profile("t.csv", "\r\n".join(rows).encode())
    assert found.lines == (3, 4, 6, 8)
    assert found.counts == ((100, 0, 0), (0, 3, 300), (50, 4, 1000), (7, 1, 0))
    assert found.times == (52 * 10**9, 5_300_000_000, 32 * 10**9, 6_500_000_000)


def rows_with(bad: str) -> bytes:
    return "\n".join([HEADER, *KNOWN[:2], bad, *KNOWN[2:]]).encode()


BAD_FILES: list[tuple[bytes, str]] = [
    (b"", "t.csv: is empty; begin with a line prefill,decode,kv,ms, then a row a round"),
    (b" \n\n", "t.csv: is empty"),
    (HEADER.encode(), "t.csv: too few rows (0); the cost's four parts need at least 4"),
    ("\n".join([HEADER, *KNOWN[:3]]).encode(), "t.csv: too few rows (3); the cost's four parts"),
    (b"1,2,3,4\n", "t.csv:1: no column prefill among 1, 2, 3, 4; name it prefill or P or "),
    (b"\nP,D,ms\n", "t.csv:2: no column kv among P, D, ms; name it kv or K or kv_tokens or "),
    (b"P,D,K,s\n", "t.csv:1: no column ms among P, D, K, s; name it ms or duration or "),
    (b"P,D,K,ms,prefill\n", "t.csv:1: more than one column prefill: P, prefill; keep one"),
    (HEADER.encode() + b"\n1,2,\xff,4\n", "t.csv:2: is not UTF-8 text; save it as CSV in UTF-8"),
    (rows_with('1,2,3,"4'), "t.csv:4: has broken quoting; close every quote"),
    (rows_with("1,2,3"), "t.csv:4: has 3 values where the header has 4; give one a column"),
    (rows_with("1,2,3,4,5"), "t.csv:4: has 5 values where the header has 4"),
    (rows_with("1,2,3,-4"), "t.csv:4: column ms: '-4' must be above 0 and at most 10,000,000 ms"),
    (rows_with("1,2,3,0"), "t.csv:4: column ms: '0' must be above 0"),
    (rows_with("1,2,3,10000000.1"), "t.csv:4: column ms: '10000000.1' must be above 0"),
    (rows_with("1,2,3,1e999"), "t.csv:4: column ms: '1e999' must be above 0"),
    (rows_with("1,2,3,nan"), "t.csv:4: column ms: 'nan' is not a number; write it as 128 or 12.5"),
    (rows_with("1,2,3,inf"), "t.csv:4: column ms: 'inf' is not a number"),
    (rows_with("1,2,3,"), "t.csv:4: column ms: '' is not a number"),
    (rows_with('1,2,3,"4,5"'), "t.csv:4: column ms: '4,5' is not a number"),
    (rows_with("x,2,3,4"), "t.csv:4: column prefill: 'x' is not a number"),
    (rows_with("1,1_0,3,4"), "t.csv:4: column decode: '1_0' is not a number"),
    (rows_with("1.5,2,3,4"), "t.csv:4: column prefill: '1.5' must be a whole number from 0 to 1,0"),
    (rows_with("1,-2,3,4"), "t.csv:4: column decode: '-2' must be a whole number from 0"),
    (rows_with("1,2,1000000001,4"), "t.csv:4: column kv: '1000000001' must be a whole number"),
]


@pytest.mark.parametrize(("data", "words"), BAD_FILES, ids=[words for _, words in BAD_FILES])
def test_a_file_that_is_no_profile_is_told_in_one_line(data: bytes, words: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read_profile("t.csv", data)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, FileError)


def test_a_table_of_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "MAX_ROWS", 5)
    assert len(read(*KNOWN).lines) == 5
    with pytest.raises(ProfileError, match=r"^t.csv:7: is row 6; keep 5 at most$"):
        read(*KNOWN, KNOWN[0])


def test_a_file_too_large_to_be_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "big.csv"
    path.write_bytes(b"x" * (2 * 2**20 + 1))
    monkeypatch.setattr(profiles, "MAX_BYTES", 2 * 2**20)
    with pytest.raises(ProfileError, match=r"big.csv: is larger than 2 MiB; keep fewer rows$"):
        read_profile_file(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"none.csv: cannot be read \(No such file"):
        read_profile_file(tmp_path / "none.csv")


# Telling


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "profile.csv"
    path.write_text("\n".join([HEADER, *KNOWN]), encoding="utf-8")
    return path


def test_report_shows_parts_fit_and_residuals(path: Path) -> None:
    assert calibrate.report(path).splitlines() == [
        f"5 rounds of {path}",
        "part             ms  as fitted",
        "base              2          2  a round",
        "per_prefill     0.5        0.5  a prefill token",
        "per_decode        1          1  a decode",
        "per_kv_token  0.001      0.001  a KV token read",
        "",
        "R² 1, mean absolute error 0 ms",
        "",
        "largest residuals (measured − predicted, ms), 5 of 5",
        "line  prefill  decode     kv      ms  predicted  residual",
        "2         100       0      0      52         52         0",
        "3           0       3    300     5.3        5.3         0",
        "4          50       4  1,000      32         32         0",
        "5           7       1      0     6.5        6.5         0",
        "6           7       9    125  14.625     14.625         0",
        "",
        "for the command line: --set cost.base=2 --set cost.per_prefill=0.5 "
        "--set cost.per_decode=1 --set cost.per_kv_token=0.001",
    ]


def test_the_ten_largest_residuals_are_shown_largest_first() -> None:
    rows = [f"0,0,0,{10 + step}" for step in (0, 1, -1, 9, 2, -2, 3, -3, 4, -4, -9, 0)]
    lines = told(fit(read(*rows))).splitlines()
    assert "largest residuals (measured − predicted, ms), 10 of 12" in lines
    shown = [line.split() for line in lines[lines.index("") + 2 :] if line[:1].isdigit()]
    assert [row[0] for row in shown] == ["5", "12", "10", "11", "8", "9", "6", "7", "3", "4"]
    assert shown[0][4:] == ["19", "10", "9"]
    assert shown[1][4:] == ["1", "10", "-9"]


def test_a_residual_below_a_nanosecond_has_no_sign() -> None:
    assert [calibrate._ms(value) for value in (-1e-9, 1e-9, -0.25)] == ["0", "0", "-0.25"]


def test_as_json_has_the_same(path: Path) -> None:
    found: dict[str, Any] = json.loads(calibrate.report(path, as_json=True))
    parts = {"base": 2, "per_prefill": 0.5, "per_decode": 1, "per_kv_token": 0.001}
    assert found == {
        "rows": 5,
        "cost": parts,
        "fitted": parts,
        "r2": 1,
        "mean_abs_error": 0,
        "worst": {"line": 2, "prefill": 100, "decode": 0, "kv": 0, "ms": 52, "residual": 0},
        "rounding": 0,
        "ties": [],
        "residuals": [0, 0, 0, 0, 0],
    }


def test_ties_and_the_worst_row_in_json() -> None:
    found = calibrate.as_dict(fit(read("0,0,0,3", "0,0,0,3", "1,0,0,5", "1,0,0,2")))
    assert found["worst"] == {
        "line": 4,
        "prefill": 1,
        "decode": 0,
        "kv": 0,
        "ms": 5,
        "residual": 1.5,
    }
    assert [tie["relation"] for tie in found["ties"]] == ["decode = 0", "kv = 0"]
    assert found["ties"][0]["parts"] == ["per_decode"]
    assert found["ties"][0]["told"].startswith("per_decode is open: decode = 0 in every row; ")
