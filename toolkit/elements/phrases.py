"""Time and place phrases of one block of tagged words (specification, sections 2 and 3).

Four passes: phrases opened by a preposition, time words, phrases closed by a
localiser, bare place names. Each pass leaves alone what an earlier one has taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.elements.grammar import Grammar, grammar
from toolkit.model import Word


@dataclass(frozen=True)
class Chunk:
    """A phrase as word indices [start, end) of a block; ``bare``: a place name alone."""

    start: int
    end: int
    kinds: frozenset[str]
    bare: bool = False


TIME, PLACE = frozenset(["time"]), frozenset(["place"])
BOTH = TIME | PLACE


def find_phrases(words: Sequence[Word]) -> list[Chunk]:
    """The phrases of one block, in order, not overlapping."""
    return _Finder(words, grammar()).find()


class _Finder:
    def __init__(self, words: Sequence[Word], tables: Grammar) -> None:
        self.words = words
        self.g = tables
        self.n = len(words)
        self.taken = [False] * self.n
        self.chunks: list[Chunk] = []

    def find(self) -> list[Chunk]:
        i = 0
        while i < self.n:
            chunk = self._opened(i) or self._time_phrase(i)
            if chunk:
                self._take(chunk)
                i = chunk.end
            else:
                i += 1
        for k in range(self.n):
            if not self.taken[k] and self.is_localiser(k):
                self._close(k)
        self._bare_places()
        return sorted(self.chunks, key=lambda c: c.start)

    def _take(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        for k in range(chunk.start, chunk.end):
            self.taken[k] = True

    # ------------------------------------------------------------- word classes
    def is_localiser(self, k: int) -> bool:
        word, g = self.words[k], self.g
        if word.text in g.ignored:
            return False
        if k and self.words[k - 1].tag == "v" and not self._may_follow_verb(word.text):
            return False
        listed = word.text in g.time or word.text in g.place or word.text in g.either
        return word.tag == "f" or (listed and word.tag in g.localiser_tags)

    def _may_follow_verb(self, text: str) -> bool:
        return text in self.g.time or text in self.g.either or text in self.g.after_verb

    def is_time(self, k: int) -> bool:
        word, g = self.words[k], self.g
        if word.text in g.not_time or (g.duration.match(word.text) and not _is_point(word.text)):
            return False
        if len(word.text) == 1 and word.text not in g.time_characters:
            return False
        return word.tag == "t" or word.text in g.time_words

    def is_place_name(self, k: int) -> bool:
        word = self.words[k]
        if word.tag not in ("ns", "s") or word.text in self.g.not_place:
            return False
        return not self.is_localiser(k)

    def is_run(self, k: int) -> bool:
        word, g = self.words[k], self.g
        if word.tag in g.run_tags or word.tag in g.phrase_tags:
            return True
        return word.text in g.attributive or self.is_coordination(k)

    def is_coordination(self, k: int) -> bool:
        """和 between two words that can stand in a noun run."""
        if self.words[k].text not in self.g.coordination or not 0 < k < self.n - 1:
            return False
        return all(self.words[x].tag in self.g.run_tags for x in (k - 1, k + 1))

    def is_length(self, start: int, end: int) -> bool:
        """The words end in a length of time: 三天, 工期 两个 月, 20 分钟."""
        words, g = self.words, self.g
        if end <= start or words[end - 1].tag == "t":
            return False
        first = end - 1
        while first > start and words[first - 1].tag in ("m", "q"):
            first -= 1
        text = "".join(w.text for w in words[first:end])
        return bool(g.duration.match(text)) and not _is_point(text)

    def localiser_kinds(self, k: int, start: int) -> frozenset[str]:
        """Kinds that the localiser at k gives to the words from ``start`` before it."""
        word, before, g = self.words[k], self.words[k - 1], self.g
        if self.is_length(start, k):
            return TIME
        if word.text in g.time:
            return TIME
        if word.text in g.either:
            return TIME if before.tag in ("v", "vn", "t") or self.is_time(k - 1) else BOTH
        return PLACE

    # ---------------------------------------------------------- opened by 在, 从 ...
    def _opened(self, i: int) -> Chunk | None:
        opener, g = self.words[i], self.g
        if opener.tag not in g.openers.get(opener.text, ()):
            return None
        j = i + 1
        while j < self.n and self.is_time(j):
            j += 1
        timed = j > i + 1
        if timed and not (j < self.n and self.words[j].text in g.attributive):
            end = self._time_tail(j)
            return Chunk(i, end, TIME)
        last = -1
        while j < self.n:
            if self.is_localiser(j) and j > i + 1:
                last = j
                if self.localiser_kinds(j, i + 1) == TIME:
                    j += 1
                    break
            elif self.words[j].tag == "v" and j + 1 < self.n and self.is_localiser(j + 1):
                pass
            elif not self.is_run(j):
                break
            j += 1
        end = self._without_loose_end(i + 1, j, last)
        if end <= i + 1:
            return None
        named = any(self.is_place_name(k) for k in range(i + 1, end))
        if last < 0 and not named:
            nouns = g.common_nouns | g.names
            if opener.text in g.needs_evidence or not any(
                self.words[k].tag in nouns for k in range(i + 1, end)
            ):
                return None
        kinds = PLACE if last < 0 else self.localiser_kinds(last, i + 1)
        length = last >= 0 and kinds == TIME and self.is_length(i + 1, last)
        if length and self.words[last].text not in g.instants:
            return None
        if named or (last >= 0 and self._has_place_localiser(i + 1, last)):
            kinds = kinds | PLACE
        return Chunk(i, end, kinds)

    def _has_place_localiser(self, start: int, end: int) -> bool:
        return any(
            self.is_localiser(k) and self.words[k].text not in self.g.time
            for k in range(start + 1, end)
        )

    def _without_loose_end(self, start: int, end: int, last: int) -> int:
        """Drop what cannot end a noun run (数词, 的 ...) after the last localiser."""
        solid = self.g.common_nouns | self.g.names | {"s", "t", "r"}
        while end > start and end - 1 != last and self.words[end - 1].tag not in solid:
            end -= 1
        return end

    # ----------------------------------------------------------------- time words
    def _time_phrase(self, i: int) -> Chunk | None:
        if not self.is_time(i):
            return None
        j = i + 1
        while j < self.n:
            if self.is_time(j):
                j += 1
            elif (
                self.words[j].text in self.g.attributive and j + 1 < self.n and self.is_time(j + 1)
            ):
                j += 2
            else:
                break
        return Chunk(i, self._time_tail(j), TIME)

    def _time_tail(self, j: int) -> int:
        while j < self.n and (
            self.words[j].text in self.g.time_tails
            or (self.is_localiser(j) and self.words[j].tag in ("f", "n", "m"))
        ):
            j += 1
        return j

    # -------------------------------------------------------- closed by a localiser
    def _close(self, k: int) -> None:
        end = k + 1
        while end < self.n and not self.taken[end] and self.is_localiser(end):
            end += 1
        start = self._reach_left(k)
        if start == k:
            self._extend_previous(k, end)
            return
        last = end - 1
        kinds = self.localiser_kinds(last, start)
        if self.is_length(start, k) and self.words[last].text not in self.g.instants:
            return
        if any(self.is_place_name(x) for x in range(start, k)):
            kinds = kinds | PLACE
        if any(self.words[x].tag not in ("m", "q", "r") for x in range(start, k)) or kinds == TIME:
            self._take(Chunk(start, end, kinds))

    def _extend_previous(self, k: int, end: int) -> None:
        """A localiser right behind a phrase belongs to it."""
        for number, chunk in enumerate(self.chunks):
            if chunk.end == k:
                self.chunks[number] = Chunk(chunk.start, end, chunk.kinds)
                for x in range(k, end):
                    self.taken[x] = True

    def _reach_left(self, k: int) -> int:
        """Where a phrase closed at k begins: block start, previous phrase or finite verb."""
        start = k
        while start > 0 and not self.taken[start - 1]:
            x = start - 1
            word = self.words[x]
            if word.tag == "v":
                if x + 1 < k and not self._attributive(x):
                    break
            elif word.tag in ("d", "ad", "vd"):
                if self.words[x + 1].tag != "v" or x + 2 != k:
                    break
            elif not self.is_run(x) or self.is_localiser(x):
                break
            start = x
        while start < k and self.words[start].text in self.g.attributive | self.g.coordination:
            start += 1
        return start

    def _attributive(self, x: int) -> bool:
        """失事 in 失事飞机上: a verb with nothing before it that could be its subject."""
        return x == 0 or self.taken[x - 1]

    # ------------------------------------------------------------------ bare names
    def _bare_places(self) -> None:
        i = 0
        while i < self.n:
            j = i
            while j < self.n and not self.taken[j] and self.is_place_name(j):
                j += 1
            if j > i:
                self._take(Chunk(i, j, PLACE, bare=True))
            i = max(j, i + 1)


def _is_point(text: str) -> bool:
    """一月 is a month (一个月 a duration), 2006年 and 一九九八年 are years (3年 a duration)."""
    if text.endswith("年"):
        return len(text) == 5
    return text.endswith("月") and "个" not in text and text[0] not in "数几半多两"
