"""Errors a user can act on."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can mend: a bad setting, a missing file, a broken row.

    The message is one line that names the file (and row), what is wrong and the
    remedy. The command line prints it without a traceback and exits with code 2.
    """


class MissingExtra(UserError):
    """An optional dependency is not installed.

    Args:
        what: the feature asked for, e.g. ``"tagger backend hanlp"``.
        extra: the extra that brings it, e.g. ``"hanlp"``.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'toolkit[{extra}]'")
        self.extra = extra


class InvalidSetting(UserError):
    """A setting has a wrong name or value."""
