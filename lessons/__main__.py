"""`python -m lessons check` finds what is wrong with the lessons; `value` prints a named value.

python -m lessons check [SCENE …]
python -m lessons value 5a "continuous.requests.C.ttft"
"""

import argparse
import sys

from lessons.check import problems, report, scene_problems
from lessons.faults import LessonError
from lessons.figures import figures
from lessons.values import evaluate
from sim.files import FileError


def main(arguments: list[str]) -> int:
    """Do what is asked; the exit code is 1 if a lesson has faults, 2 if the question has."""
    parser = argparse.ArgumentParser(prog="python -m lessons", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="say what is wrong with the lessons")
    check.add_argument("scene", nargs="*", help="only these scenes")
    value = commands.add_parser("value", help="print a named value of a scene")
    value.add_argument("scene", help="a scene, such as 5a")
    value.add_argument("expression", help='such as "continuous.requests.C.ttft"')
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "value":
            found = evaluate(asked.expression, figures(asked.scene), asked.scene)
            sys.stdout.write(f"{found}\n")
            return 0
        faults = [one for name in asked.scene for one in scene_problems(name)]
        faults = faults if asked.scene else problems()
    except (LessonError, FileError, KeyError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{report(faults)}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
