"""Checks whether an agent's answer states the facts that a task expects (`tests/quality/agents/README.md`).

There is one function per agent: it takes the answer and the expected facts, and returns the mistake, or nothing.
"""

import re
import unicodedata

NUMBER = re.compile(r"[-−]?\d[\d,'’ ]*(?:\.\d+)?(?:e[-+]?\d+)?")


def plain(text):
    """Removes case, accents and punctuation from a text."""
    text = unicodedata.normalize("NFKD", str(text)).casefold()
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[^\w]+", " ", text).split())


def same(expected, found):
    """Returns whether a text equals one of the alternatives `a|b`."""
    return any(plain(part) == plain(found) for part in str(expected).split("|"))


def has(text, alternatives):
    """Returns whether a text contains one of the alternatives: as whole words, ignoring case, accents and punctuation, or verbatim."""
    space = f" {plain(text)} "
    for part in alternatives if isinstance(alternatives, list) else str(alternatives).split("|"):
        words = plain(part)
        if (words and f" {words} " in space) or str(part).casefold() in str(text).casefold():
            return True
    return False


def near(expected, found, tolerance=None):
    """Returns whether two numbers differ by at most half a percent, or the given tolerance."""
    try:
        expected, found = float(expected), float(found)
    except (TypeError, ValueError):
        return False
    return abs(expected - found) <= (abs(expected) * 0.005 + 1e-9 if tolerance is None else tolerance)


