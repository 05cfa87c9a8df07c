"""How deep a value of JSON or TOML is nested: what is too deep cannot even be written as text."""

from collections.abc import Iterable, Mapping

MOST_DEPTH = 20


def is_deep(value: object) -> bool:
    """Whether there are more lists and tables in one another than any file of ours has."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        level = [part for one in level for part in _parts(one)]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    """What a list or a table holds; nothing for anything else."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()
