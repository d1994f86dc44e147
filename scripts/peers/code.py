"""code_metrics against radon and lizard on the sources and tests of both: complexity of every function, lines of every file.

radon counts by Python's own grammar; it is told to leave out `assert`, which it counts by default and lizard does not.
"""

import ast

from peers.stored import unpacked

PACKAGES = ["radon==6.0.1", "lizard==1.24.3"]
SOURCES = []
PROBE = {"source": "def a():\n    pass\n", "language": "python"}


def files():
    for package in ("radon==6.0.1", "lizard==1.24.3"):
        root = unpacked(package)
        for path in sorted(root.rglob("*.py")):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8", errors="replace")


def snippets():
    """Returns the C++ sources in lizard's tests: constant texts passed to its helpers."""
    for path in sorted((unpacked("lizard==1.24.3") / "lizard-1.24.3/test").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(node, "func", None), "id", "")
            if name in ("get_cpp_fileinfo", "get_cpp_function_list") and isinstance(node.args[0], ast.Constant):
                yield f"{path.name}:{node.lineno}", node.args[0].value


def by_radon(text):
    """Returns the complexity of each function by its line. A closure counts separately, as in the bridge and in lizard."""
    from radon.visitors import ComplexityVisitor, Class, Function
    found, rest = {}, list(ComplexityVisitor.from_code(text, no_assert=True).blocks)
    while rest:
        block = rest.pop()
        if isinstance(block, Function):
            found[block.lineno] = block.complexity
            rest += block.closures
        elif isinstance(block, Class):
            rest += [*block.methods, *block.inner_classes]
    return found


def ours(ask, path, text, language):
    result = ask("code_metrics", {"source": text, "language": language, "path": path, "max_listed": 1000})
    return result and {function["line"]: function for function in result["functions"]}, result and result["files"][0]


def compare(ask, show):
    import lizard
    from radon.raw import analyze
    counts, differ = {}, []

    def note(kind, equal, line):
        counts.setdefault(kind, [0, 0])
        counts[kind][0] += equal
        counts[kind][1] += 1
        if not equal:
            differ.append(f"  {kind}: {line}")
    for path, text in files():
        if not text.strip():
            continue
        mine, file = ours(ask, path, text, "python")
        theirs = by_radon(text)
        for line, complexity in theirs.items():
            function = mine.get(line)
            note("radon, complexity", function and function["cyclomatic"] == complexity,
                 f"{path}:{line} {function and function['cyclomatic']} here, {complexity} there")
        for function in lizard.analyze_file.analyze_source_code(path, text).function_list:
            own = mine.get(function.start_line)
            note("lizard, complexity", own and own["cyclomatic"] == function.cyclomatic_complexity,
                 f"{path}:{function.start_line} {own and own['cyclomatic']} here, {function.cyclomatic_complexity} there")
            note("lizard, lines of functions", own and own["code_lines"] == function.nloc,
                 f"{path}:{function.start_line} {own and own['code_lines']} here, {function.nloc} there")
        raw = analyze(text)
        note("radon, blank lines", file["blank_lines"] == raw.blank, f"{path} {file['blank_lines']} here, {raw.blank} there")
        note("radon, lines of code", file["code_lines"] == raw.sloc, f"{path} {file['code_lines']} here, {raw.sloc} there")
        comments = raw.single_comments + raw.multi
        note("radon, comment lines", file["comment_lines"] == comments,
             f"{path} {file['comment_lines']} here, {comments} there")
    for place, text in snippets():
        functions, _ = ours(ask, "a.cpp", text, "cpp") if text.strip() else ({}, None)
        functions = sorted((functions or {}).values(), key=lambda function: function["line"])
        mine = [function["cyclomatic"] for function in functions]
        theirs = [function.cyclomatic_complexity for function in lizard.analyze_file.analyze_source_code("a.cpp", text).function_list]
        note("lizard, its own C++", mine == theirs, f"{place} {mine} here, {theirs} there: {text[:160]!r}")
    differ.sort(key=lambda line: "lines" in line.split(":")[0])
    for kind, (equal, total) in counts.items():
        print(f"code_metrics and {kind}: {equal} of {total} agree")
    print("\n".join(differ[:show]))
