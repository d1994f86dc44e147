"""The language of short texts."""

from .tools import ROOT

PACKAGES = ["lingua-language-detector==2.1.1", "langdetect==1.0.9"]
SOURCES = []


def languages(ask, _show):
    """language_detection, lingua and langdetect, each against the right answer, on the frozen short texts."""
    from langdetect import DetectorFactory, detect
    from lingua import LanguageDetectorBuilder
    DetectorFactory.seed = 0
    rows = [line.split("\t") for line in (ROOT / "plugins/bridges/language_detection/quality/short.tsv").read_text().splitlines()]
    rows = [(code, text) for split, code, text in rows[1:] if split == "frozen"]
    lingua = LanguageDetectorBuilder.from_all_languages().build()

    def by_lingua(text):
        found = lingua.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else None

    def by_langdetect(text):
        found = detect(text)
        return "nb" if found == "no" else found
    result = ask("language_detection", {"texts": [text for _, text in rows]})
    ours = [text["language"] for text in result["texts"]]
    for name, found in (("bridge", ours), ("lingua", [by_lingua(text) for _, text in rows]),
                        ("langdetect", [by_langdetect(text) for _, text in rows])):
        right = sum(code == language for (code, _), language in zip(rows, found))
        print(f"language_detection, short texts: {name} right in {right} of {len(rows)}")
