//! PHP.

use crate::rule::{CRITICAL, HIGH, LIKELY, LOW, MAYBE, MEDIUM, Rule, SURE};

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "php.eval",
        (HIGH, LIKELY, "CWE-95"),
        &["eval", "assert", "create_function", "preg_replace"],
        r#"(?:^|[^>:\w])((?:eval|assert|create_function)\s*\(\s*(?:[^)\n]*\$|\$))|\bpreg_replace\s*\(\s*["'](.)[^"'\n]*/[a-z]*e[a-z]*["']"#,
        "Text is run as code",
        "Use a table of functions; preg_replace_callback instead of /e.",
    ),
    Rule::new(
        "php.command",
        (HIGH, LIKELY, "CWE-78"),
        &["exec", "system", "passthru", "popen", "proc_open"],
        r#"(?:^|[^>:\w])((?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec)\s*\(\s*[^);\n]*\$)"#,
        "A shell command is built from values",
        "Pass each value through escapeshellarg, or avoid the shell.",
    )
    .unless(r"escapeshell(?:arg|cmd)"),
    Rule::new(
        "php.include",
        (CRITICAL, LIKELY, "CWE-98"),
        &["include", "require"],
        r"\b(?:include|require)(?:_once)?\s*\(?\s*[^;\n]*\$_(?:GET|POST|REQUEST|COOKIE)\b",
        "The request chooses which file is run",
        "Use a table of pages.",
    ),
    Rule::new(
        "php.unserialize",
        (HIGH, LIKELY, "CWE-502"),
        &["unserialize"],
        r"\bunserialize\s*\(\s*[^)\n]*\$",
        "Unserialising builds any object that the data name",
        "Use json_decode, or allowed_classes => false.",
    )
    .unless(r"allowed_classes"),
    Rule::new(
        "php.sql",
        (HIGH, LIKELY, "CWE-89"),
        &["query", "exec", "prepare"],
        r#"(?i)(?:\b(?:mysql_query|mysqli_query|pg_query|sqlite_query)|->(?:query|exec|prepare|multi_query|rawQuery))\s*\(\s*(?:\$\w+\s*,\s*)?(?:"[^"]*\$|"[^"]*"\s*\.\s*\$|'[^']*'\s*\.\s*\$)"#,
        "An SQL statement is built from values",
        "Prepare the statement with placeholders and bind the values.",
    ),
    Rule::new(
        "php.sql-string",
        (MEDIUM, LIKELY, "CWE-89"),
        &["SELECT ", "select ", "INSERT ", "insert ", "UPDATE ", "update ", "DELETE ", "delete "],
        r#"(?i)=\s*(?:"\s*(?:select\s[^"]*\sfrom|insert\s+into|update\s[^"]*\sset|delete\s+from)\s[^"]*\$\{?[a-z_]|["']\s*(?:select\s[^"']*\sfrom|insert\s+into|update\s[^"']*\sset|delete\s+from)\s[^"']*'?["']\s*\.\s*\$)"#,
        "An SQL statement is built from values",
        "Prepare the statement with placeholders and bind the values.",
    ),
    Rule::new(
        "php.xss",
        (HIGH, LIKELY, "CWE-79"),
        &["$_GET", "$_POST", "$_REQUEST", "$_COOKIE", "$_SERVER"],
        r#"(?:\b(?:echo|print)\b|<\?=)\s*[^;\n]*\$_(?:GET|POST|REQUEST|COOKIE)\b|(?:\becho\b|<\?=)\s*[^;\n]*\$_SERVER\s*\[\s*["'](?:PHP_SELF|REQUEST_URI|QUERY_STRING)"#,
        "What the request says goes into the page unescaped",
        "Use htmlspecialchars($value, ENT_QUOTES).",
    )
    .unless(r"htmlspecialchars|htmlentities|\bintval\b|\(int\)|json_encode|urlencode|strip_tags|\be\("),
    Rule::new(
        "php.path",
        (HIGH, LIKELY, "CWE-22"),
        &["$_GET", "$_POST", "$_REQUEST", "$_FILES"],
        r#"\b(?:file_get_contents|fopen|readfile|file|unlink|file_put_contents|copy)\s*\(\s*[^;\n]*\$_(?:GET|POST|REQUEST|COOKIE)\b|\bmove_uploaded_file\s*\([^;]*\$_FILES[^;]*\[\s*["']name["']\s*\]"#,
        "A path or address comes from the request",
        "Take basename, check the folder, and give uploads a name of your own.",
    )
    .unless(r"\bbasename\s*\("),
    Rule::new(
        "php.redirect",
        (MEDIUM, LIKELY, "CWE-601"),
        &["header"],
        r#"(?i)\bheader\s*\(\s*["']location:\s*(?:["']\s*\.\s*)?\$_(?:GET|POST|REQUEST)\b"#,
        "The request chooses where the visitor is sent",
        "Allow relative paths or known hosts only.",
    ),
    Rule::new(
        "php.extract",
        (HIGH, SURE, "CWE-621"),
        &["extract", "parse_str"],
        r"\b(?:extract|parse_str)\s*\(\s*\$_(?:GET|POST|REQUEST|COOKIE|SERVER)\b[^,)\n]*\)",
        "The request sets any variable",
        "Read the members that are meant.",
    ),
    Rule::new(
        "php.weak-password-hash",
        (HIGH, SURE, "CWE-916"),
        &["md5", "sha1"],
        r#"\b(?:md5|sha1)\s*\(\s*[^)\n]*(?i:pass|pwd)"#,
        "A fast hash lets stolen passwords be guessed",
        "Use password_hash and password_verify.",
    ),
    Rule::new(
        "php.weak-hash",
        (LOW, MAYBE, "CWE-327"),
        &["md5", "sha1"],
        r#"(?:^|[^>:\w])((?:md5|sha1)\s*\(\s*\$|hash\s*\(\s*["'](?:md5|sha1)["'])"#,
        "MD5 and SHA-1 are broken where security depends on them",
        "Use hash(\"sha256\", …).",
    )
    .unless(r"(?i)(?:md5|sha1)\s*\(\s*[^)\n]*(?:pass|pwd)"),
    Rule::new(
        "php.tls-off",
        (HIGH, SURE, "CWE-295"),
        &["CURLOPT_SSL_VERIFY", "verify_peer"],
        r#"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|FALSE|0)\b|["']verify_peer(?:_name)?["']\s*=>\s*(?:false|FALSE)\b"#,
        "Certificates are not checked, so anyone on the way can read and change the traffic",
        "Leave verification on; for a private authority set CURLOPT_CAINFO.",
    )
    .in_strings(),
    Rule::new(
        "php.xxe",
        (HIGH, SURE, "CWE-611"),
        &["LIBXML_NOENT", "libxml_disable_entity_loader", "LIBXML_DTDLOAD"],
        r"\bLIBXML_(?:NOENT|DTDLOAD)\b|\blibxml_disable_entity_loader\s*\(\s*false\s*\)",
        "External entities let a document read files and call addresses",
        "Leave out LIBXML_NOENT and LIBXML_DTDLOAD.",
    ),
    Rule::new(
        "php.weak-random",
        (MEDIUM, LIKELY, "CWE-330"),
        &["rand", "uniqid"],
        r"(?i)\$\w*(?:token|secret|passw|nonce|otp|session_?id|api_?key|csrf)\w*\s*=\s*[^;\n]*\b(?:mt_rand|rand|uniqid|lcg_value)\s*\(",
        "These numbers can be predicted",
        "Use random_bytes or random_int.",
    ),
    Rule::new(
        "php.weak-cipher",
        (HIGH, SURE, "CWE-327"),
        &["mcrypt_", "openssl_encrypt"],
        r#"\bmcrypt_(?:encrypt|decrypt|module_open)\s*\(|\bopenssl_encrypt\s*\([^,\n]*,\s*["'](?i:des|rc4|bf|aes-\d+-ecb)"#,
        "A broken cipher, or a mode that shows equal blocks",
        "Use sodium_crypto_secretbox or aes-256-gcm.",
    ),
    Rule::new(
        "php.display-errors",
        (LOW, LIKELY, "CWE-209"),
        &["display_errors"],
        r#"\bini_set\s*\(\s*["']display_errors["']\s*,\s*["']?(?:1|on|true)\b"#,
        "Visitors see the inside of the program",
        "Log errors instead.",
    ),
];
