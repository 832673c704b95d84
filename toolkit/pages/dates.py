"""When an article was published and modified, with the signals that said so.

Order: structured data, meta tags, visible text, script variables, the address. One
exception (``date_order: printed_first``): where the page prints a full time in its
date line and the machine date is later on the same day, the printed one is taken;
the machine date is when the system stored the page. What was refused is reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from toolkit.pages.blocks import Block
from toolkit.pages.date_parse import (
    FIRST_YEAR,
    Reading,
    read_all,
    read_machine,
    read_relative,
    read_short,
    read_url,
)
from toolkit.pages.metadata import Statements
from toolkit.pages.parse import Page
from toolkit.pages.patterns import name_pattern, pattern, table

_TABLE = "byline_patterns"
_MAX_LINE = 160
_HOST_END = re.compile(r"https?://[^/?#]*?\.([a-zA-Z]{2,})(?::\d+)?(?:[/?#]|$)")
_OTHER_ZONES = (
    "jp kr us uk eu de fr it es pt nl be ch at se no dk fi pl cz ru ua tr in br mx ar ca au nz"
)
#: Country domains where China time is not the local time.
_ABROAD = frozenset(_OTHER_ZONES.split())


@dataclass(frozen=True, slots=True)
class DateSignal:
    """One date of a page and where it was read."""

    signal: str
    reading: Reading
    index: int | None = None


@dataclass
class Dates:
    """The chosen dates. ``precision`` is that of ``published``."""

    published: datetime | None = None
    precision: str | None = None
    modified: datetime | None = None
    signal: str | None = None
    modified_signal: str | None = None
    runner_up: DateSignal | None = None
    line: Block | None = None
    warnings: list[str] = field(default_factory=list)


class DateFinder:
    """Finds the dates of one page.

    Args:
        page, blocks, found: the page, its blocks and its statements.
        header: indices of the blocks around the headline and before the body.
        tail: indices of the blocks right behind the body.
        url: address of the page, if known.
        fetched: when it was fetched (aware), if known; it bounds what is possible
            and is what "昨天" counts from.
    """

    def __init__(
        self, page: Page, blocks: Sequence[Block], found: Statements, header: Sequence[int],
        tail: Sequence[int], url: str | None, fetched: datetime | None,
    ) -> None:  # fmt: skip
        self.page = page
        self.blocks = blocks
        self.found = found
        self.header = header
        self.tail = tail
        self.url = url
        self.fetched = fetched
        self.dates = Dates()

    def find(self, order: str = "printed_first") -> Dates:
        """Choose ``published`` and ``modified``; ``order`` as in the settings."""
        machine = self._machine("published")
        modified = self._machine("modified")
        printed, printed_modified = self._printed(machine + modified)
        scripts = self._scripts() if not machine and not printed else []
        address = self._address()
        dates = self.dates
        candidates = [*machine, *printed, *scripts, *address]
        if candidates:
            self._choose(candidates, machine, printed, modified, order)
        else:
            self._relative()
        changed = modified or printed_modified
        if changed:
            best = max(changed, key=lambda s: s.reading.value)
            dates.modified, dates.modified_signal = best.reading.value, best.signal
            if dates.published and dates.modified < dates.published - timedelta(days=1):
                dates.warnings.append("modified before published")
        return dates

    # ------------------------------------------------------------------ choice
    def _choose(
        self, candidates: list[DateSignal], machine: list[DateSignal], printed: list[DateSignal],
        modified: list[DateSignal], order: str,
    ) -> None:  # fmt: skip
        dates = self.dates
        best = candidates[0]
        if machine:
            timed = next(
                (m for m in machine if m.reading.timed and _same_day(m.reading, best.reading)), None
            )
            if timed is not None and not best.reading.timed:
                best = timed
        shown = next((p for p in printed if p.reading.timed), printed[0] if printed else None)
        if machine and shown is not None:
            best = self._between(best, shown, order)
        best = self._with_seconds(best, [*machine, *modified])
        dates.published = best.reading.value
        dates.precision = "day" if best.reading.precision == "day" else "minute"
        dates.signal = best.signal + ("" if best.reading.zone == "stated" else self._zone_note())
        if not best.reading.year_known:
            dates.signal += ", year lent from a machine date"
        lines = [p.index for p in printed if _same_day(p.reading, best.reading)]
        if lines and lines[0] is not None:
            dates.line = self.blocks[lines[0]]
        others = [c for c in candidates if c.signal != best.signal]
        dates.runner_up = next(
            (c for c in others if c.reading.value != best.reading.value),
            others[0] if others else None,
        )

    def _zone_note(self) -> str:
        """No zone was given: China time is right for mainland hosts, a guess for others."""
        address = self.url or self.found.canonical or self.found.og_url or ""
        match = _HOST_END.match(address)
        if match is None or match[1].lower() not in _ABROAD:
            return " (China time)"
        self.dates.warnings.append(
            f"no zone given on a .{match[1].lower()} host: China time assumed"
        )
        return " (China time assumed)"

    def _between(self, machine: DateSignal, shown: DateSignal, order: str) -> DateSignal:
        a, b = machine.reading, shown.reading
        if not a.timed and b.timed and _same_day(a, b):
            return shown
        if a.timed and b.timed:
            gap = a.value - b.value
            if abs(gap) < timedelta(minutes=1):
                return machine
            if a.zone == "stated" and abs(abs(gap) - timedelta(hours=8)) < timedelta(minutes=1):
                self.dates.warnings.append("machine date is 8 hours off: its zone is wrong")
                return shown
            if _same_day(a, b) and gap > timedelta(0):
                self.dates.warnings.append(
                    f"machine date {machine.signal} is {int(gap.total_seconds() // 60)} min later "
                    "than the printed one"
                )
                return shown if order == "printed_first" else machine
        if not _same_day(a, b):
            self.dates.warnings.append(
                f"printed date {b.value.date()} and {machine.signal} {a.value.date()} differ"
            )
        return machine

    @staticmethod
    def _with_seconds(best: DateSignal, machine: list[DateSignal]) -> DateSignal:
        """Add the seconds of a machine date that agrees to the minute."""
        reading = best.reading
        if reading.precision != "minute":
            return best
        for other in machine:
            gap = other.reading.value - reading.value
            if other.reading.precision == "second" and timedelta(0) <= gap < timedelta(minutes=1):
                full = Reading(
                    other.reading.value, "second", reading.start, reading.end, reading.raw,
                    reading.zone, reading.year_known,
                )  # fmt: skip
                return DateSignal(f"{best.signal}, seconds from {other.signal}", full, best.index)
        return best

    def _possible(self, signal: str, reading: Reading) -> bool:
        value = reading.value
        limit = self.fetched or datetime.now(value.tzinfo)
        if value.year < FIRST_YEAR or value > limit + timedelta(days=1, minutes=5):
            self.dates.warnings.append(f"refused {signal} {reading.raw[:40]}: impossible or future")
            return False
        return True

    # ----------------------------------------------------------------- sources
    def _machine(self, name: str) -> list[DateSignal]:
        signals = []
        for signal, value in self.found.get(name):
            reading = read_machine(value)
            if reading is None:
                self.dates.warnings.append(f"unreadable {signal}: {value[:40]}")
            elif self._possible(signal, reading):
                signals.append(DateSignal(signal, reading))
        return signals

    def _printed(self, machine: list[DateSignal]) -> tuple[list[DateSignal], list[DateSignal]]:
        """Dates in the lines around headline and body: (published, modified)."""
        years = {
            (m.reading.value.month, m.reading.value.day): m.reading.value.year for m in machine
        }
        if self.fetched is not None:
            for back in range(366):
                day = self.fetched - timedelta(days=back)
                years.setdefault((day.month, day.day), day.year)
        scored: list[tuple[float, DateSignal]] = []
        changed: list[DateSignal] = []
        for region, base in ((self.header, 3.0), (self.tail, 0.5)):
            for text, index in self._lines(region):
                self._read_line(text, index, base, years, scored, changed)
        scored.sort(key=lambda item: -item[0])
        return [signal for _, signal in scored], changed

    def _lines(self, region: Sequence[int]) -> list[tuple[str, int]]:
        """Short lines of a region; neighbours are joined, for dates split over boxes."""
        lines: list[tuple[str, int]] = []
        chosen = [self.blocks[i] for i in region if len(self.blocks[i].text) <= _MAX_LINE]
        for block in chosen:
            lines.append((block.text, block.index))
        if not any(read_all(text) for text, _ in lines):
            for first, block in enumerate(chosen):
                if re.fullmatch(r"(?:19|20)\d{2}年?|\D{0,12}(?:19|20)\d{2}\D?", block.text):
                    run = chosen[first : first + 4]
                    lines.append((" ".join(b.text for b in run), block.index))
        return lines

    def _read_line(
        self, text: str, index: int, base: float, years: dict[tuple[int, int], int],
        scored: list[tuple[float, DateSignal]], changed: list[DateSignal],
    ) -> None:  # fmt: skip
        block = self.blocks[index]
        plain = block.plain if len(block.plain) == len(text) else text
        label = pattern(_TABLE, "published_labels")
        modified = pattern(_TABLE, "modified_labels")
        names = name_pattern(_TABLE, "date_names")
        readings = read_all(text)
        named = (
            bool(names.search(block.element.names + block.inner.names)) or block.inner.tag == "time"
        )
        if not readings and (named or label.search(plain) or len(text) < 30):
            readings = read_short(text, years)
        last = 0
        for reading in readings:
            before = plain[last : reading.start][-14:]
            last = reading.end
            if not self._possible("printed date", reading):
                continue
            signal = DateSignal(f"printed:{reading.raw[:30]}", reading, index)
            if modified.search(before):
                changed.append(signal)
                continue
            labelled = label.search(before) is not None
            if base < 1 and not labelled and (block.links or len(text) > len(reading.raw) + 8):
                continue  # below the body stand the dates of other articles too
            score = base + (2.0 if labelled else 0.0) + (1.5 if reading.timed else 0.0)
            score += 1.0 if named else 0.0
            score += 0.5 if len(text) < 60 else -0.5
            score -= 0.5 if block.hidden else 0.0
            score -= 2.0 if block.link_share > 0.5 and not labelled else 0.0
            score -= 1.5 if block.stops > 3 else 0.0
            score -= 0.01 * len(scored)
            scored.append((score, signal))

    def _scripts(self) -> list[DateSignal]:
        """Times in script variables; used only if nothing better is there."""
        keys = "|".join(table("meta_names")["script_published"])
        expression = re.compile(
            rf"(?<![\w.])[\"']?(?P<key>{keys})[\"']?\s*[:=]\s*[\"']?"
            r"(?P<value>1\d{9}(?:\d{3})?|20\d{2}[-/]\d{1,2}[-/]\d{1,2}[ T\d:.+Z]{0,24})[\"',;\s}]",
            re.I,
        )
        values: dict[str, dict[datetime, DateSignal]] = {}
        for _, script in self.page.scripts:
            for match in expression.finditer(script[:400_000]):
                reading = read_machine(match["value"])
                signal = f"script:{match['key']}"
                if reading is not None and self._possible(signal, reading):
                    values.setdefault(match["key"], {})[reading.value] = DateSignal(signal, reading)
        # several values under one name belong to several articles
        return [next(iter(v.values())) for v in values.values() if len(v) == 1]

    def _address(self) -> list[DateSignal]:
        for url in (self.url, self.found.canonical, self.found.og_url):
            reading = read_url(url) if url else None
            if reading is not None and self._possible("address", reading):
                return [DateSignal("url", reading)]
        return []

    def _relative(self) -> None:
        for index in self.header:
            text = self.blocks[index].text
            if len(text) > 60:
                continue
            if self.fetched is None:
                if re.search(r"\d{1,3}\s*个?(?:分钟|小时|天)前|昨天|前天|今天", text):
                    self.dates.warnings.append(f"relative date '{text[:20]}' needs a fetch time")
                    return
                continue
            reading = read_relative(text, self.fetched)
            if reading is not None:
                dates = self.dates
                dates.published = reading.value
                dates.precision = "day" if reading.precision == "day" else "minute"
                dates.signal = f"printed:{reading.raw} (counted from the fetch time)"
                return


def _same_day(a: Reading, b: Reading) -> bool:
    return a.value.date() == b.value.astimezone(a.value.tzinfo).date()
