use super::*;
use agent_common::patterns;

fn found(code: &str, language: Language) -> Vec<(usize, String)> {
    let source = Source::read("a", code, language);
    look(&source).into_iter().map(|remark| (remark.line, remark.rule)).collect()
}

#[test]
fn all_patterns_are_regular_expressions() {
    let languages = [
        Language::Python,
        Language::Javascript,
        Language::Java,
        Language::Csharp,
        Language::Kotlin,
        Language::C,
        Language::Cpp,
        Language::Go,
        Language::Rust,
        Language::Php,
        Language::Ruby,
        Language::Shell,
        Language::Dockerfile,
        Language::Html,
        Language::Sql,
    ];
    for rule in languages.into_iter().flat_map(tables).flatten() {
        for pattern in [rule.pattern, rule.unless] {
            assert!(patterns::compiled(pattern).is_some(), "{}: {pattern}", rule.id);
        }
    }
}

#[test]
fn defects_are_found_in_their_lines() {
    use Language::{C, Cpp, Dockerfile, Go, Java, Javascript, Php, Python, Rust, Shell, Sql};
    let cases: &[(Language, &str, usize, &str)] = &[
        (Python, "def f(a, b=[]):\n    b.append(a)\n    return b\n", 1, "python.mutable-default"),
        (Python, "def f(a, b: dict = {}):\n    return b\n", 1, "python.mutable-default"),
        (Python, "try:\n    f()\nexcept:\n    pass\n", 3, "python.bare-except"),
        (Python, "if x == None:\n    y()\n", 1, "python.none-equality"),
        (Python, "if x is 5:\n    y()\n", 1, "python.is-literal"),
        (Python, "if c == 'a' or 'b':\n    y()\n", 1, "python.or-literal"),
        (Python, "a = b.sort()\n", 1, "python.result-none"),
        (Python, "def f(s):\n    s.strip()\n    return s\n", 2, "python.unused-result"),
        (Python, "import os\nimport sys\n\ndef f():\n    return os.getcwd()\n", 2, "unused-import"),
        (Python, "def f():\n    return 1\n    print(2)\n", 3, "unreachable"),
        (Python, "async def g():\n    return 1\n\nasync def f():\n    g()\n", 5, "missing-await"),
        (Python, "def f(x):\n    for i in range(len(x) + 1):\n        print(x[i])\n", 2, "python.off-by-one"),
        (Python, "def mean(xs):\n    return sum(xs) / len(xs)\n", 2, "division-by-zero"),
        (Python, "while n > 0:\n    print(n)\n", 1, "infinite-loop"),
        (Python, "for x in xs:\n    if x:\n        xs.remove(x)\n", 3, "changed-in-loop"),
        (
            Python,
            "def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n        return total\n",
            5,
            "return-in-loop",
        ),
        (Python, "def fact(n):\n    return n * fact(n - 1)\n", 2, "infinite-recursion"),
        (Python, "def f(result):\n    return reuslt\n", 2, "undefined-name"),
        (Python, "f = open('a')\nd = f.read()\n", 1, "python.open-without-with"),
        (Python, "def f():\n    unused = 1\n    return 2\n", 2, "unused-variable"),
        (Python, "if a != 1 or a != 2:\n    f()\n", 1, "always-true"),
        (Python, "if k == 1:\n    f(1)\nelif k == 2:\n    f(1)\nelse:\n    f(3)\n", 4, "same-branches"),
        (Javascript, "if (u.rol = \"admin\") {\n  f();\n}\n", 1, "js.assign-in-condition"),
        (Javascript, "if (a == b) {\n  f();\n}\n", 1, "js.eqeqeq"),
        (Javascript, "var x = 1;\n", 1, "js.no-var"),
        (Javascript, "for (let i = 0; i <= a.length; i++) {\n  f(a[i]);\n}\n", 1, "js.off-by-one"),
        (Javascript, "items.forEach(async (i) => {\n  await f(i);\n});\n", 1, "js.async-foreach"),
        (Javascript, "async function load() {\n  const r = fetch('/a');\n  return r.json();\n}\n", 2, "missing-await"),
        (Javascript, "[1, 10, 9].sort();\n", 1, "js.sort-numbers"),
        (Javascript, "const a = 1;\na = 2;\n", 2, "const-assigned"),
        (Javascript, "for (var i = 0; i < 3; i++) {\n  setTimeout(() => console.log(i), 10);\n}\n", 2, "loop-closure"),
        (Javascript, "switch (a) {\n  case 1:\n    f();\n  case 2:\n    g();\n    break;\n}\n", 3, "fallthrough"),
        (Java, "if (name == \"admin\") {\n  f();\n}\n", 1, "java.string-equality"),
        (Java, "try {\n  f();\n} catch (Exception e) {\n}\n", 3, "empty-catch"),
        (Java, "for (String s : list) {\n  list.remove(s);\n}\n", 2, "changed-in-loop"),
        (C, "void f(char *p)\n{\n    free(p);\n    p->next = 0;\n}\n", 4, "c.use-after-free"),
        (C, "char *f(void)\n{\n    char b[8];\n    return b;\n}\n", 4, "c.dangling"),
        (
            C,
            "int f(int n)\n{\n    int a[10];\n    for (int i = 0; i <= 10; i++) {\n        a[i] = 0;\n    }\n    return 0;\n}\n",
            4,
            "off-by-one",
        ),
        (C, "int main(void)\n{\n    char b[8];\n    gets(b);\n}\n", 4, "c.gets"),
        (Cpp, "int *f()\n{\n    int *a = new int[3];\n    delete a;\n    return 0;\n}\n", 4, "cpp.delete-array"),
        (Go, "data, _ := os.ReadFile(p)\n", 1, "go.ignored-error"),
        (Rust, "let x = y.unwrap();\n", 1, "rust.unwrap"),
        (Rust, "for i in 0..v.len() - 1 {\n}\n", 1, "rust.len-underflow"),
        (Sql, "SELECT a\nFROM b\nWHERE c = NULL\n", 3, "sql.null-equality"),
        (Sql, "DELETE FROM users;\n", 1, "sql.no-where"),
        (Shell, "rm -rf $DIR/*\n", 1, "shell.rm-variable"),
        (Shell, "cp $a /tmp/b\n", 1, "shell.unquoted"),
        (Php, "if ($a = 5) {\n  f();\n}\n", 1, "php.assign-in-condition"),
        (Dockerfile, "FROM ubuntu\nCMD [\"a\"]\n", 1, "docker.latest"),
    ];
    for (language, code, line, rule) in cases {
        let all = found(code, *language);
        assert!(all.contains(&(*line, (*rule).to_owned())), "{rule} not in {all:?} of\n{code}");
    }
}

