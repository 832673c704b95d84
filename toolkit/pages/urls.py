"""Keys of web addresses: which addresses are one page, before and after fetching.

``fetch_key`` joins only what no server tells apart in practice, so that no page is
lost: scheme, letter case, ``www.``, ports, escapes, fragments, tracking parameters
and the order of parameters. ``canonical_key`` joins the editions of one article
(mobile, AMP, print, further pages, one-page view) by site rules, general rules and
the page's own canonical link. A key looks like an address but is only a name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import unquote, urljoin

from toolkit.model import Article
from toolkit.pages.site_rules import SiteRules, load_site_rules
from toolkit.pages.url_parts import (
    NUMBERED,
    Address,
    Parameter,
    article_number,
    is_home,
    is_ip,
    is_section,
    is_strong,
    join_address,
    registrable_domain,
    split_address,
    strip_edition,
    without_default,
)  # fmt: skip

__all__ = ["UrlKey", "article_key", "canonical_key", "fetch_key", "same_site"]
_JUMPS = 3
_PAGE_LIMIT = 99


@dataclass(frozen=True, slots=True)
class UrlKey:
    """The key of an article and how it came about.

    ``key`` is "" when there is no usable address. ``rules`` names the rules that
    fired, in order. ``refused`` says why the page's own canonical link was not
    followed; None when it was followed, or when there was none.
    """

    key: str
    rules: tuple[str, ...] = ()
    refused: str | None = None


def fetch_key(url: str, rules: SiteRules | None = None) -> str:
    """The key of an address before fetching; "" for what is no web address.

    Args:
        url: any text; nothing is raised on rubbish.
        rules: site rules; None = the shipped ones.
    """
    rules = rules or load_site_rules()
    address = split_address(url)
    if address is None:
        return ""
    return join_address(_clean(address, rules, []))


def canonical_key(
    url: str | None, page_canonical: str | None = None, rules: SiteRules | None = None
) -> UrlKey:
    """The key of the article an address belongs to, after fetching.

    Args:
        url: the address the page was fetched from, or None.
        page_canonical: its ``rel=canonical`` or ``og:url`` as written (may be
            relative), or None.
        rules: site rules; None = the shipped ones.

    Returns:
        The key; the page's own link decides it unless it is refused, because it
        points to another site, the front page or a section.
    """
    rules = rules or load_site_rules()
    own, own_fired = _article(url, rules)
    if not isinstance(page_canonical, str) or not page_canonical.strip():
        return UrlKey(_name(own), tuple(own_fired))
    stated = page_canonical.strip().replace("&amp;", "&")
    address = split_address(stated)
    if own is not None and (address is None or stated.startswith(("/", "?"))):
        address = _resolve(url, stated)
    if address is None:
        return UrlKey(_name(own), tuple(own_fired), "not the address of a web page")
    linked, linked_fired = _article(join_address(address), rules)
    if linked is None:
        return UrlKey(_name(own), tuple(own_fired), "not the address of a web page")
    reason = _refusal(own, linked, rules)
    if reason is not None:
        return UrlKey(_name(own), tuple(own_fired), reason)
    if _name(own) == _name(linked):
        return UrlKey(_name(own), tuple(own_fired))
    return UrlKey(_name(linked), ("page_canonical", *linked_fired))


def article_key(article: Article, rules: SiteRules | None = None) -> str | None:
    """The key of an article from its address and its page's canonical link, or None."""
    if not article.url and not article.canonical_url:
        return None
    return canonical_key(article.url, article.canonical_url, rules).key or None


def same_site(first: str, second: str, rules: SiteRules | None = None) -> bool:
    """Whether two addresses belong to one publisher."""
    one, two = split_address(first), split_address(second)
    if one is None or two is None:
        return False
    rules = rules or load_site_rules()
    return rules.same_publisher(registrable_domain(one.host), registrable_domain(two.host))


# ------------------------------------------------------------------- one address
def _clean(address: Address, rules: SiteRules, fired: list[str]) -> Address:
    """Drop parameters that never change the page; names of rules go to ``fired``."""
    sites = rules.sites(registrable_domain(address.host), address.host)
    kept: list[Parameter] = []
    for written, value in address.query:
        name = written
        for site in sites:
            name = site.rename.get(name, name)
        lower = name.lower().removeprefix("amp;")
        if rules.is_tracking(lower, unquote(value or "")):
            fired.append(f"tracking:{lower}")
        elif any(name in s.drop or (s.keep is not None and name not in s.keep) for s in sites):
            fired.append(f"site_parameter:{name}")
        else:
            kept.append((name.removeprefix("amp;"), value))
    return replace(address, query=tuple(kept))


def _article(url: str | None, rules: SiteRules) -> tuple[Address | None, list[str]]:
    """The address of the article that ``url`` is an edition or page of."""
    fired: list[str] = []
    address = split_address(url)
    for _ in range(_JUMPS):
        inner = _unwrap(address, rules) if address is not None else None
        if inner is None:
            break
        address = inner
        fired.append("jump_page")
    if address is None:
        return None, fired
    fired += address.notes
    address = _clean(address, rules, fired)
    known = _site_key(address, rules, fired)
    return (known if known is not None else _general(address, rules, fired)), fired