def numbers_in(value):
    """Returns all numbers of an answer, including those in its texts."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, str):
        for match in NUMBER.finditer(value):
            try:
                yield float(re.sub(r"[,'’ ]", "", match.group()).replace("−", "-"))
            except ValueError:
                pass
    else:
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(part)


def texts_in(value):
    """Joins all texts of an answer except its limitations."""
    if isinstance(value, dict):
        return "\n".join(texts_in(part) for name, part in value.items() if name != "limitations")
    if isinstance(value, list):
        return "\n".join(texts_in(part) for part in value)
    return "" if value is None else str(value)


def sentiment(answer, expect):
    items = answer.get("items") or [answer]
    found = [item.get("label") for item in items]
    if len(found) != len(expect.get("labels", found)):
        return f"{len(found)} items"
    for number, (wanted, label) in enumerate(zip(expect.get("labels", []), found)):
        if not same(wanted, label):
            return f"item {number}: {label}"
    aspects = [aspect for item in [answer, *(item for item in items if item is not answer)]
               for aspect in item.get("aspects", [])]
    for name, wanted in expect.get("aspects", {}).items():
        named = [aspect for aspect in aspects if has(aspect["name"], [name]) or has(name, [aspect["name"]])]
        if not any(same(wanted, aspect.get("label") or sign(aspect["score"])) for aspect in named):
            return f"aspect {name}: {[(aspect['name'], aspect['score']) for aspect in named]}"
    return None


def sign(score):
    return "positive" if score > 0.05 else "negative" if score < -0.05 else "neutral"


def classification(answer, expect):
    found = [text.get("label") for text in answer.get("texts", [])]
    if len(found) != len(expect["labels"]):
        return f"{len(found)} texts"
    wrong = [(wanted, label) for wanted, label in zip(expect["labels"], found) if not same(wanted, label)]
    return f"{wrong}" if wrong else None


def translation(answer, expect):
    text = answer.get("translation") or texts_in(answer.get("items", ""))
    for renderings in expect.get("translations", []):
        renderings = renderings if isinstance(renderings, list) else str(renderings).split("|")
        if not has(text, renderings):
            return f"none of {renderings[:3]} in {text[:80]!r}"
    for words in [*expect.get("must", []), *expect.get("keep", [])]:
        if not has(text, words):
            return f"{words} is missing"
    return None


def summarization(answer, expect):
    return text_facts(answer.get("summary", ""), expect)


def text_facts(text, expect):
    for alternatives in expect.get("must", []):
        if not has(text, alternatives):
            return f"{alternatives} is missing"
    for words in expect.get("must_not", []):
        if has(text, words):
            return f"{words} is in it"
    lines = [line for line in text.splitlines() if line.strip()]
    bullets = [line for line in lines if re.match(r"\s*([-*•–]|\d+[.)])\s", line)]
    if "bullets" in expect and not (len(bullets) == expect["bullets"] if expect["bullets"] is not True else bullets):
        return f"{len(bullets)} bullets"
    if "sentences_max" in expect:
        count = len([part for part in re.split(r"(?<=[.!?。！？])[\"”’)]*\s+", text.strip()) if part.strip()])
        if count > expect["sentences_max"]:
            return f"{count} sentences"
    if "words_max" in expect and len(text.split()) > expect["words_max"]:
        return f"{len(text.split())} words"
    return None


def aggregation(answer, expect):
    groups = answer.get("groups") or []
    singles = list(numbers_in([answer.get("answers", []), answer.get("summary", "")]))
    singles += list(numbers_in([group.get("sums", group.get("values", {})) for group in groups if len(groups) < 2]))
    for name, wanted in expect.get("numbers", {}).items():
        if not any(near(wanted, number) for number in singles):
            return f"{name} is not {wanted}: {singles[:6]}"
    for name, wanted in expect.get("groups", {}).items():
        own = [group for group in groups if any(same(name, part) for part in group["of"].values())
               or same(name, " ".join(map(str, group["of"].values())))
               or (len(group["of"]) > 1 and sorted(plain(name).split()) == sorted(plain(" ".join(map(str, group["of"].values()))).split()))]
        found = [number for group in own for part, value in group.items() if part != "of" for number in numbers_in(value)]
        wanted = wanted if isinstance(wanted, list) else wanted.values() if isinstance(wanted, dict) else [wanted]
        if not all(any(near(one, number) for number in found) for one in wanted):
            return f"group {name}: {found[:6]}"
    if "rows" in expect and expect["rows"] not in (answer.get("rows_total"), len(groups) or None, len(answer.get("rows", []))):
        return f"{answer.get('rows_total')} rows"
    rows = answer.get("rows") or [{}]
    columns = {plain(column) for column in rows[0]} | {plain(column.get("name", "")) for column in answer.get("columns", [])}
    for column in expect.get("columns", []):
        if plain(column) not in columns:
            return f"no column {column}"
    if "removed" in expect and answer.get("duplicates_removed") != expect["removed"]:
        return f"{answer.get('duplicates_removed')} removed"
    if "top" in expect:
        listed = [" ".join(map(str, group["of"].values())) for group in groups] or [texts_in(row) for row in rows]
        for name, found in zip(expect["top"], listed):
            if not has(found, [name]):
                return f"not in this order: {listed[:4]}"
        if len(listed) < len(expect["top"]):
            return f"only {len(listed)} in order"
    return None


def validation(answer, expect):
    problems = answer.get("problems", [])
    if expect.get("clean") and not answer.get("valid", not problems):
        return f"not clean: {texts_in(problems)[:120]}"
    for wanted in expect.get("problems", []):
        if not any(names_problem(problem, wanted) for problem in problems):
            return f"not found: {wanted}"
    named = {row for problem in problems for row in problem.get("rows", [])}
    wrong = named.intersection(expect.get("clean_rows", []))
    return f"rows {sorted(wrong)} are in order" if wrong else None


def names_problem(problem, wanted):
    fields = [problem.get("field") or "", problem.get("place", "")]
    return ((wanted.get("row") is None or wanted["row"] in problem.get("rows", []))
            and (not wanted.get("field") or any(has(field, str(wanted["field"])) for field in fields))
            and (not wanted.get("kind") or same(wanted["kind"], problem.get("kind", ""))))


def extraction(answer, expect):
    values = {plain(name): value for name, value in (answer.get("values") or {}).items()}
    for name, wanted in expect["fields"].items():
        key = plain(name)
        found = values[key] if key in values else next(
            (value for other, value in values.items() if key in other or other in key), None)
        if wanted is None:
            if found not in (None, "", []):
                return f"{name} is not in the text: {found}"
            continue
        for one in wanted if isinstance(wanted, list) else [wanted]:
            if not any(is_value(one, part) for part in (found if isinstance(found, list) else [found])):
                return f"{name}: {found!r}, not {one!r}"
    return None


def is_value(wanted, found):
    if found is None:
        return False
    if isinstance(wanted, bool):
        return same(wanted, found)
    if isinstance(wanted, (int, float)):
        return any(near(wanted, number, abs(wanted) * 1e-9 + 1e-9) for number in amounts(found))
    return same(wanted, found) or plain(wanted).replace(" ", "") == plain(found).replace(" ", "")


def amounts(found):
    """Returns the possible values of an amount: of two separators, the last is the decimal separator."""
    if isinstance(found, (int, float)):
        return [found]
    digits = re.sub(r"[^\d.,-]", "", str(found)).strip(".,")
    readings = [digits.replace(",", ""), digits.replace(".", "").replace(",", ".")]
    out = []
    for reading in readings:
        try:
            out.append(float(reading))
        except ValueError:
            pass
    return out


def compliance(answer, expect):
    items = answer.get("items", [])
    for wanted in expect["findings"]:
        own = [item for item in items if has(item["name"], wanted["item"]) or has(wanted["item"], [item["name"]])]
        if not own:
            return f"nothing of {wanted['item']}"
        if "present" in wanted and not any(is_present(item) == wanted["present"] for item in own):
            return f"{wanted['item']}: {own[0].get('status')}"
        quoted = texts_in([[item.get("evidence"), item.get("message")] for item in own])
        evidence = wanted.get("evidence", [])
        for words in evidence if isinstance(evidence, list) else [evidence]:
            if not has(quoted, words):
                return f"{wanted['item']}: {words!r} is not quoted"
    return None


def is_present(item):
    return item["present"] if item.get("present") is not None else bool(item.get("evidence"))


def leads(answer, expect):
    ranking = answer.get("ranking", [])
    score = lambda name: next((lead["score"] for lead in ranking if has(lead["lead"], [name]) or has(name, [lead["lead"]])), None)
    names = [lead["lead"] for lead in ranking]
    if "count" in expect and len(ranking) != expect["count"]:
        return f"{len(ranking)} leads: {names}"
    scores = [score(name) for name in expect.get("order", [])]
    if None in scores or any(a < b for a, b in zip(scores, scores[1:])):
        return f"order: {[(lead['lead'], lead['score']) for lead in ranking]}"
    for pair in expect.get("higher", []):
        high, low = score(pair[0]), score(pair[1])
        at_least = expect.get("at_least") or len(pair) > 2
        if high is None or low is None or high < low or (high == low and not at_least):
            return f"{pair[0]} {high}, {pair[1]} {low}"
    doubles = texts_in([answer.get("doubles", []), [lead.get("merged", []) for lead in ranking]])
    for group in expect.get("merged", []):
        if not all(has(doubles, name) for name in group) and not (answer.get("doubles") and len(group) == 2 and same(*group)):
            return f"{group} are not seen as one"
    return None


def citation(answer, expect):
    for wanted in expect.get("claims", []):
        own = [claim for claim in answer.get("claims", []) if has(claim["claim"], [wanted["claim"]])]
        if not own or not all(same(wanted["finding"], claim["finding"]) for claim in own):
            return f"{wanted['claim']}: {[claim['finding'] for claim in own]}"
    references = answer.get("references", [])
    for wanted in expect.get("references", []):
        own = [reference for reference in references
               if has(texts_in(reference), [wanted["contains"]])]
        if not own or ("valid" in wanted and not any(reference["ok"] == wanted["valid"] for reference in own)):
            return f"{wanted}: {[reference.get('ok') for reference in own]}"
    formatted = "\n".join(str(reference.get("formatted")) for reference in references)
    for part in expect.get("formatted", []):
        if not has(formatted, part):
            return f"{part!r} is not in {formatted[:80]!r}"
    return None


def pricing(answer, expect):
    if "decision" in expect and not any(price_decision(answer) == one for one in expect["decision"].split("|")):
        return f"decision {price_decision(answer)}"
    if "price" in expect and not is_between(answer.get("price"), expect["price"]):
        return f"price {answer.get('price')}"
    estimate = (answer.get("elasticity") or {}).get("estimate")
    if "elasticity" in expect and not is_between(estimate, expect["elasticity"]):
        return f"elasticity {estimate}"
    if "compare" in expect:
        better = answer.get("best_in_data")
        wanted = str(expect["compare"]).split("|")
        if better is None or not any(near(one, better) or has(texts_in(better), [one]) for one in wanted):
            return f"best in the data: {better}"
    return None


def price_decision(answer):
    decision, price, current = answer.get("decision"), answer.get("price"), answer.get("current_price")
    if decision == "change" and price is not None and current is not None:
        return "raise" if price > current else "lower"
    return {"stay": "keep", "test": "unclear", "none": "unclear", None: "unclear"}.get(decision, decision)


def is_between(value, bounds):
    return value is not None and bounds[0] <= value <= bounds[1]


def review(answer, expect):
    remarks = answer.get("remarks", [])
    if expect.get("clean") and remarks:
        return f"not clean: {remarks[0].get('message')}"
    for wanted in expect.get("defects", []):
        own = [remark for remark in remarks if wanted.get("line") is None or abs((remark.get("line") or 0) - wanted["line"]) <= 1]
        if not any(has(texts_in(remark), wanted["contains"]) for remark in own):
            return f"line {wanted.get('line')} {wanted['kind']}: {[remark.get('message') for remark in own]}"
    for words in expect.get("not", []):
        if has(texts_in([remark.get("message") for remark in remarks]), [words]):
            return f"{words!r} is false"
    return None


def coding(answer, expect):
    if "language" in expect and not same(expect["language"], answer.get("language")):
        return f"language {answer.get('language')}"
    if "function" in expect and not re.search(rf"\b{re.escape(expect['function'])}\b", answer.get("code", "")):
        return f"no function {expect['function']}"
    return None if answer.get("parses") else "it does not parse"


def forecast(answer, expect):
    steps = answer.get("forecast", [])
    if "steps" in expect and len(steps) != expect["steps"]:
        return f"{len(steps)} steps"
    for step, bounds in zip(steps, expect.get("values", [])):
        if not is_between(step["value"], bounds):
            return f"step {step['step']}: {step['value']}"
    if len(steps) < len(expect.get("values", [])):
        return f"{len(steps)} steps"
    # `period` in an answer is the number of points in a cycle; `frequency` is the distance between two points.
    if "period" in expect and not any(same(expect["period"], answer.get(name)) for name in ("period", "frequency")):
        return f"period {answer.get('period')}, frequency {answer.get('frequency')}"
    for label, step in zip(expect.get("labels", []), steps):
        if not same(label, step.get("label")):
            return f"label {step.get('label')}, not {label}"
    if "direction" in expect:
        first, last = answer.get("last_value", steps[0]["value"]), steps[-1]["value"]
        size = max(abs(first), abs(last), 1e-9)
        way = "flat" if abs(last - first) < 0.02 * size else "up" if last > first else "down"
        if not same(expect["direction"], way):
            return f"goes {way}"
    return None


def anomaly(answer, expect):
    found = answer.get("anomalies", [])
    if expect.get("none") and (found or answer.get("level_changes")):
        return f"found {[(one.get('label'), one['index']) for one in found]}"
    at = expect.get("at")
    if at is not None:
        unmatched = [one for one in found if not any(is_place(place, one) for place in at)]
        missing = [place for place in at if not any(is_place(place, one) for one in found)]
        if unmatched or missing:
            return f"missing {missing}, too many {[(one.get('label'), one['index']) for one in unmatched]}"
    change = expect.get("level_change")
    if change is not None and not any(is_place(place, one) for one in answer.get("level_changes", [])
                                      for place in (change if isinstance(change, list) else [change])):
        return f"level changes: {answer.get('level_changes')}"
    return None


def is_place(place, found):
    index = found.get("index", found.get("at"))
    if isinstance(place, int):
        return index == place
    label = found.get("label")
    return label is not None and any(same(one, label) for one in str(place).split("|"))


def video(answer, expect):
    findings = answer.get("findings", [])
    for wanted in expect.get("findings", []):
        words = wanted["contains"] if isinstance(wanted, dict) else [wanted]
        own = [one for one in findings if has(texts_in(one).replace("_", " "), words)]
        cue = wanted.get("cue") if isinstance(wanted, dict) else None
        cues = None if cue is None else str(cue).split("|")
        if not own or (cues and not any(str(number) in cues for one in own for number in (one.get("cue"), *one.get("cues", [])))):
            return f"{wanted}: {[one.get('kind') for one in findings]}"
    for words in expect.get("not", []):
        if has(texts_in(findings).replace("_", " "), words):
            return f"{words!r} is false"
    for name, wanted in expect.get("facts", {}).items():
        found = list(numbers_in([answer.get("captions"), answer.get("media"), answer.get("summary"), answer.get("transcript")]))
        ok = any(near(wanted, number) for number in found) if isinstance(wanted, (int, float)) else has(texts_in(answer), [wanted])
        if not ok:
            return f"{name} is not {wanted}"
    if "verdict" in expect and not same(expect["verdict"], "good" if answer.get("score", 0) >= 70 else "poor"):
        return f"score {answer.get('score')}"
    return None


def general(answer, expect):
    if "skill" in expect:
        if not same(expect["skill"], answer.get("skill")):
            return f"skill {answer.get('skill')}"
        return AGENTS[answer["skill"]](answer.get("answer") or {}, expect.get("facts") or {}) if expect.get("facts") else None
    return text_facts(texts_in([answer.get("summary"), answer.get("answer")]), expect.get("text", expect))


AGENTS = {
    "sentiment": sentiment, "classification": classification, "translation": translation, "summarization": summarization,
    "data:aggregation": aggregation, "data:validation": validation, "data:extraction": extraction,
    "compliance:audit": compliance, "sales:lead-scoring": leads, "research:citation": citation,
    "pricing:optimization": pricing, "code:review": review, "coding": coding, "analytics:forecast": forecast,
    "analytics:anomaly-detection": anomaly, "video:evaluation": video, "general": general,
}


def wrong(agent, answer, expect):
    """Returns the mistake in an answer, or nothing."""
    if "ask" in expect:
        return "it answered what cannot be answered"
    try:
        return AGENTS[agent](answer, expect)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        return f"the answer has another shape: {error!r}"