#[test]
fn good_code_is_left_alone() {
    use Language::{C, Go, Java, Javascript, Python, Rust, Shell, Sql};
    let cases: &[(Language, &str)] = &[
        (Python, "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return json.load(file)\n"),
        (Python, "def mean(values):\n    if not values:\n        return 0\n    return sum(values) / len(values)\n"),
        (
            Python,
            "def find(items, wanted):\n    for item in items:\n        if item == wanted:\n            return item\n    return None\n",
        ),
        (Python, "async def g():\n    return 1\n\n\nasync def f():\n    return await g()\n"),
        (Python, "def f(n):\n    while n > 0:\n        n -= 1\n    return n\n"),
        (Python, "def fact(n):\n    if n < 2:\n        return 1\n    return n * fact(n - 1)\n"),
        (Python, "def f(a, b=None):\n    b = b or []\n    b.append(a)\n    return b\n"),
        (Python, "cur.execute(\"SELECT a FROM b WHERE c = %s\", (c,))\n"),
        (Javascript, "function f(a) {\n  if (a === 1) {\n    return 2;\n  }\n  return 3;\n}\n"),
        (Javascript, "async function f(u) {\n  const r = await fetch(u);\n  return r.json();\n}\n"),
        (Javascript, "const total = items.reduce((sum, item) => sum + item.price, 0);\n"),
        (Java, "if (\"admin\".equals(name)) {\n  f();\n}\n"),
        (
            C,
            "int sum(const int *a, int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++) {\n        s += a[i];\n    }\n    return s;\n}\n",
        ),
        (Go, "data, err := os.ReadFile(p)\nif err != nil {\n\treturn err\n}\n"),
        (Rust, "pub fn first(v: &[i32]) -> Option<i32> {\n    v.first().copied()\n}\n"),
        (Sql, "SELECT id FROM orders WHERE shipped_at IS NULL ORDER BY id;\n"),
        (Shell, "cd \"$DIR\" || exit 1\nrm -f \"$FILE\"\n"),
    ];
    for (language, code) in cases {
        let source = Source::read("a", code, *language);
        let all: Vec<String> = look(&source)
            .into_iter()
            .filter(|remark| remark.severity != "info")
            .map(|remark| format!("{} {}", remark.line, remark.rule))
            .collect();
        assert!(all.is_empty(), "{all:?} of\n{code}");
    }
}
