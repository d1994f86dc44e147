"""The main text of web pages.

Pages with texts that people checked: the 130 test pages of Mozilla's Readability (Apache-2.0), which the crate readabilityrs
carries with its tests, and 20 news pages of newspaper4k (MIT). The text counts as a set of runs of four words (or signs,
where words have no blanks between them), as often as they stand there; what is given is the mean of the pages' F1.
"""

import collections
import hashlib
import re

from .tools import SOURCES as FOLDER
from .tools import crate

PACKAGES = ["trafilatura==2.3.1", "readability-lxml==0.8.4.1", "lxml-html-clean"]
SOURCES = ["newspaper4k==0.9.6"]
CRATE = ("readabilityrs", "0.1.4")
# No blanks between words: each sign counts as one.
SIGNS = r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f\u1000-\u109f]"
# As long as a document may be.
LONGEST = 1_000_000


def part(page):
    """Returns the half that a page belongs to: developers examined `work` while they improved the bridge, but not `frozen`."""
    return "work" if hashlib.sha256(page.encode()).digest()[0] % 2 == 0 else "frozen"


def plain(html):
    """Returns the text of the expected part of a page."""
    from lxml import etree
    from lxml import html as parser
    root = parser.fromstring(html)
    etree.strip_elements(root, "script", "style", "noscript", with_tail=False)
    for element in root.iter("p", "div", "li", "td", "th", "br", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "tr", "figure"):
        element.tail = " " + (element.tail or "")
    return root.text_content()


def pages():
    for folder in sorted((crate(*CRATE) / "tests/test-pages").iterdir()):
        expected = plain((folder / "expected.html").read_text())
        yield "Readability", folder.name, (folder / "source.html").read_text(errors="replace"), expected
    data = FOLDER / "newspaper4k-0.9.6/tests/data"
    for text in sorted((data / "txt").glob("*.txt")):
        page = data / "html" / f"{text.stem}.html"
        if page.exists():
            yield "newspaper4k", text.stem, page.read_text(errors="replace"), text.read_text()


def runs(text):
    words = re.findall(rf"{SIGNS}|(?:(?!{SIGNS})\w)+", text.lower())
    return collections.Counter(tuple(words[at:at + 4]) for at in range(max(1, len(words) - 3)))


def compared(found, expected):
    """Precision, recall and F1."""
    found, expected = runs(found or ""), runs(expected)
    same = sum((found & expected).values())
    precision, recall = same / max(1, sum(found.values())), same / max(1, sum(expected.values()))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def by_readability(html):
    from readability import Document
    try:
        return plain(Document(html).summary())
    except Exception:  # pages without text
        return ""


def articles(ask, show):
    """html_extraction, trafilatura and readability-lxml, each compared with the text that people checked."""
    import trafilatura
    found, left_out = collections.defaultdict(list), []

    def bridge(html):
        result = ask("html_extraction", {"html": html, "max_characters": 150_000, "max_links": 0, "max_tables": 0})
        return result["main"]["text"] if result else ""
    tools = {"bridge": bridge, "trafilatura": lambda html: trafilatura.extract(html, include_comments=False),
             "readability-lxml": by_readability}
    for origin, name, html, expected in pages():
        if len(html.encode()) > LONGEST:
            left_out.append(name)
            continue
        for tool, extract in tools.items():
            found[origin, part(name), tool].append((*compared(extract(html), expected), name))
    for (origin, half, tool), rows in sorted(found.items()):
        precision, recall, both = (sum(row[at] for row in rows) / len(rows) for at in range(3))
        print(f"pages of {origin}, {half}, {tool}: F1 {both:.3f} (precision {precision:.3f}, recall {recall:.3f}, {len(rows)} pages)")
    print("left out, longer than a document may be:", ", ".join(left_out) or "none")
    for origin in ("Readability", "newspaper4k"):
        mine, theirs = found[origin, "work", "bridge"], found[origin, "work", "trafilatura"]
        worse = sorted((own[2] - other[2], own[3], own[:3], other[2]) for own, other in zip(mine, theirs) if own[2] < other[2] - 0.02)
        for difference, name, own, other in worse[:show]:
            print(f"  {name}: F1 {own[2]:.2f} (precision {own[0]:.2f}, recall {own[1]:.2f}), trafilatura {other:.2f}")
