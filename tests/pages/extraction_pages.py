"""Pages invented for the tests of the extraction, in the manner of several templates."""

from __future__ import annotations

PARAGRAPHS = (
    "云溪市气象台昨天傍晚发布消息，受高空槽影响，未来三天全市将有一次明显的降雨过程，"
    "北部山区局部有暴雨，请市民注意防范。",
    "市应急管理局介绍，目前已有六座水库提前腾出库容，两百多名抢险队员在岗值守。",
    "“我们把沙袋都备好了。”临河街道工作人员说，低洼小区的地下车库装上了挡水板。",
    "公交集团表示，如遇道路积水，十二条线路将临时绕行，乘客可以通过站台屏幕了解情况。",
    "气象专家提醒，这次过程持续时间长，山区要特别留意山洪和滑坡，尽量不要前往沟谷地带。",
)
TITLE = "云溪未来三天有明显降雨 六座水库提前腾出库容"

RELATED = (
    "南湖公园荷花进入盛花期", "高新区新增三条微循环公交", "云溪图书馆暑期延长开放时间",
    "老城区二十条背街小巷完成整治", "市民夜校秋季班开始报名", "环城绿道西段本月贯通",
    "青年创业集市周末开张", "两家医院开通夜间门诊",
)  # fmt: skip
NAVIGATION = ("首页", "要闻", "本地", "财经", "文化", "体育", "健康", "教育", "视频", "图片")


def links(texts: tuple[str, ...], names: str = "", tag: str = "ul") -> str:
    """A list of links in a box."""
    items = "".join(f'<li><a href="/n/{n}.html">{t}</a></li>' for n, t in enumerate(texts))
    return f'<{tag} class="{names}">{items}</{tag}>'


def paragraphs(texts: tuple[str, ...] = PARAGRAPHS) -> str:
    """Paragraph elements."""
    return "".join(f"<p>{text}</p>" for text in texts)


def article(
    *,
    title: str = TITLE,
    line: str = "2023-06-18 07:45　来源：云溪晚报",
    body: str | None = None,
    head: str = "",
    doc_title: str | None = None,
    box: str = "article-body",
    tail: str = "",
    lang: str = "zh-CN",
) -> str:
    """A whole page: navigation, headline, date line, body, related news, footer."""
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8">'
        f"<title>{doc_title if doc_title is not None else title + '_要闻_云溪新闻网'}</title>{head}"
        f'</head><body><div class="top-nav">{links(NAVIGATION)}</div>'
        f'<div class="main"><h1>{title}</h1><div class="info">{line}</div>'
        f'<div class="{box}">{body if body is not None else paragraphs()}</div>{tail}'
        f'<div class="related"><h3>相关新闻</h3>{links(RELATED)}</div></div>'
        '<div class="footer">版权所有 云溪新闻网 未经授权不得转载 联系我们</div></body></html>'
    )


def list_page(*, summaries: bool = True, dates: bool = True) -> str:
    """A section page: twenty linked headlines, with or without teasers and dates."""
    rows = []
    for n in range(20):
        row = f'<h3><a href="/a/{n}.html">{RELATED[n % 8]}，第{n}期观察记录</a></h3>'
        if summaries:
            row += f"<p>{PARAGRAPHS[n % 5][:46]}，详细情况请看报道…</p>"
        if dates:
            row += f'<span class="time">2023-06-{n % 28 + 1:02d} 09:{n + 10}</span>'
        rows.append(f'<li class="item">{row}</li>')
    return (
        "<html><head><title>要闻_云溪新闻网</title></head><body>"
        f'<div class="nav">{links(NAVIGATION)}</div><h2>要闻</h2>'
        f'<ul class="news-list">{"".join(rows)}</ul><div class="footer">版权所有</div>'
        "</body></html>"
    )
