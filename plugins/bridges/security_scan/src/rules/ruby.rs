//! Ruby.

use crate::rule::{HIGH, LIKELY, LOW, MAYBE, MEDIUM, Rule, SURE};

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "ruby.eval",
        (HIGH, LIKELY, "CWE-95"),
        &["eval"],
        r#"(?:^|[^.\w]|\.(?:instance_|class_|module_))(eval\s*[( ]\s*(?:params|request|"[^"\n]*#\{|[a-z_]\w*\s*[)\n]))"#,
        "eval runs whatever text it is given",
        "Use public_send with an allow-list, or a table of lambdas.",
    )
    .unless(r"\bdef\s+(?:self\.)?eval"),
    Rule::new(
        "ruby.command",
        (HIGH, LIKELY, "CWE-78"),
        &["system", "exec", "popen", "spawn", "`", "%x"],
        r##"(?:^|[^.\w])((?:Kernel\.|IO\.)?(?:system|exec|popen|spawn)\s*[( ]\s*(?:"[^"\n]*#\{|params\b)|%x[\[({][^\])}\n]*#\{|`[^`\n]*#\{)"##,
        "A shell command is built from values",
        "Pass the arguments one by one: system(\"ls\", folder).",
    ),
    Rule::new(
        "ruby.deserialize",
        (HIGH, LIKELY, "CWE-502"),
        &["Marshal", "YAML", "Psych", "Oj."],
        r"\bMarshal\.(?:load|restore)\b|\b(?:YAML|Psych)\.(?:load|unsafe_load|load_stream)\s*[( ]|\bOj\.object_load\b",
        "Deserialising builds any object that the data name",
        "Use JSON.parse or YAML.safe_load.",
    )
    .unless(r"permitted_classes"),
    Rule::new(
        "ruby.sql",
        (HIGH, LIKELY, "CWE-89"),
        &["where", "find_by_sql", "execute", "order", "joins", "select", "pluck", "exec_query"],
        r##"\.(?:where|find_by_sql|execute|exec_query|order|joins|group|having|pluck|count_by_sql|update_all|delete_all)\s*[( ]\s*\[?\s*(?:"[^"\n]*#\{|"[^"\n]*"\s*\+\s*\w|params\[)"##,
        "An SQL statement is built from values",
        "Pass values apart: where(\"name = ?\", name) or where(name: name).",
    ),
    Rule::new(
        "ruby.tls-off",
        (HIGH, SURE, "CWE-295"),
        &["VERIFY_NONE", "verify", "ssl"],
        r"\bVERIFY_NONE\b|\bverify_ssl\s*(?:=>|:|=)\s*false\b|\bverify:\s*false\b|\bssl_verify_peer\s*(?:=>|=|:)\s*false\b",
        "Certificates are not checked, so anyone on the way can read and change the traffic",
        "Leave verification on; for a private authority set ca_file.",
    ),
    Rule::new(
        "ruby.weak-hash",
        (MEDIUM, LIKELY, "CWE-327"),
        &["MD5", "SHA1"],
        r"\b(?:OpenSSL::)?Digest(?:::|\.)(?:MD5|SHA1)\b",
        "MD5 and SHA-1 are broken where security depends on them",
        "Use SHA256; for passwords bcrypt or argon2.",
    ),
    Rule::new(
        "ruby.weak-cipher",
        (HIGH, SURE, "CWE-327"),
        &["Cipher"],
        r#"\bOpenSSL::Cipher(?:::Cipher)?\.new\s*\(?\s*["'](?i:des|rc4|bf|aes-?\d+-?ecb)"#,
        "A broken cipher, or a mode that shows equal blocks",
        "Use aes-256-gcm.",
    ),
    Rule::new(
        "ruby.html-safe",
        (MEDIUM, LIKELY, "CWE-79"),
        &["html_safe", "raw"],
        r##"\bparams\[[^\]\n]*\][\w.]*\.html_safe\b|"[^"\n]*#\{[^"\n]*"\.html_safe\b|\braw\s*\(?\s*params\["##,
        "Text built from values is declared safe HTML",
        "Let the view escape it, or use sanitize.",
    )
    .in_strings(),
    Rule::new(
        "ruby.mass-assignment",
        (MEDIUM, SURE, "CWE-915"),
        &["permit!"],
        r"\bparams(?:\[[^\]\n]*\]|\.\w+(?:\([^)\n]*\))?)*\.permit!",
        "The request sets any attribute",
        "Name the attributes: params.require(:user).permit(:name).",
    ),
    Rule::new(
        "ruby.path",
        (HIGH, LIKELY, "CWE-22"),
        &["params["],
        r##"\b(?:send_file|File\.(?:read|open|new|delete|write)|IO\.read|open|render\s+file:)\s*[( ]\s*(?:Rails\.root\.join\s*\([^)\n]*|"[^"\n]*#\{\s*)?params\["##,
        "A path comes from the request, so ../ leads out of the folder, and a | runs a command",
        "Take File.basename and check the folder.",
    ),
    Rule::new(
        "ruby.redirect",
        (MEDIUM, LIKELY, "CWE-601"),
        &["redirect_to"],
        r"\bredirect_to\s*\(?\s*params\[",
        "The request chooses where the visitor is sent",
        "Allow relative paths or known hosts only.",
    ),
    Rule::new(
        "ruby.constantize",
        (HIGH, LIKELY, "CWE-470"),
        &["constantize", "send"],
        r"\bparams\[[^\]\n]*\][\w.]*\.(?:safe_)?constantize\b|\.(?:public_)?send\s*\(\s*params\[",
        "The request chooses a class or a method",
        "Use an allow-list.",
    ),
    Rule::new(
        "ruby.csrf",
        (MEDIUM, LIKELY, "CWE-352"),
        &["verify_authenticity_token", "forgery"],
        r"\bskip_before_action\s*\(?\s*:verify_authenticity_token\b|\bskip_forgery_protection\b",
        "Other sites can make a visitor's browser send requests",
        "Keep the protection, or accept bearer tokens only.",
    ),
    Rule::new(
        "ruby.weak-random",
        (LOW, MAYBE, "CWE-330"),
        &["rand"],
        r"(?i)\b\w*(?:token|secret|passw|nonce|otp|session_?id|api_?key)\w*\s*=\s*[^\n]*\b(?:Kernel\.)?rand\s*[( ]",
        "rand can be predicted",
        "Use SecureRandom.",
    )
    .unless("SecureRandom"),
];
