//! Parts of notices about data, cookies, newsletters, and accessibility.

use crate::clause::{Clause, clause};

/// Parts of notices.
pub const NOTICE: &[Clause] = &[
    clause!(
        ["data protection", "data protection clause", "datenschutz", "protection des données"],
        [[["data protection", "personal data", "gdpr", "datenschutz", "dsgvo", "privacy"]]],
        ["data"]
    ),
    clause!(
        ["controller", "who is responsible", "responsable", "verantwortlicher", "data controller"],
        [[["controller", "verantwortlich", "responsable", "responsible for"]]],
        ["we are", "company", "ltd", "gmbh"]
    ),
    clause!(
        ["data protection officer", "dpo", "datenschutzbeauftragter"],
        [[["data protection officer", "dpo", "datenschutzbeauftragt", "délégué à la protection"]]],
        ["officer"]
    ),
    clause!(
        ["purpose", "purposes", "finalidad", "zweck", "finalité"],
        [[[
            "purpose",
            "zweck",
            "finalidad",
            "finalité",
            "in order to",
            "used to",
            "use your data to",
            "so that we can"
        ]]],
        ["to send", "use"]
    ),
    clause!(
        ["legal basis", "lawful basis", "rechtsgrundlage", "base juridique", "base legal"],
        [[[
            "legal basis",
            "lawful basis",
            "art. 6",
            "article 6",
            "legitimate interest",
            "rechtsgrundlage",
            "legal obligation",
            "performance of a contract",
            "based on your consent"
        ]]],
        ["consent", "gdpr"]
    ),
    clause!(
        [
            "retention period",
            "retention",
            "how long data is kept",
            "storage period",
            "plazo de conservación",
            "speicherdauer",
            "durée de conservation",
            "deletion period"
        ],
        [
            [["retention period", "retention", "speicherdauer", "plazo de conservación", "durée de conservation"]],
            [
                [
                    "keep",
                    "kept",
                    "store",
                    "stored",
                    "retain",
                    "delet",
                    "eras",
                    "hold",
                    "gelöscht",
                    "aufbewahr",
                    "gespeichert",
                    "conserv"
                ],
                [
                    "year",
                    "month",
                    "days",
                    "weeks",
                    "as long as",
                    "until",
                    "after",
                    "jahre",
                    "monate",
                    "años",
                    "ans",
                    "tage"
                ]
            ]
        ],
        ["keep", "delet", "stor", "conserv"]
    ),
    clause!(
        ["right of access", "access right", "right to access", "auskunftsrecht", "subject access"],
        [
            [[
                "right of access",
                "right to access",
                "access to your",
                "copy of your",
                "auskunft",
                "request a copy",
                "access your"
            ]],
            [["ask", "request", "tell"], ["data we", "information we", "what we hold", "which data", "what data"]]
        ],
        ["access", "rights"]
    ),
    clause!(
        ["right to erasure", "erasure", "right to deletion", "right to be forgotten"],
        [[[
            "right to erasure",
            "right to deletion",
            "be forgotten",
            "ask us to delete",
            "request deletion",
            "erasure of"
        ]]],
        ["delet", "eras", "rights"]
    ),
    clause!(
        ["right to object", "objection"],
        [[["right to object", "object to", "widerspruch", "opt out", "unsubscribe"]]],
        ["object", "rights"]
    ),
    clause!(
        ["rights of persons", "data subject rights", "your rights"],
        [[["your rights", "right to", "right of", "rectification", "data subject right"]]],
        ["rights"]
    ),
    clause!(
        [
            "right to complain",
            "complaint",
            "supervisory authority",
            "beschwerderecht",
            "right to complain to an authority"
        ],
        [[[
            "complain",
            "supervisory authority",
            "information commissioner",
            "ombuds",
            "aufsichtsbehörde",
            "beschwerde",
            "lodge a complaint"
        ]]],
        ["authority"]
    ),
    clause!(
        [
            "transfers outside the eu",
            "third country transfer",
            "transfer outside the eu",
            "international transfer",
            "third countries",
            "drittland"
        ],
        [
            [[
                "third countr",
                "outside the eu",
                "outside the eea",
                "outside the european",
                "standard contractual clauses",
                "adequacy decision",
                "drittland",
                "drittländer"
            ]],
            [
                ["server", "transfer", "sent", "stored", "process"],
                ["usa", "united states", "u.s.", "india", "china", "abroad", "overseas", "brazil", "canada"]
            ]
        ],
        ["usa", "transfer", "abroad", "countr"]
    ),
    clause!(
        ["recipients", "third parties", "disclosure to third parties", "empfänger", "data sharing"],
        [[[
            "recipient",
            "third part",
            "share your data",
            "shared with",
            "pass on",
            "passed on",
            "disclose",
            "empfänger",
            "service provider"
        ]]],
        ["share", "partner", "sent to"]
    ),
    clause!(
        ["security measures", "data security", "technical and organisational measures", "security"],
        [[["encrypt", "security measure", "access control", "safeguard", "technical and organi"]]],
        ["secur", "protect"]
    ),
    clause!(
        ["sub-processors", "subprocessors", "sub-processing"],
        [
            [["sub-processor", "subprocessor", "sub-processing"]],
            [
                ["processor", "subcontractor"],
                ["further", "other", "another", "additional", "engage"],
                ["consent", "approval", "authoris", "authoriz", "engage", "inform"]
            ]
        ],
        ["processor", "subcontract"]
    ),
    clause!(
        ["deletion after the end", "deletion at the end", "return or deletion", "data deletion"],
        [[
            ["delet", "eras", "destroy", "handed back", "return"],
            ["end of", "terminat", "expiry", "completion", "over", "finished", "after"]
        ]],
        ["delet", "eras"]
    ),
    clause!(
        ["breach notification", "data breach", "incident notification"],
        [[["breach", "incident", "leak"], ["notif", "inform", "report", "hours", "without undue delay", "tell"]]],
        ["breach", "incident"]
    ),
    clause!(
        ["refusing", "refuse", "reject", "reject cookies", "refusing as well as accepting", "opt-out"],
        [[[
            "reject",
            "refuse",
            "decline",
            "only necessary",
            "necessary only",
            "ablehnen",
            "refuser",
            "rechazar",
            "deny"
        ]]],
        ["settings", "choose", "only"]
    ),
    clause!(
        ["consent to the newsletter", "newsletter consent", "newsletter", "marketing consent"],
        [[["newsletter"], ["i want", "i would like", "i agree", "i consent", "yes", "subscribe", "[ ]", "☐"]]],
        ["newsletter", "marketing", "news"]
    ),
    clause!(["cookies", "cookie notice"], [[["cookie"]]], []),
    clause!(
        ["contact for feedback", "feedback contact", "feedback"],
        [[["feedback", "contact us", "write to us", "report a problem", "tell us"]]],
        ["contact", "@", "phone"]
    ),
    clause!(
        ["date of the last review", "last review", "last updated", "date of last review", "review date"],
        [[["last review", "reviewed on", "last updated", "last update", "last checked", "was reviewed", "updated on"]]],
        ["review", "updated"]
    ),
    clause!(
        ["known limitations", "limitations", "known issues"],
        [[[
            "limitation",
            "not accessible",
            "cannot be read",
            "not fully",
            "does not work",
            "do not work",
            "not yet",
            "known issue",
            "inaccessible",
            "exception"
        ]]],
        ["cannot", "partly"]
    ),
];
