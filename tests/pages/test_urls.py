"""Keys of addresses, case by case; each expectation follows from what the address says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.model import Article
from toolkit.pages.site_rules import load_site_rules
from toolkit.pages.urls import article_key, canonical_key, fetch_key, same_site

# (address, key before fetching)
FETCH = [
    ("http://www.example.com/news?id=7", "https://example.com/news?id=7"),
    ("HTTPS://WWW.Example.COM/News", "https://example.com/News"),
    ("http://example.com:80/a", "https://example.com/a"),
    ("https://example.com:443/a", "https://example.com/a"),
    ("https://example.com:8443/a", "https://example.com:8443/a"),
    ("https://example.com", "https://example.com/"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://user:secret@example.com/a", "https://example.com/a"),
    ("  https://example.com/a\n", "https://example.com/a"),
    ("//example.com/a", "https://example.com/a"),
    ("example.com/a", "https://example.com/a"),
    ("https://example.com/a/./b/../c", "https://example.com/a/c"),
    ("https://example.com/../../c", "https://example.com/c"),
    ("https://example.com/a/", "https://example.com/a"),
    ("https://example.com/a#part", "https://example.com/a"),
    ("https://example.com/#!/news/12", "https://example.com/#!/news/12"),
    ("https://example.com/a;jsessionid=0A1B?x=1", "https://example.com/a?x=1"),
    # parameters: tracking by exact name or true prefix, everything else stays
    ("https://example.com/a?utm_source=x&utm_medium=y&id=3", "https://example.com/a?id=3"),
    ("https://example.com/a?UTM_Source=x", "https://example.com/a"),
    ("https://example.com/a?spm=a2.b3&from=timeline", "https://example.com/a"),
    ("https://example.com/a?gclid=1&fbclid=2&mc_cid=3&mc_eid=4", "https://example.com/a"),
    ("https://example.com/a?share_token=1&isappinstalled=0", "https://example.com/a"),
    ("https://example.com/a?reference=9", "https://example.com/a?reference=9"),
    ("https://example.com/a?refid=9", "https://example.com/a?refid=9"),
    ("https://example.com/a?mc_id=9", "https://example.com/a?mc_id=9"),
    ("https://example.com/a?ref=home", "https://example.com/a?ref=home"),
    ("https://example.com/a?utm=9", "https://example.com/a?utm=9"),
    ("https://example.com/a?spmid=9&fromage=2", "https://example.com/a?fromage=2&spmid=9"),
    ("https://example.com/a?from=2021-01-01&to=2021-02-01",
     "https://example.com/a?from=2021-01-01&to=2021-02-01"),
    ("https://example.com/a?b=2&a=1", "https://example.com/a?a=1&b=2"),
    ("https://example.com/a?k=2&k=1", "https://example.com/a?k=2&k=1"),
    ("https://example.com/a?b=&a", "https://example.com/a?a&b="),
    ("https://example.com/a?&&x=1&", "https://example.com/a?x=1"),
    ("https://example.com/a?x=1&amp;y=2", "https://example.com/a?x=1&y=2"),
    ("https://example.com/a?", "https://example.com/a"),
    # escapes
    ("https://example.com/s?q=%D6%D0%B9%FA", "https://example.com/s?q=%D6%D0%B9%FA"),
    ("https://example.com/s?q=%d6%d0", "https://example.com/s?q=%D6%D0"),
    ("https://example.com/s?q=%B0%41x", "https://example.com/s?q=%B0%41x"),
    ("https://example.com/%7Eme/%41", "https://example.com/~me/A"),
    ("https://example.com/a%2Fb", "https://example.com/a%2Fb"),
    ("https://example.com/100%", "https://example.com/100%25"),
    ("https://example.com/中", "https://example.com/%E4%B8%AD"),
    ("https://example.com/a b", "https://example.com/a%20b"),
    ("https://中国.中国/a", "https://xn--fiqs8s.xn--fiqs8s/a"),
    # editions and pages stay apart before fetching
    ("https://m.example.com/a/1234567.html", "https://m.example.com/a/1234567.html"),
    ("https://example.com/a/1234567_2.html", "https://example.com/a/1234567_2.html"),
    ("https://mp.weixin.qq.com/s?__biz=Mz%3D%3D&mid=22&idx=1&sn=ab&chksm=9&scene=27#rd",
     "https://mp.weixin.qq.com/s?__biz=Mz==&idx=1&mid=22&sn=ab"),
    # no addresses of pages
    ("", ""), ("   ", ""), ("javascript:void(0)", ""), ("mailto:a@example.com", ""),
    ("ftp://example.com/a", ""), ("http://", ""), ("http:///a", ""), ("/a/b.html", ""),
    ("http://[::1", ""), ("http://exa mple.com/", ""), ("http://a:99999/", ""), ("新闻", ""),
    ("b.html", ""), ("http://-/", ""), ("data:text/html,x", ""),
]  # fmt: skip

# groups of addresses of one article
SAME = {
    "unknown site, mobile": ["https://www.sanhe.example/2021/1106/7488254.shtml",
                             "http://m.sanhe.example/2021/1106/7488254.shtml",
                             "https://wap.sanhe.example/2021/1106/7488254.shtml?utm_source=app"],
    "unknown site, channel": ["https://finance.sanhe.example/a/20200608/3593098.html",
                              "https://m.sanhe.example/a/20200608/3593098.html"],
    "unknown site, pages": ["https://www.sanhe.example/news/20230613/8124574.html",
                            "https://www.sanhe.example/news/20230613/8124574_2.html",
                            "https://www.sanhe.example/news/20230613/8124574_all.html",
                            "https://www.sanhe.example/news/20230613/8124574.html?page=3",
                            "https://www.sanhe.example/news/20230613/8124574.html?print=1"],
    "unknown site, c_": ["https://www.sanhe.example/x/2021-11/05/c_3983032.htm",
                         "https://www.sanhe.example/x/2021-11/05/c_3983032_4.htm"],
    "unknown site, parameter": ["https://m.sanhe.example/read?id=7281393",
                                "https://sanhe.example/read?id=7281393&page=2&from=qq"],
    "paths of editions": ["https://sanhe.example/news/8124574.html",
                          "https://sanhe.example/wap/news/8124574.html",
                          "https://sanhe.example/amp/news/8124574.html",
                          "https://sanhe.example/m/news/8124574.html",
                          "https://sanhe.example/news/8124574_print.html"],
    "slug with amp": ["https://sanhe.example/2021/11/06/bridge-opens",
                      "https://sanhe.example/2021/11/06/bridge-opens/amp/"],
    "default document": ["https://sanhe.example/p/81245/", "https://sanhe.example/p/81245/index.html"],
    "amp cache": ["https://sanhe.example/news/8124574.html",
                  "https://sanhe-example.cdn.ampproject.org/c/s/sanhe.example/news/8124574.html"],
    "wechat": ["https://mp.weixin.qq.com/s?__biz=MzI2&mid=2648&idx=1&sn=dd09&chksm=f2#rd",
               "http://mp.weixin.qq.com/s?sn=dd09&idx=1&mid=2648&__biz=MzI2&mpshare=1&scene=23",
               "http://mp.weixin.qq.com/mp/appmsg/show?__biz=MzI2&appmsgid=2648&itemidx=1&sign=dd09"],
    "sina": ["https://news.sina.com.cn/c/2019-11-25/doc-iihnzahi1234567.shtml",
             "https://news.sina.cn/gn/2019-11-25/detail-iihnzahi1234567.d.html?vt=4",
             "https://finance.sina.com.cn/c/2019-11-25/doc-iihnzahi1234567.shtml?cre=x"],
    "sina k": ["https://k.sina.com.cn/article_614528_16e49974902000c4tm.html",
               "https://k.sina.cn/article_614528_16e49974902000c4tm.html?from=news"],
    "weibo": ["https://weibo.com/ttarticle/p/show?id=2309404812345678901234",
              "https://card.weibo.com/article/m/show/id/2309404812345678901234"],
    "163": ["https://www.163.com/dy/article/G33O1QTA05370ABC.html",
            "https://3g.163.com/news/article/G33O1QTA05370ABC.html",
            "https://c.m.163.com/news/a/G33O1QTA05370ABC.html?spss=newsapp",
            "http://news.163.com/19/1125/10/G33O1QTA05370ABC_2.html",
            "http://news.163.com/19/1125/10/G33O1QTA05370ABC_all.html"],
    "sohu": ["https://www.sohu.com/a/340123456_114988", "https://m.sohu.com/a/340123456_114988?spm=1"],
    "qq": ["https://new.qq.com/omn/20190923/20190923A0CZ9F00.html",
           "https://xw.qq.com/cmsid/20190923A0CZ9F00", "https://news.qq.com/rain/a/20190923A0CZ9F00",
           "https://view.inews.qq.com/a/20190923A0CZ9F00?refer=wx"],
    "qq old": ["https://finance.qq.com/a/20190923/000843.htm",
               "https://xw.qq.com/c/finance/20190923000843",
               "https://finance.qq.com/a/20190923/000843_1.htm"],
    "qq wire": ["https://view.inews.qq.com/a/FIN2019092300084300",
                "https://new.qq.com/omn/FIN20190/FIN2019092300084300.html"],
    "gov": ["https://www.gov.cn/xinwen/2021-11/06/content_5649000.htm",
            "http://m.gov.cn/xinwen/2021-11/06/content_5649000_2.htm"],
    "ifeng": ["https://news.ifeng.com/c/7rtKNyg6PU9", "https://i.ifeng.com/c/7rtKNyg6PU9",
              "https://ishare.ifeng.com/c/s/7rtKNyg6PU9?from=singlemessage"],
    "ifeng old": ["http://nb.ifeng.com/a/20200911/14526474_0.shtml",
                  "http://nb.ifeng.com/a/20200911/14526474_2.shtml"],
    "people": ["http://politics.people.com.cn/n1/2021/1106/c1001-32275123.html",
               "http://politics.people.com.cn/n1/2021/1106/c1001-32275123-2.html",
               "http://wap.people.com.cn/n1/2021/1106/c1001-32275123.html"],
    "xinhua": ["http://www.xinhuanet.com/politics/2019-09/07/c_1124960001.htm",
               "http://m.xinhuanet.com/2019-09/07/c_1124960001.htm",
               "http://www.news.cn/politics/2019-09/07/c_1124960001.htm",
               "http://www.xinhuanet.com/politics/2019-09/07/c_1124960001_3.htm"],
    "xinhua hash": ["http://www.news.cn/politics/20240501/0123456789abcdef0123456789abcdef/c.html",
                    "https://www.xinhuanet.com/world/20240501/0123456789abcdef0123456789abcdef/c.html"],
    "thepaper": ["https://www.thepaper.cn/newsDetail_forward_4382102",
                 "https://m.thepaper.cn/newsDetail_forward_4382102?from=wx",
                 "https://m.thepaper.cn/wap/v3/jsp/newsDetail.jsp?contid=4382102",
                 "https://m.thepaper.cn/detail/4382102"],
    "toutiao": ["https://www.toutiao.com/a6734577895106150000/", "https://m.toutiao.com/i6734577895106150000/",
                "https://www.toutiao.com/article/6734577895106150000/?app=news",
                "https://m.toutiaocdn.com/group/6734577895106150000/"],
    "baijiahao": ["https://baijiahao.baidu.com/s?id=1645000000000000001&wfr=spider&for=pc",
                  "http://baijiahao.baidu.com/s?id=1645000000000000001"],
    "guancha": ["https://www.guancha.cn/politics/2019_09_07_516891.shtml",
                "https://m.guancha.cn/politics/2019_09_07_516891.shtml",
                "https://www.guancha.cn/politics/2019_09_07_516891_s.shtml",
                "https://www.guancha.cn/politics/2019_09_07_516891_2.shtml"],
    "cctv": ["https://news.cctv.com/2021/11/06/ARTIabcdefghijklmnopqrst211106.shtml",
             "https://m.news.cctv.com/2021/11/06/ARTIabcdefghijklmnopqrst211106.shtml"],
    "chinanews": ["https://www.chinanews.com/gn/2021/11-06/9603456.shtml",
                  "https://www.chinanews.com.cn/gn/2021/11-06/9603456.shtml",
                  "https://m.chinanews.com/wap/detail/zw/gn/2021/11-06/9603456.shtml"],
    "huanqiu": ["https://world.huanqiu.com/article/9CaKrnKmFpM", "https://m.huanqiu.com/article/9CaKrnKmFpM",
                "https://3w.huanqiu.com/a/c36dc8/9CaKrnKmFpM?agt=8"],
    "jiemian": ["https://www.jiemian.com/article/123456.html", "https://m.jiemian.com/article/123456.html"],
    "caixin": ["https://china.caixin.com/2021-11-06/101800123.html",
               "https://china.caixin.com/2021-11-06/101800123_all.html",
               "https://m.china.caixin.com/m/2021-11-06/101800123.html"],
    "yicai": ["https://www.yicai.com/news/101234567.html", "https://m.yicai.com/news/101234567.html"],
    "zhihu jump": ["https://link.zhihu.com/?target=https%3A//www.sanhe.example/news/8124574.html",
                   "https://sanhe.example/news/8124574.html"],
    "ithome": ["https://www.ithome.com/0/585/123.htm", "https://m.ithome.com/html/585123.htm"],
    "eastmoney": ["https://finance.eastmoney.com/a/202111062171234567.html",
                  "https://wap.eastmoney.com/a/202111062171234567.html"],
}  # fmt: skip

# pairs that must stay apart
APART = [
    ("https://sanhe.example/c_1124960001.htm", "https://sanhe.example/c_1124960002.htm"),
    ("https://sanhe.example/news/20190907_12.html", "https://sanhe.example/news/20190907_13.html"),
    ("https://sanhe.example/2019-09/07/node_2.htm", "https://sanhe.example/2019-09/07/node_3.htm"),
    ("https://sanhe.example/list?page=2", "https://sanhe.example/list?page=3"),
    ("https://sanhe.example/list_2.html", "https://sanhe.example/list_3.html"),
    ("https://news.sanhe.example/1.html", "https://sports.sanhe.example/1.html"),
    ("https://en.sanhe.example/a/1234567.html", "https://www.sanhe.example/a/1234567.html"),
    ("https://comment.sanhe.example/a/1234567.html", "https://sanhe.example/a/1234567.html"),
    ("https://one.github.io/a/1234567.html", "https://two.github.io/a/1234567.html"),
    ("https://sanhe.example/?p=12345", "https://sanhe.example/?p=12346"),
    ("https://sanhe.example/?p=1", "https://sanhe.example/?p=2"),
    ("https://sanhe.example/a?refid=1", "https://sanhe.example/a?refid=2"),
    ("https://sanhe.example/t20211109_1715607.html", "https://sanhe.example/t20211109_1715608.html"),
    ("https://sanhe.example/20211114-1065655.html", "https://sanhe.example/20211114-1065656.html"),
    ("https://mp.weixin.qq.com/s?__biz=Mz&mid=22&idx=1&sn=a", "https://mp.weixin.qq.com/s?__biz=Mz&mid=22&idx=2&sn=b"),
    ("https://baijiahao.baidu.com/s?id=1645000000000000001", "https://baijiahao.baidu.com/s?id=1645000000000000002"),
    ("https://www.chinanews.com/gn/2021/11-06/9603456.shtml", "https://www.chinanews.com/tp/2021/11-06/9603456.shtml"),
    ("https://finance.qq.com/a/20190923/000843.htm", "https://sports.qq.com/a/20190923/000843.htm"),
    ("https://sanhe.example/art/2021/11/6/art_12345_98.html",
     "https://sanhe.example/art/2021/11/6/art_12345_97.html"),
    ("https://sanhe.example/list_12345_2.html", "https://sanhe.example/list_12345_3.html"),
    ("https://m.com/a/1234567.html", "https://w.com/a/1234567.html"),
]  # fmt: skip

OWN = "https://www.sanhe.example/news/20230613/8124574.html"
OWN_KEY = "https://sanhe.example/news/20230613/8124574.html"
# (page address, its canonical link, key, refused)
CANONICAL = [
    (OWN, None, OWN_KEY, False), (OWN, "", OWN_KEY, False), (OWN, OWN, OWN_KEY, False),
    (OWN, "/news/20230613/8124574.html", OWN_KEY, False),
    (OWN, "//www.sanhe.example/news/20230613/8124574.html", OWN_KEY, False),
    ("https://m.sanhe.example/d/991", OWN, OWN_KEY, False),
    (OWN + "?page=2", OWN + "?page=2", OWN_KEY, False),
    (OWN, "https://other.example/news/20230613/8124574.html", OWN_KEY, True),
    (OWN, "https://www.sanhe.example/", OWN_KEY, True),
    (OWN, "https://www.sanhe.example", OWN_KEY, True),
    (OWN, "https://www.sanhe.example/index.html", OWN_KEY, True),
    (OWN, "/", OWN_KEY, True),
    (OWN, "https://www.sanhe.example/news/", OWN_KEY, True),
    (OWN, "https://www.sanhe.example/politics/index.shtml", OWN_KEY, True),
    (OWN, "https://www.sanhe.example/undefined", OWN_KEY, True),
    (OWN, "javascript:void(0)", OWN_KEY, True),
    (OWN, "http://[::1", OWN_KEY, True),
    ("http://www.news.cn/politics/2019-09/07/c_1124960001.htm",
     "http://www.xinhuanet.com/politics/2019-09/07/c_1124960001.htm",
     "https://xinhuanet.com/c_1124960001", False),
    (None, OWN, OWN_KEY, False), (None, "https://www.sanhe.example/", "", True),
    (None, None, "", False), ("nonsense", None, "", False), ("nonsense", OWN, OWN_KEY, False),
]  # fmt: skip


@pytest.mark.parametrize(("url", "key"), FETCH)
def test_fetch_key(url: str, key: str) -> None:
    assert fetch_key(url) == key
    assert fetch_key(key) == key


@pytest.mark.parametrize("name", SAME)
def test_editions_of_one_article_share_a_key(name: str) -> None:
    keys = [canonical_key(url) for url in SAME[name]]
    assert len({k.key for k in keys}) == 1, keys
    assert keys[0].key
    assert canonical_key(keys[0].key).key == keys[0].key or any("site:" in r for r in keys[0].rules)
    assert any(k.rules for k in keys)


@pytest.mark.parametrize(("first", "second"), APART)
def test_different_pages_stay_apart(first: str, second: str) -> None:
    assert canonical_key(first).key != canonical_key(second).key


@pytest.mark.parametrize(("url", "stated", "key", "refused"), CANONICAL)
def test_page_canonical(url: str | None, stated: str | None, key: str, refused: bool) -> None:
    result = canonical_key(url, stated)
    assert result.key == key
    assert (result.refused is not None) == refused


def test_rules_that_fired_are_named() -> None:
    fired = canonical_key("https://m.sanhe.example/a/8124574_2.html?utm_source=x").rules
    assert fired == ("tracking:utm_source", "page_number", "edition_host")
    fired = canonical_key("https://m.thepaper.cn/newsDetail_forward_4382102").rules
    assert fired == ("site:thepaper",)
    assert canonical_key("https://m.sanhe.example/d/991", OWN).rules[0] == "page_canonical"


def test_pages_of_an_article_have_their_own_fetch_keys() -> None:
    first, second = OWN, OWN.replace(".html", "_2.html")
    assert fetch_key(first) != fetch_key(second)
    assert canonical_key(first).key == canonical_key(second).key


def test_article_key() -> None:
    assert article_key(Article("a")) is None
    assert article_key(Article("a", url="nonsense")) is None
    assert article_key(Article("a", url=OWN)) == OWN_KEY
    assert article_key(Article("a", canonical_url=OWN)) == OWN_KEY
    assert (
        article_key(Article("a", url="https://m.sanhe.example/d/9", canonical_url=OWN)) == OWN_KEY
    )


def test_same_site() -> None:
    assert same_site("http://news.sina.cn/1", "https://finance.sina.com.cn/2")
    assert not same_site("http://a.example/1", "http://b.example/1")
    assert not same_site("", "http://b.example/1")


def test_users_rules_come_first(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "rules.yaml"
    path.write_text(
        "tracking: {exact: [abc]}\n"
        "sites:\n"
        "  - name: sanhe\n    domains: [sanhe.example, sh.example]\n"
        "    articles:\n      - {path: '/x/(?P<id>\\d+)', key: 'sanhe.example/x/{id}'}\n",
        encoding="utf-8",
    )
    rules = load_site_rules(str(path))
    one = canonical_key("https://www.sanhe.example/x/12?abc=3", rules=rules)
    two = canonical_key("https://t.sh.example/x/12", rules=rules)
    assert one.key == two.key == "https://sanhe.example/x/12"
    assert one.rules == ("www", "tracking:abc", "site:sanhe")
    assert canonical_key(SAME["163"][0], rules=rules).rules[-1] == "site:163"


@pytest.mark.parametrize(
    "text",
    ["sites: 3", "sites: [{name: a}]", "strange: 1", "[1]", "a: [", "tracking: {exact: 4}",
     "sites: [{name: a, domains: [b], articles: [{path: '(', key: k}]}]",
     "sites: [{name: a, domains: [b], articles: [{path: 'x', key: '{id}'}]}]",
     "sites: [{name: a, domains: [b], article: []}]"],
)  # fmt: skip
def test_bad_rule_files_are_one_line_errors(tmp_path, text: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"rules\.yaml"):
        load_site_rules(str(path))
    with pytest.raises(UserError):
        load_site_rules(str(tmp_path / "absent.yaml"))


def test_at_least_fifteen_sites_are_known() -> None:
    names = {site.name for sites in load_site_rules().by_domain.values() for site in sites}
    assert len(names) >= 15


@given(st.text(max_size=80), st.text(max_size=80))
def test_rubbish_never_raises(url: str, stated: str) -> None:
    key = fetch_key(url)
    assert fetch_key(key) == key
    canonical_key(url, stated)
    canonical_key("https://sanhe.example/" + url, stated)
    again = fetch_key("https://sanhe.example/" + url)
    assert fetch_key(again) == again


@pytest.mark.parametrize(
    "value", [None, 3, b"http://a.example/", ["x"], "\ud800", "http://\ud800/"]
)
def test_wrong_types_never_raise(value: object) -> None:
    assert fetch_key(value) == ""  # type: ignore[arg-type]
    assert canonical_key(value, value).key == ""  # type: ignore[arg-type]
