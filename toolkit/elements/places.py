"""Place phrases of a report, resolved to gazetteer places where possible.

All candidates of an ambiguous name are scored by context: an ancestor named in the
same report, adjacency (河北黄骅), a preposition before it, a division word behind it.
Direction words and distances are split off first, so 德黑兰南部 is Tehran (part:
south) and never 南部县. Roads, facilities and villages are places of their own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass

from toolkit.elements import place_grammar as g
from toolkit.elements.gazetteer import Gazetteer, load_gazetteer
from toolkit.language.normalise import fold
from toolkit.model import Field


@dataclass(frozen=True, slots=True)
class PlacePhrase:
    """One place phrase.

    ``kind``: named (gazetteer), road, facility, village, water or local (现场).
    ``place`` is the chosen gazetteer id or "" and ``candidates`` all possible ones.
    ``name`` is the comparable name of a road or facility. ``within`` is the
    gazetteer id that an own place is said to lie in. ``part`` keeps a direction or
    distance that was split off.
    """

    text: str
    start: int
    end: int
    field: Field
    kind: str
    place: str = ""
    candidates: tuple[str, ...] = ()
    name: str = ""
    within: str = ""
    part: str = ""
    confidence: float = 0.0

    def value(self) -> dict[str, object]:
        """The normalised value as plain JSON types."""
        gazetteer = load_gazetteer()
        return {
            "kind": self.kind, "place": self.place or None, "candidates": list(self.candidates),
            "lineage": [gazetteer.places[i].name for i in gazetteer.lineage(self.place) if i in gazetteer.places],  # noqa: E501
            "name": self.name or None, "within": self.within or None, "part": self.part or None,
        }  # fmt: skip


@dataclass(slots=True)
class _Atom:
    start: int
    end: int
    kind: str
    candidates: tuple[tuple[str, int], ...] = ()
    place: str = ""
    confidence: float = 0.0


def document_places(title: str, body: str) -> list[PlacePhrase]:
    """All place phrases of a report, title first, in order."""
    gazetteer = load_gazetteer()
    texts: dict[Field, str] = {"title": fold(title), "body": fold(body)}
    originals: dict[Field, str] = {"title": title, "body": body}
    atoms = {field: _atoms(text, gazetteer) for field, text in texts.items()}
    context = _context(atoms, gazetteer)
    phrases: list[PlacePhrase] = []
    for field, text in texts.items():
        resolved = [
            _resolve(a, i, atoms[field], text, context, gazetteer)
            for i, a in enumerate(atoms[field])
        ]
        phrases.extend(_chain(resolved, text, originals[field], field, gazetteer))
    return phrases


def _atoms(text: str, gazetteer: Gazetteer) -> list[_Atom]:
    named = [_Atom(s, e, "named", c) for s, e, c in gazetteer.find(text)]
    own = []
    for match in g.FACILITY_FINDER.finditer(text):
        own.append(_Atom(match.start(), match.end(), match.lastgroup or "facility"))
    # a gazetteer name at the head of an own place is cut off it: 河北黄骅|滕庄子乡
    atoms: list[_Atom] = list(named)
    starts = sorted((a.start, a.end) for a in named)
    for place in own:
        start = place.start
        near = bisect_left(starts, (place.start - 12, 0))
        for s, e in starts[near : bisect_right(starts, (place.end, 0))]:
            if s <= start < e < place.end and e - s >= 2 and place.end - e >= 2:
                if g.PART_OF_NAME_AFTER.match(text, e) and place.end - e <= 4 and e - s <= 2:
                    continue
                start = e
            elif (
                start < s
                and e < place.end
                and place.end - e >= 2
                and not g.PART_OF_NAME_AFTER.match(text, e)
            ):
                start = e
        window = starts[near : bisect_right(starts, (place.end, 0))]
        covered = any(s <= start and place.end <= e for s, e in window)
        if not covered and place.end - start >= 2:
            atoms = [
                a
                for a in atoms
                if not (a.kind == "named" and a.start >= start and a.end <= place.end)
            ]
            atoms.append(_Atom(start, place.end, place.kind))
    atoms.sort(key=lambda a: (a.start, -a.end))
    return atoms


def _context(atoms: dict[Field, list[_Atom]], gazetteer: Gazetteer) -> Counter[str]:
    """How often each place is named beyond doubt in the report."""
    counts: Counter[str] = Counter()
    for items in atoms.values():
        for atom in items:
            strong = [c for c, weak in atom.candidates if weak == 0]
            if len(strong) == 1:
                for ancestor in gazetteer.lineage(strong[0]):
                    counts[ancestor] += 1
    return counts


def _resolve(
    atom: _Atom,
    index: int,
    atoms: list[_Atom],
    text: str,
    context: Counter[str],
    gazetteer: Gazetteer,
) -> _Atom:
    if atom.kind != "named":
        atom.confidence = 0.8 if atom.kind in ("road", "facility") else 0.6
        return atom
    before = text[max(0, atom.start - 3) : atom.start]
    previous = atoms[index - 1] if index else None
    adjacent = previous is not None and previous.kind == "named" and previous.end == atom.start
    following = atoms[index + 1] if index + 1 < len(atoms) else None
    joined = following is not None and following.start == atom.end
    preposition = bool(g.BEFORE_PLACE.search(before))
    suffix = bool(g.DIRECTION_ONLY.match(text, atom.end)) or joined
    spoiled = bool(g.NOT_A_PLACE_AFTER.match(text, atom.end))
    best, best_score = "", -1.0
    after = text[atom.end : atom.end + 1]
    if text.startswith("震中东", atom.start - 1) and after and after in "北南部":
        return atom  # 距震中|东北约30公里
    own_strong = [c for c, weak in atom.candidates if weak == 0]
    if len(own_strong) == 1:
        context = context.copy()
        context.subtract(gazetteer.lineage(own_strong[0]))
    for identifier, weak in atom.candidates:
        lineage = gazetteer.lineage(identifier)
        ancestors = lineage[1:]
        score = (0.8, 0.35, 0.1)[weak]
        if adjacent and previous is not None and previous.place in ancestors:
            score += 0.6
        named = sum(
            1 for a in ancestors if context[a] and a != "CN" and a != gazetteer_country(ancestors)
        )
        if named:
            score += 0.3
        elif weak and any(context[a] for a in ancestors):
            score += 0.1 if weak == 1 else 0.05
        if preposition or suffix:
            score += 0.25
        if context[identifier] > 0:
            score += 0.25
        score += 0.02 * (4 - gazetteer.level(identifier))
        if score > best_score:
            best, best_score = identifier, score
    if spoiled:
        best_score -= 0.5
    others = len(
        {c for c, weak in atom.candidates if weak < 2 and best not in gazetteer.lineage(c)} - {best}
    )
    if others and best_score < 1.0:
        best_score -= 0.15
    if best_score >= 0.5:
        atom.place, atom.confidence = best, min(1.0, best_score)
    else:
        atom.confidence = max(0.0, best_score)
    return atom


def gazetteer_country(ancestors: tuple[str, ...]) -> str:
    """The outermost ancestor (a country mostly)."""
    return ancestors[-1] if ancestors else ""


def _chain(
    atoms: list[_Atom], text: str, original: str, field: Field, gazetteer: Gazetteer
) -> list[PlacePhrase]:
    """Join adjacent atoms and what localises them into phrases."""
    phrases: list[PlacePhrase] = []
    i = 0
    taken = 0
    while i < len(atoms):
        atom = atoms[i]
        if atom.start < taken or (atom.kind == "named" and not atom.place):
            i += 1
            continue
        start, end, last, part = atom.start, atom.end, atom, ""
        place = atom.place
        own = atom if atom.kind != "named" else None
        j = i + 1
        while True:
            if (
                j < len(atoms)
                and atoms[j].start == end
                and (atoms[j].kind != "named" or atoms[j].place)
            ):
                nxt = atoms[j]
                contained = nxt.kind != "named" or place in gazetteer.lineage(nxt.place)
                if not contained and own is None:
                    break
                end = nxt.end
                if nxt.kind == "named":
                    place = (
                        nxt.place if not place or place in gazetteer.lineage(nxt.place) else place
                    )
                else:
                    own = nxt
                last = nxt
                j += 1
                continue
            if j < len(atoms) and atoms[j].start < end:
                j += 1
                continue
            match = g.CONTINUATION.match(text, end)
            if match and match.end() > end:
                part += match.group()
                end = match.end()
                continue
            break
        kind = own.kind if own else "named"
        confidence = max(atom.confidence, last.confidence)
        phrases.append(
            PlacePhrase(
                original[start:end],
                start,
                end,
                field,
                kind,
                place="" if own else place,
                candidates=tuple(c for c, _ in last.candidates[:8]),
                name=text[own.start : own.end] if own else "",
                within=place if own else "",
                part=part,
                confidence=round(confidence, 2),
            )
        )
        taken = end
        i = j
    spans = [(p.start, p.end) for p in phrases]
    for match in g.LOCAL_NOUN.finditer(text):
        if not any(s < match.end() and match.start() < e for s, e in spans):
            s, e = match.span()
            phrases.append(
                PlacePhrase(original[s:e], s, e, field, "local", name=match.group(), confidence=0.5)
            )
    phrases.sort(key=lambda p: p.start)
    return phrases
