//! Python.

use crate::rule::{CRITICAL, HIGH, LIKELY, LOW, MAYBE, MEDIUM, Rule, SURE};

pub(super) const RULES: &[Rule] = &[
    Rule::new(
        "python.sql",
        (HIGH, LIKELY, "CWE-89"),
        &[".execute", ".raw(", ".executescript", "text("],
        r#"(?i)(?:\.(?:execute|executemany|executescript|raw)|\btext)\s*\(\s*(?:f"{1,3}\s*(?:select|insert|update|delete|drop|alter|create|with)\b[^"]*\{|f'{1,3}\s*(?:select|insert|update|delete|drop|alter|create|with)\b[^']*\{|"{1,3}\s*(?:select|insert|update|delete|drop|alter|create|with)\b[^"]*"{1,3}\s*(?:%\s*[(\w]|\+|\.format\b)|'{1,3}\s*(?:select|insert|update|delete|drop|alter|create|with)\b[^']*'{1,3}\s*(?:%\s*[(\w]|\+|\.format\b))"#,
        "An SQL statement is built from values",
        "Leave placeholders in the statement and pass the values as parameters.",
    ),
    Rule::new(
        "python.sql-string",
        (MEDIUM, LIKELY, "CWE-89"),
        &["SELECT", "select", "INSERT", "insert", "UPDATE", "update", "DELETE", "delete"],
        r#"(?i)(?:[=(,\[:+]|\breturn)\s*(?:f"{1,3}\s*(?:select\s[^"]*\sfrom\s|insert\s+into\s|update\s[^"]*\sset\s|delete\s+from\s|with\s[^"]*\sselect\s)[^"]*\{|f'{1,3}\s*(?:select\s[^']*\sfrom\s|insert\s+into\s|update\s[^']*\sset\s|delete\s+from\s|with\s[^']*\sselect\s)[^']*\{|"{1,3}\s*(?:select\s[^"]*\sfrom\s|insert\s+into\s|update\s[^"]*\sset\s|delete\s+from\s|with\s[^"]*\sselect\s)[^"]*"{1,3}\s*(?:%\s*[(\w]|\+\s*\w|\.(?:format|replace)\b)|'{1,3}\s*(?:select\s[^']*\sfrom\s|insert\s+into\s|update\s[^']*\sset\s|delete\s+from\s|with\s[^']*\sselect\s)[^']*'{1,3}\s*(?:%\s*[(\w]|\+\s*\w|\.(?:format|replace)\b))"#,
        "An SQL statement is built from values",
        "Leave placeholders in the statement and pass the values as parameters.",
    )
    // Statements often begin on the line below the quotes.
    .after(1),
    Rule::new(
        "python.cipher-mode",
        (HIGH, SURE, "CWE-327"),
        &["MODE_ECB"],
        r"\bMODE_ECB\b",
        "A mode that shows equal blocks",
        "Use AES-GCM or ChaCha20-Poly1305.",
    ),
    Rule::new(
        "python.tls-off",
        (HIGH, SURE, "CWE-295"),
        &["verify", "_create_unverified_context", "check_hostname", "CERT_NONE"],
        r"(?:\bverify(?:_ssl)?\s*=\s*False\b|\bssl\._create_unverified_context\b|\bcheck_hostname\s*=\s*False\b|\bssl\.CERT_NONE\b)",
        "Certificates are not checked, so anyone on the way can read and change the traffic",
        "Leave verification on; for a private authority pass its certificate (verify=\"ca.pem\").",
    ),
    Rule::new(
        "python.tls-old",
        (MEDIUM, SURE, "CWE-326"),
        &["PROTOCOL_SSL", "PROTOCOL_TLSv1", "_METHOD"],
        r"\bPROTOCOL_(?:SSLv2|SSLv3|TLSv1|TLSv1_1)\b|\b(?:SSLv2|SSLv23|SSLv3|TLSv1|TLSv1_1)_METHOD\b",
        "An outdated protocol version is asked for",
        "Use ssl.create_default_context().",
    ),
    Rule::new(
        "python.weak-random",
        (MEDIUM, LIKELY, "CWE-330"),
        &["random."],
        r"(?i)\b\w*(?:token|secret|password|passwd|otp|nonce|session_?id|api_?key|salt)\w*\s*=\s*[^#\n]*\brandom\.(?:random|randint|choices?|randrange|getrandbits|sample)\s*\(",
        "The random module can be predicted",
        "Use the secrets module.",
    )
    .unless(r"SystemRandom|secrets\."),
    Rule::new(
        "python.django-debug",
        (MEDIUM, LIKELY, "CWE-489"),
        &["DEBUG"],
        r"(?m)^DEBUG\s*=\s*True\b",
        "Debug pages show settings and source",
        "Read DEBUG from the environment, off by default.",
    ),
    Rule::new(
        "python.xxe",
        (HIGH, LIKELY, "CWE-611"),
        &["XMLParser", "resolve_entities", "feature_external"],
        r"\bresolve_entities\s*=\s*True\b|\bsetFeature\s*\(\s*(?:\w+\.)*feature_external_[gp]es\s*,\s*(?:True|1)\b",
        "External entities let a document read files and call addresses",
        "Use defusedxml, or resolve_entities=False.",
    ),
    Rule::new(
        "python.path",
        (HIGH, LIKELY, "CWE-22"),
        &["request."],
        r#"\b(?:open|send_file|FileResponse|(?:os\.)?(?:remove|unlink|listdir))\s*\(\s*(?:[fF]["'][^"'\n]*\{\s*)?(?:(?:os\.path\.join|Path)\s*\([^)\n]*)?(?:["'][^"'\n]*["']\s*\+\s*)?(?:flask\.)?request\.(?:args|form|values|json|GET|POST|query_params|files)\b"#,
        "A path comes from the request, so ../ leads out of the folder",
        "Take only the base name, resolve it and check that it lies in the folder (werkzeug.utils.safe_join).",
    ),
    Rule::new(
        "python.ssrf",
        (HIGH, LIKELY, "CWE-918"),
        &["request."],
        r#"\b(?:requests|httpx|urllib\.request|session)\.(?:get|post|put|delete|head|request|urlopen)\s*\(\s*(?:flask\.)?request\.(?:args|form|values|json|GET|POST|query_params)\b"#,
        "The server calls an address that the request names",
        "Allow known hosts only, and refuse private networks.",
    ),
    Rule::new(
        "python.redirect",
        (MEDIUM, LIKELY, "CWE-601"),
        &["redirect"],
        r"\b(?:redirect|HttpResponseRedirect)\s*\(\s*(?:flask\.)?request\.(?:args|form|values|GET|POST|query_params)\b",
        "The request chooses where the visitor is sent",
        "Allow relative paths or known hosts only.",
    ),
    Rule::new(
        "python.template",
        (HIGH, LIKELY, "CWE-1336"),
        &["render_template_string", "from_string", "Template("],
        r#"\brender_template_string\s*\(\s*(?:[fF]["']|["'][^"'\n]*["']\s*(?:[+%]|\.format\b)|request\.)|\b(?:from_string|Template)\s*\(\s*(?:flask\.)?request\."#,
        "A template made from values can run code",
        "Keep the template fixed and pass values as variables.",
    ),
    Rule::new(
        "python.autoescape",
        (MEDIUM, SURE, "CWE-79"),
        &["autoescape"],
        r"\bautoescape\s*=\s*False\b",
        "Values go into pages unescaped",
        "Use autoescape=select_autoescape().",
    ),
    Rule::new(
        "python.jwt",
        (CRITICAL, SURE, "CWE-347"),
        &["verify_signature", "algorithms"],
        r#"["']verify_signature["']\s*:\s*False\b|\balgorithms\s*=\s*\[\s*["']none["']"#,
        "Tokens are accepted without a valid signature",
        "Verify with a fixed list of algorithms.",
    )
    .in_strings(),
    Rule::new(
        "python.bind-all",
        (LOW, MAYBE, "CWE-605"),
        &["0.0.0.0", "::"],
        r#"["'](?:0\.0\.0\.0|::)["']"#,
        "The service listens on all networks",
        "Listen on 127.0.0.1 or on the address that is meant.",
    )
    .in_strings()
    .unless(r#"(?:[=!]=|\bin)\s*[\[({]?\s*["'](?:0\.0\.0\.0|::)["']|\.(?:split|join|replace|startswith|endswith)\s*\(|["']::["']\s*\.join"#),
    Rule::new(
        "python.shared-folder",
        (LOW, MAYBE, "CWE-377"),
        &["/tmp", "/dev/shm"],
        r#"["'](?:/tmp|/var/tmp|/dev/shm)(?:/[^"'\s]*)?["']"#,
        "In a folder that all share, others can make the file first or put a link there",
        "Use the tempfile module.",
    )
    .in_strings(),
    Rule::new(
        "python.csrf",
        (MEDIUM, MAYBE, "CWE-352"),
        &["csrf_exempt", "WTF_CSRF"],
        r"@csrf_exempt\b|\bWTF_CSRF_ENABLED\s*=\s*False\b|\bWTF_CSRF_ENABLED[\x22']\]\s*=\s*False\b",
        "Other sites can make a visitor's browser send this request",
        "Keep the protection, or accept bearer tokens only.",
    ),
    Rule::new(
        "python.hosts",
        (LOW, LIKELY, "CWE-644"),
        &["ALLOWED_HOSTS"],
        r#"\bALLOWED_HOSTS\s*=\s*\[\s*["']\*["']"#,
        "Any Host header is believed",
        "Name the hosts.",
    ),
];