def _unwrap(address: Address, rules: SiteRules) -> Address | None:
    """The address inside a jump page or an AMP cache, or None."""
    for site in rules.sites(registrable_domain(address.host), address.host):
        target = dict(address.query).get(site.unwrap) if site.unwrap else None
        inner = split_address(unquote(target)) if target else None
        if inner is not None:
            return inner
    cached = address.host.endswith(".cdn.ampproject.org") and address.path[:3] in ("/c/", "/v/")
    viewer = address.host in ("google.com", "google.com.hk") and address.path.startswith("/amp/")
    if cached or viewer:
        rest = address.path[3:] if cached else address.path[5:]
        inner = split_address("https://" + rest.removeprefix("s/"))
        return replace(inner, query=address.query) if inner is not None else None
    return None


def _site_key(address: Address, rules: SiteRules, fired: list[str]) -> Address | None:
    """The key a site rule gives, as an address; None where no form matches."""
    query = {name: value or "" for name, value in address.query}
    for site in rules.sites(registrable_domain(address.host), address.host):
        for pattern in site.articles:
            key = pattern.match(address.host, address.path, query)
            if key is not None:
                fired.append(f"site:{site.name}")
                return split_address("https://" + key)
    return None


def _general(address: Address, rules: SiteRules, fired: list[str]) -> Address:
    """What holds on any site: editions, further pages, looks, channels."""
    host, query = address.host, address.query
    domain = registrable_domain(host)
    path = without_default(address.path)
    if path != address.path:
        fired.append("default_document")
    doubled = "/" + "/".join(segment for segment in path.split("/") if segment)
    if doubled != path:
        fired.append("double_slash")
        path = doubled
    plain, by_path = strip_edition(path, rules.mobile_paths, rules.column_words)
    path = plain
    fired += by_path
    kept: list[Parameter] = []
    for name, value in query:
        if rules.is_presentation(name.lower(), value or ""):
            fired.append(f"presentation:{name.lower()}")
        else:
            kept.append((name, value))
    # A small number under a name such as page is a page of an article only where the
    # rest names an article; of a list it is the list's page.
    others = [(n, v) for n, v in kept if n.lower() not in rules.page_parameters]
    number = article_number(path, others, rules.id_parameters)
    if number >= NUMBERED:
        for name, value in kept:
            small = (value or "").isdigit() and int(value or 0) <= _PAGE_LIMIT
            if name.lower() in rules.page_parameters and (small or not value):
                fired.append(f"page_parameter:{name.lower()}")
            elif name.lower() in rules.page_parameters:
                others.append((name, value))
        kept = others
    host = _plain_host(host, domain, rules, fired)
    if is_strong(number) and host != domain and not is_ip(host):
        # An article number this long is given once on a whole site, so the channel
        # (finance., world.) adds nothing; a mobile edition does not name it.
        labels = host[: -len(domain) - 1].split(".")
        if not rules.own_hosts & set(labels):
            host = domain
            fired.append("channel_host")
    return replace(address, host=host, path=path, query=tuple(kept))


def _plain_host(host: str, domain: str, rules: SiteRules, fired: list[str]) -> str:
    """The host without labels of mobile, AMP and print editions."""
    if host == domain or is_ip(host) or not host.endswith(f".{domain}"):
        return host
    labels = host[: -len(domain) - 1].split(".")
    rest = [label for label in labels if label not in rules.mobile_labels]
    if len(rest) == len(labels):
        return host
    fired.append("edition_host")
    return ".".join([*rest, domain])


# --------------------------------------------------------------- canonical links
def _name(address: Address | None) -> str:
    return join_address(address) if address is not None else ""


def _resolve(url: str | None, stated: str) -> Address | None:
    """A relative canonical link against the page's own address."""
    if ":" in stated.split("/", 1)[0] or not url:
        return None
    base = url if "//" in url else f"https://{url}"
    try:
        return split_address(urljoin(base, stated))
    except ValueError:
        return None


def _refusal(own: Address | None, linked: Address, rules: SiteRules) -> str | None:
    """Why a canonical link is not to be followed; None where it may be."""
    if is_home(linked.path, linked.query, linked.route):
        return "points to the front page"
    number = article_number(linked.path, linked.query, rules.id_parameters)
    section = not linked.query and not linked.route and is_section(linked.path, number)
    if own is None:
        return "points to a section" if section and linked.path.count("/") < 2 else None
    if not rules.same_publisher(registrable_domain(own.host), registrable_domain(linked.host)):
        return "points to another site"
    if own == linked:
        return None
    if own.path != linked.path and own.path.startswith(linked.path.rstrip("/") + "/"):
        return "points to a section"
    own_number = article_number(own.path, own.query, rules.id_parameters)
    if section and (own_number >= NUMBERED or not is_section(own.path, own_number)):
        return "points to a section"
    return None
