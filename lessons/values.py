"""Named values: what stands between the braces of a text, as an expression over results.

    {setup.budget}   {continuous.requests.C.ttft}   {continuous.overall.makespan:.1f}
    {static.overall.makespan - continuous.overall.makespan}
    {mean([one.ttft for one in continuous.requests.values()])}

A dot goes into a table as well as brackets do. There is arithmetic, comparison, `if … else`, and
the functions below; nothing else can be called (simpleeval, because lessons are data: a teacher's
file must not be able to do what a program can). `lessons.figures` says which names there are.
"""

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from string import Formatter
from typing import Any

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from lessons.faults import LessonError

Values = Mapping[str, Any]


def mean(numbers: Iterable[float]) -> float:
    """The arithmetic mean.

    >>> mean([1, 2])
    1.5
    """
    listed = list(numbers)
    return sum(listed) / len(listed)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "len": len,
    "max": max,
    "mean": mean,
    "min": min,
    "round": round,
    "sorted": sorted,
    "str": str,
    "sum": sum,
}


class _Evaluator(EvalWithCompoundTypes):  # type: ignore[misc]  # simpleeval is untyped
    """Looks at what could be called only: results are plain tables, with very many figures."""

    def _check_disallowed_items(self, item: Any) -> None:
        if callable(item):
            super()._check_disallowed_items(item)


def evaluate(expression: str, values: Values, place: str) -> Any:
    """What an expression comes to.

    Raises:
        LessonError: it names a value that is not there, or is no expression.

    >>> evaluate("a.b[0] + max(1, 2)", {"a": {"b": [3]}}, "here")
    5
    """
    try:
        evaluator = _Evaluator(names=values, functions=FUNCTIONS)
        return evaluator.eval(expression, previously_parsed=_parsed(expression))
    except (InvalidExpression, SyntaxError, LookupError, AttributeError, TypeError) as error:
        raise LessonError(f"{place}: {expression}: {error}") from None
    except (ValueError, ArithmeticError) as error:
        raise LessonError(f"{place}: {expression}: cannot be computed: {error}") from None


@cache
def _parsed(expression: str) -> Any:
    return EvalWithCompoundTypes.parse(expression.strip())


def names_in(expression: str) -> set[str]:
    """The names that an expression takes from the results."""
    tree = ast.parse(expression.strip(), mode="eval")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    return {node.id for node in nodes} - own - FUNCTIONS.keys()


def placeholders(template: str) -> list[str]:
    """The expressions between the braces of a text.

    Raises:
        ValueError: a brace is not closed.
    """
    return [name for _, name, _, _ in Formatter().parse(template) if name]


def filled(template: str, values: Values, place: str) -> str:
    """A text with its values.

    Raises:
        LessonError: it names a value that is not there, or its braces do not match.
    """
    try:
        parts = list(Formatter().parse(template.strip()))
    except ValueError as error:
        raise LessonError(f"{place}: {error}") from None
    text = []
    for plain, expression, form, _ in parts:
        text.append(plain)
        if expression is not None:
            value = evaluate(expression, values, place)
            if value is None:
                raise LessonError(f"{place}: {expression}: has no value in this run")
            text.append(written(value, form or ""))
    return "".join(text)


def written(value: Any, form: str = "") -> str:
    """A value as a reader sees it: at most two decimals, commas in large numbers, a minus sign.

    >>> written(358.97435), written(8.0), written(19366), written(2.5, ".2f"), written("A")
    ('358.97', '8', '19,366', '2.50', 'A')
    >>> written(-0.024, ".2f"), written(-0.001, ".2f"), written(-8.5)
    ('−0.02', '0.00', '−8.5')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return format(value, form)
    text = format(value, form) if form else _plain(value)
    is_zero = not text.strip("-0.")
    return text.replace("-", "" if is_zero else "−", 1) if text.startswith("-") else text


def _plain(value: float) -> str:
    number = round(value, 2)
    return f"{int(number):,}" if number == int(number) else f"{number:,.2f}".rstrip("0")
