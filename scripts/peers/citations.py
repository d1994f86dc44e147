"""citation_check against idutils (CERN) on its own tests, and against arXiv's own code on forms of arXiv identifiers.

The forms are made from the identifiers in the tests of both: written as arXiv's help pages, BibTeX, publishers and browsers
write them. arXiv's code finds an identifier in any text; what is right is known, as the identifier is known.
"""

import ast
import importlib.util
import re
import sys
import types

from peers.stored import unpacked

PACKAGES = ["idutils==1.7.1"]
SOURCES = []
PROBE = {"resource_id": "10.1000/182"}
KINDS = {"doi", "arxiv", "isbn", "issn", "orcid", "pmid", "pmcid"}
FORMS = ["{}", "arXiv:{}", "arxiv:{}", "ARXIV: {}", "arXiv:{}v2", "arXiv preprint arXiv:{} [hep-ph], 2001", "arXiv preprint {}",
         "(arXiv:{})", "[arXiv:{}]", "arXiv:[{}]", "[{}]", "see arXiv:{}, and others.", "https://arxiv.org/abs/{}",
         "https://arxiv.org/abs/{}v3", "http://www.arxiv.org/pdf/{}", "https://arxiv.org/pdf/{}v1.pdf",
         "https://arxiv.org/html/{}v1#S2", "https://export.arxiv.org/abs/{}?context=cs", "<https://arxiv.org/format/{}>",
         "https://arxiv.org/e-print/{}", "archivePrefix = {{arXiv}}, eprint = {{{}}}", "https://doi.org/10.48550/arXiv.{}",
         "doi:10.48550/ARXIV.{}"]
# Numbers that are no arXiv identifiers, with nothing that says they are.
NONE = ["it rose from 1201.1234 to 1202.1235", "order 0706.00011, lot 1412.78", "call 0207.9460958", "10.1234/1501.00001"]


def arxiv_code():
    """Returns arXiv's `parse_arxiv_id`, loaded without its web framework."""
    folder = unpacked("arxiv-base==0.17.8", wheel=True) / "arxiv"

    def load(name, path):
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    package = sys.modules["arxiv"] = types.ModuleType("arxiv")
    package.taxonomy = load("arxiv_definitions", folder / "taxonomy/definitions.py")
    sys.modules["arxiv.taxonomy"] = package.taxonomy
    return load("arxiv_identifier", folder / "identifier/__init__.py").parse_arxiv_id, folder


def canonical(identifier):
    """Normalises an identifier: lower case, without version, subject class, and archive prefix of a new-style number."""
    bare = re.sub(r"v\d+$", "", identifier.lower().removeprefix("arxiv:"))
    archive, _, number = bare.rpartition("/")
    return number if "." in number else f"{archive.split('.')[0]}/{number}"


def exists(number):
    """Returns whether arXiv can have assigned the identifier: it ends with four digits until 2014, five since."""
    return "/" in number or len(number) == (9 if number < "1501" else 10)


def named(result):
    """Returns the arXiv paper that the answer names, by its identifier or by a DOI of arXiv."""
    found = set()
    for identifier in result["references"][0]["identifiers"]:
        if identifier["valid"] and identifier["kind"] == "arxiv":
            found.add(identifier["normalised"])
        elif identifier["valid"] and identifier["normalised"].startswith("10.48550/arxiv."):
            found.add(canonical(identifier["normalised"].removeprefix("10.48550/arxiv.")))
    return found


def own_tests(ask):
    import idutils
    tests = (unpacked("idutils==1.4.2") / "idutils-1.4.2/tests/test_idutils.py").read_text()
    rows = next(ast.literal_eval(node.value) for node in ast.parse(tests).body
                if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "identifiers")
    agree, wrong = 0, []
    for text, *_ in rows:
        theirs = KINDS.intersection(idutils.detect_identifier_schemes(text))
        result = ask("citation_check", {"references": [text]})
        mine = {found["kind"] for found in result["references"][0]["identifiers"] if found["valid"]} & KINDS
        if mine == theirs:
            agree += 1
        else:
            wrong.append(f"  {text!r}: {sorted(mine)} here, {sorted(theirs)} there")
    print(f"citation_check and idutils, its own identifiers: {agree} of {len(rows)} agree")
    return wrong


def compare(ask, show):
    import idutils
    parse, folder = arxiv_code()
    wrong = own_tests(ask)
    tests = (folder / "identifier/tests.py").read_text()
    known = sorted(set(re.findall(r"parse_arxiv_id\('([^']+)'\)", tests)) | {"1310.2590", "math.GT/0309136", "hep-th/9901001",
                                                                            "1601.07616", "0706.0001", "1501.00001"})
    known = sorted({re.sub(r"v\d+$", "", text) for text in known})
    right, total = {"bridge": 0, "arxiv-base": 0, "idutils": 0}, 0
    for identifier in known:
        for form in FORMS:
            text, total = form.format(identifier), total + 1
            expect = canonical(identifier) if exists(canonical(identifier)) else None
            mine = named(ask("citation_check", {"references": [text]}))
            try:
                theirs = canonical(parse(text))
            except ValueError:
                theirs = None
            is_arxiv = "arxiv" in idutils.detect_identifier_schemes(text)
            right["bridge"] += mine == ({expect} if expect else set())
            right["arxiv-base"] += theirs == expect
            right["idutils"] += (canonical(idutils.normalize_pid(text, "arxiv")) if is_arxiv else None) == expect
            if mine != ({expect} if expect else set()):
                wrong.append(f"  {text!r}: {sorted(mine)} here, {expect} is right, {theirs} by arxiv-base")
    for name, count in right.items():
        print(f"citation_check, forms of arXiv identifiers: {name} right in {count} of {total}")
    false = {"bridge": sum(bool(named(ask("citation_check", {"references": [text]}))) for text in NONE), "arxiv-base": 0}
    for text in NONE:
        try:
            false["arxiv-base"] += bool(parse(text))
        except ValueError:
            pass
    print(f"citation_check, {len(NONE)} texts with other numbers: bridge finds {false['bridge']}, "
          f"arxiv-base {false['arxiv-base']}")
    print("\n".join(wrong[:show]))
