"""A file on its way from the browser, in parts."""

FILE_LIMIT = 32 * 2**20
NAME_LIMIT = 200


class Inbox:
    """Collects a file after the other; one over the limit is dropped: the browser has said why."""

    def __init__(self) -> None:
        self._content = bytearray()

    def take(self, part: bytes, *, is_last: bool) -> bytes | None:
        """The whole file, once its last part is here."""
        self._content += part
        too_large = len(self._content) > FILE_LIMIT
        if not is_last and not too_large:
            return None
        content, self._content = bytes(self._content), bytearray()
        return None if too_large else content
