//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Call, Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<String, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| String::from_utf8(bytes).expect("JSON is UTF-8"))
}

/// Names of every language.
fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a.py",
        "a.js",
        "a.ts",
        "a.go",
        "a.java",
        "a.rb",
        "a.php",
        "a.rs",
        "a.c",
        "a.cpp",
        "a.sh",
        "Dockerfile",
        "a.yml",
        "a.tf",
        ".github/workflows/a.yml",
        "package.json",
        "requirements.txt",
        "Cargo.toml",
        ".env",
        "a.txt",
    ])
}

/// Text made of what the lexer and the rules react to.
fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "\"",
        "'",
        "`",
        "${",
        "}",
        "/*",
        "*/",
        "//",
        "#",
        "\n",
        "\\",
        "r#\"",
        "\"#",
        "R\"x(",
        ")x\"",
        "é",
        "eval(",
        "exec(",
        "password",
        " = ",
        "token: ",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "https://a:b1c2d3@",
        "SELECT ",
        " FROM ",
        "curl x | sh",
        "tollbridge:ignore ",
        "\r\n",
        "\t",
        "{",
        "[",
        ",",
        ":",
        "[dependencies]",
        "=begin",
        "/",
        "AKIA",
        "\u{0}",
        "x",
    ];
    prop::collection::vec(
        prop_oneof![
            prop::sample::select(pieces).prop_map(str::to_owned),
            "[ -~]{0,12}",
            any::<char>().prop_map(String::from)
        ],
        0..60,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_is_answered_the_same_twice(path in path(), text in text()) {
        let input = serde_json::json!({"files": [{"path": path, "content": text}]});
        let answer = run(&input);
        prop_assert!(answer.is_ok(), "{:?}", answer);
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), json in "[\\[\\]{}:,\"a-z0-9. ]{0,120}", kind in "[a-z/.-]{0,20}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let _ = guest::handle(handle, &Call::default(), json.as_bytes());
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: kind, bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    /// A key that is found never appears in the answer.
    #[test]
    fn secrets_are_masked(body in "[A-Z2-7]{16}", before in "[ -~]{0,80}", after in "[ -~]{0,80}", plain in "[a-z ]{0,80}") {
        let key = format!("AKIA{body}");
        let scan = |before: &str, after: &str| {
            let text = format!("{before} {key} {after}\n");
            run(&serde_json::json!({"source": text, "path": "a.py"})).expect("an answer")
        };
        let answer = scan(&before, &after);
        if answer.contains("secret.aws-key-id") && !before.contains("AKIA") && !after.contains("AKIA") {
            prop_assert!(!answer.contains(&body), "{answer}");
        }
        let answer = scan("x =", &plain);
        prop_assert!(answer.contains("secret.aws-key-id") && !answer.contains(&body), "{answer}");
    }
}

/// Whatever is made to cost most stays within bounds; the time is that of a debug build.
#[test]
fn hostile_input_is_bounded() {
    let repeat = |piece: &str| piece.repeat(1_000_000 / piece.len());
    for (path, piece) in [
        ("a.js", "/["),
        ("a.js", "eval(`${"),
        ("a.py", "password="),
        ("a.rs", "r#"),
        ("a.sh", "eval $a "),
        ("a.txt", "eyJ"),
        ("a.py", "execute(f\"select "),
        ("a.tf", "ingress {"),
        ("package.json", "["),
        ("a.txt", "://a:"),
        ("a.rb", "`#{"),
    ] {
        let started = std::time::Instant::now();
        assert!(run(&serde_json::json!({"source": repeat(piece), "path": path})).is_ok());
        assert!(started.elapsed().as_secs() < 60, "{piece} took {:?}", started.elapsed());
    }
    assert!(run(&serde_json::json!({"source": "x".repeat(1_100_000)})).is_err());
}

/// Clean code of each language that talks about dangers: no finding.
#[test]
fn talk_is_no_finding() {
    for (path, text) in [
        ("a.py", "# never use eval(x) or os.system(cmd)\ndoc = \"eval(x) and pickle.loads(data)\"\n"),
        (
            "a.js",
            "// eval(code) is bad\nconst help = 'document.write(x)'; /* innerHTML = x */\nmodel.eval(); re.exec(text);\n",
        ),
        ("a.go", "// InsecureSkipVerify: true is bad\nvar s = \"exec.Command(\\\"sh\\\", \\\"-c\\\", x)\"\n"),
        ("a.c", "/* gets(buffer) */ const char *s = \"strcpy(a, b)\";\n"),
        ("a.sh", "# curl https://x | sh\necho 'curl https://x | sh'\n"),
        ("a.java", "// new ObjectInputStream(in)\nString s = \"Runtime.getRuntime().exec(x)\";\n"),
    ] {
        let answer = run(&serde_json::json!({"files": [{"path": path, "content": text}]})).expect("an answer");
        assert!(answer.contains("\"findings\":[]"), "{path}: {answer}");
    }
}
