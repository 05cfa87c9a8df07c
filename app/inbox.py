"""A file on its way from the browser, in parts."""

FILE_LIMIT = 32 * 2**20
NAME_LIMIT = 200


class Inbox:
    """Collects a file after the other; one over the limit is dropped: the browser has said why.

    It never holds more than the limit and one message of the browser.
    """

    def __init__(self) -> None:
        self._content = bytearray()

    def take(self, part: bytes, *, is_last: bool) -> bytes | None:
        """The whole file, once its last part is here."""
        if len(self._content) <= FILE_LIMIT:
            self._content += part
        if not is_last:
            return None
        content, self._content = bytes(self._content), bytearray()
        return content if len(content) <= FILE_LIMIT else None
