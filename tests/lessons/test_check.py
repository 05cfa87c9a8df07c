"""What is wrong with a lesson is said clearly: which file, which step, and what would do."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lessons import catalogue, check, figures
from lessons.__main__ import main
from lessons.catalogue import Scene
from sim import files

Write = Callable[..., Path]
STEPS = '[[steps.5a]]\n\n[[steps.5a]]\nround = 3\nhighlight = ["C"]\n'
TEXT = "# Title\n\nA hook.\n\n## One\n\nFirst.\n\n## Two\n\n{here.P} tokens for **C**.\n"


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """A lesson of one scene, 5a, in a folder of its own: `lesson(en=…, zh=…, steps=…)`."""
    folder = tmp_path / "05_mine"
    folder.mkdir()
    shutil.copy(files.LESSONS / "05_by_hand" / "5a.toml", folder)
    monkeypatch.setattr(catalogue, "scenes", lambda: {"5a": Scene("5a", 5, folder)})
    monkeypatch.setattr(check, "scenes", lambda: {"5a": Scene("5a", 5, folder)})
    caches = (catalogue.heading, catalogue.text, catalogue.steps, figures.figures)

    def write(en: str | None = TEXT, zh: str | None = TEXT, steps: str = STEPS) -> Path:
        for lang, text in (("en", en), ("zh", zh)):
            if text is not None:
                (folder / f"5a.{lang}.md").write_text(text, encoding="utf-8")
        (folder / "lesson.toml").write_text(steps, encoding="utf-8")
        for cached in caches:
            cached.cache_clear()
        return folder

    yield write
    for cached in caches:
        cached.cache_clear()


def test_the_course_has_no_faults() -> None:
    assert check.problems() == []


def test_a_good_scene_has_no_faults(lesson: Write) -> None:
    lesson()
    assert check.scene_problems("5a") == []


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("[[steps.5a]]\nronud = 3\n", "step 1: ronud is no field; did you mean round?"),
        ('[[steps.5a]]\nround = "C frist"\n', "step 1: round must be a number, start, end, or"),
        ("[[steps.5a]]\nround = -1\n", "step 1: round must be a number"),
        ("[[steps.5a]]\nround = true\n", "step 1: round must be a number"),
        ('[[steps.5a]]\ntime = "soon"\n', "step 1: time must be a number, not 'soon'"),
        ("[[steps.5a]]\nround = 1\ntime = 4\n", "step 1: has both round and time; keep one"),
        ("[[steps.5a]]\nlane = 3\n", "step 1: lane must be a name, and alone true or false"),
        ('[[steps.5a]]\nhighlight = "C"\n', "step 1: highlight must be a list of texts"),
        ('[[steps.5a]]\ncontrols = ["bugdet"]\n', "bugdet is no control; did you mean budget?"),
        ("[[steps.5a]]\nround = 9\n", "step 1: round 9 is none of the 5 rounds of continuous"),
        ('[[steps.5a]]\nlane = "sttic"\n', "step 1: sttic is no lane; did you mean static?"),
        ('[[steps.5a]]\nround = "Z first"\n', "step 1: Z is no request of the scenario"),
        ('[[steps.5a]]\nround = "C preempt"\n', "step 1: C has no event preempt in this run"),
        ('[[steps.5a]]\nround = "C cancel"\n', "step 1: C has no event cancel in this run"),
        ('[[steps.5a]]\nhighlight = ["Z"]\n', "highlight: Z is no request of the scenario"),
    ],
)
def test_a_step_that_cannot_be_shown_is_told(lesson: Write, steps: str, said: str) -> None:
    lesson(steps=steps)
    assert len(faults := check.scene_problems("5a")) == 1
    assert "lesson.toml: steps.5a" in faults[0] and said in faults[0]


@pytest.mark.parametrize(
    ("en", "said"),
    [
        ("Title\n\nA hook.\n", "5a.en.md: must begin with '# Title', an empty line and a hook"),
        ("# Title\n\n## One\n\nText.\n", "must begin with '# Title', an empty line and a hook"),
        (
            "# Title\n\nA hook.\n\n## One\n\nText.\n",
            "has 1 steps ('## Title'), but steps.5a in lesson.toml has 2; each step needs one",
        ),
        (TEXT.replace("{here.P}", "{here.Q}"), "step 'Two': here.Q: "),
        (TEXT.replace("A hook", "{nobody}"), "5a.en.md: nobody: "),
        (TEXT.replace("First", "{here.P}"), "step 'One': here.P: "),
    ],
)
def test_a_text_that_cannot_be_filled_is_told(lesson: Write, en: str, said: str) -> None:
    lesson(en=en)
    assert len(faults := check.scene_problems("5a")) == 1
    assert said in faults[0]


def test_a_missing_language_is_told(lesson: Write) -> None:
    lesson(zh=None)
    (fault,) = check.scene_problems("5a")
    assert fault.endswith("5a.zh.md: is missing; a scene has a text in each language")


def test_languages_that_name_different_things_are_told(lesson: Write) -> None:
    lesson(zh=TEXT.replace("{here.P}", "{here.D}").replace("**C**", "**B**"))
    values, requests = check.scene_problems("5a")
    assert values.endswith("not every language names these values: here.D, here.P")
    assert requests.endswith("not every language names these requests: B, C")


def test_the_command_prints_faults_and_tells_by_its_exit_code(
    lesson: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson()
    assert main(["check", "5a"]) == 0
    lesson(zh="# Title\n\n")
    assert main(["check", "5a"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 scenes, 1 faults"


def test_the_command_prints_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["value", "5a", "continuous.requests.C.ttft"]) == 0
    assert main(["value", "5a", "nobody.ttft"]) == 2
    out, err = capsys.readouterr()
    assert (out, "nobody" in err) == ("10.5\n", True)
