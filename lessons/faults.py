"""What goes wrong with a lesson, in one class."""


class LessonError(ValueError):
    """A lesson that cannot be shown; the message names file and place and says what would do."""
