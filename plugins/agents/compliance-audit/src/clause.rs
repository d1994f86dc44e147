//! Clauses and the many ways in which documents say them.
//!
//! A cue is a set of word groups; a sentence shows the clause if it has a word of each group. Hints are words near the
//! subject: where one of them stands and no cue fits, the clause may be there in other words.

/// A clause.
#[derive(Debug)]
pub struct Clause {
    /// What people call it; the first is its name.
    pub names: &'static [&'static str],
    /// Groups of which each must have a word in the sentence.
    pub cues: &'static [&'static [&'static [&'static str]]],
    /// Words with which its absence is not certain.
    pub hints: &'static [&'static str],
}

macro_rules! clause {
    ([$($name:literal),*], [$([$([$($word:literal),*]),*]),*], [$($hint:literal),*]) => {
        Clause { names: &[$($name),*], cues: &[$(&[$(&[$($word),*]),*]),*], hints: &[$($hint),*] }
    };
}

/// Clauses of contracts.
pub const CONTRACTS: &[Clause] = &[
    clause!(
        [
            "governing law",
            "applicable law",
            "choice of law",
            "droit applicable",
            "ley aplicable",
            "anwendbares recht",
            "rechtswahl"
        ],
        [
            [[
                "governed by",
                "governing law",
                "laws of",
                "law of",
                "applicable law",
                "construed in accordance",
                "soumis au droit",
                "droit applicable",
                "ley aplicable",
                "se rige por",
                "geltendes recht",
                "findet anwendung",
                "unterliegt dem recht",
                "es gilt"
            ]],
            [
                ["law", "recht", "droit"],
                ["applies", "apply", "shall govern", "applicable", "gilt", "maßgeblich", "s'applique"]
            ]
        ],
        ["law ", "laws", "legislation", " recht", "droit", "in force"]
    ),
    clause!(
        [
            "jurisdiction",
            "place of jurisdiction",
            "gerichtsstandsklausel",
            "court",
            "gerichtsstand",
            "competent court",
            "venue"
        ],
        [[[
            "courts of",
            "court of",
            "jurisdiction",
            "gerichtsstand",
            "tribunal",
            "competent court",
            "commercial court",
            "landgericht",
            "the courts"
        ]]],
        ["court", "judge", "dispute"]
    ),
    clause!(
        ["arbitration", "schiedsklausel"],
        [[["arbitrat", "schiedsgericht", "arbitrage"]]],
        ["dispute", "tribunal"]
    ),
    clause!(
        ["dispute resolution", "disputes", "mediation"],
        [[["dispute", "mediation", "arbitrat", "streitigkeit"]]],
        ["disagree", "court"]
    ),
    clause!(
        [
            "termination",
            "notice period",
            "kündigungsfrist",
            "cancellation notice",
            "kündigung",
            "résiliation",
            "cancellation"
        ],
        [
            [["terminat", "notice period", "kündig", "gekündigt", "résili", "rescind"]],
            [["give notice", "notice", "cancel", "end"], ["agreement", "contract", "month", "weeks", "days"]]
        ],
        ["notice", "cancel", "ends", "leave"]
    ),
    clause!(
        [
            "confidentiality",
            "non-disclosure",
            "geheimhaltung",
            "vertraulichkeitsklausel",
            "secrecy",
            "nda",
            "vertraulichkeit",
            "confidentialité",
            "confidencialidad"
        ],
        [
            [[
                "confidential",
                "non-disclosure",
                "secrecy",
                "trade secret",
                "vertraulich",
                "verschwiegenheit",
                "geheimhaltung"
            ]],
            [[
                "not disclose",
                "not pass on",
                "not share",
                "not reveal",
                "not hand",
                "not divulge",
                "keep secret",
                "keeps secret",
                "stillschweigen"
            ]]
        ],
        ["disclos", "secret", "third part", "private"]
    ),
    clause!(
        [
            "limitation of liability",
            "liability cap",
            "haftungsklausel",
            "liability",
            "haftung",
            "haftungsbeschränkung",
            "exclusion of liability"
        ],
        [
            [
                ["liab", "haft"],
                [
                    "limit",
                    "exceed",
                    "cap",
                    "not be",
                    "no ",
                    "exclu",
                    "maximum",
                    "only for",
                    "begrenz",
                    "beschränk",
                    "ausgeschlossen",
                    "nur"
                ]
            ],
            [["in no event", "under no circumstances"], ["liable", "damages", "loss"]]
        ],
        ["liab", "haft", "damage", "loss", "responsible", "in no event"]
    ),
    clause!(
        ["force majeure", "höhere gewalt", "acts of god", "act of god"],
        [
            [[
                "force majeure",
                "act of god",
                "beyond its control",
                "beyond their control",
                "beyond the control",
                "beyond our control",
                "reasonable control",
                "höhere gewalt",
                "unforeseeable"
            ]],
            [
                ["strike", "war", "flood", "earthquake", "pandemic", "epidemic", "fire"],
                [
                    "not liable",
                    "no damages",
                    "not responsible",
                    "prevent",
                    "impossible",
                    "suspend",
                    "excused",
                    "released"
                ]
            ]
        ],
        ["strike", "war,", "flood", "unforeseen", "foresee", "events", "beyond"]
    ),
    clause!(
        ["indemnity", "indemnification", "indemnities", "hold harmless"],
        [[["indemnif", "hold harmless", "freistell", "reimburse all claims"]]],
        ["claims of third", "reimburs"]
    ),
    clause!(
        ["assignment", "transfer of the contract", "abtretung"],
        [
            [["assign", "abtret", "novat"], ["right", "agreement", "contract", "consent", "part", "oblig", "claim"]],
            [["transfer"], ["contract", "agreement", "rights"], ["consent", "approval", "permission", "third"]]
        ],
        ["transfer", "assign", "successor", "hand over"]
    ),
    clause!(
        ["entire agreement", "whole agreement", "merger clause", "integration"],
        [[[
            "entire agreement",
            "whole agreement",
            "supersede",
            "no oral",
            "nebenabreden",
            "complete agreement",
            "replaces all"
        ]]],
        ["earlier", "oral", "prior", "nothing else"]
    ),
    clause!(
        ["severability", "salvatorische klausel", "partial invalidity"],
        [
            [["severab", "salvator"]],
            [
                ["invalid", "void", "unenforceable", "ineffective", "unwirksam"],
                ["remain", "stay", "other", "rest", "übrigen"]
            ]
        ],
        ["invalid", "void"]
    ),
    clause!(
        ["amendments", "written form", "changes in writing", "schriftform"],
        [[
            ["amend", "change", "modif", "supplement", "änderung"],
            ["writing", "written", "schriftlich", "schriftform"]
        ]],
        ["writing", "written"]
    ),
    clause!(
        ["payment terms", "payment", "terms of payment", "zahlungsbedingungen", "modalités de paiement"],
        [[
            ["pay", "payment", "invoice", "invoices", "zahl", "paiement", "pago"],
            [
                "days",
                "within",
                " net",
                "instal",
                "advance",
                "on delivery",
                "upon",
                "tage",
                "due",
                "jours",
                "días",
                "monthly"
            ]
        ]],
        ["pay", "invoice", "due"]
    ),
    clause!(
        ["late payment interest", "default interest", "interest on arrears", "late payment", "verzugszinsen"],
        [[
            ["interest", "zins", "percentage points", "base rate", "late fee"],
            ["late", "overdue", "delay", "default", "arrears", "above", "verzug", "per year", "per month", "not paid"]
        ]],
        ["interest", "late", "overdue", "default", "percent"]
    ),
    clause!(
        ["price adjustment", "price review", "indexation", "price increase", "preisanpassung"],
        [[
            ["price", "fee", "rent", "rate", "charge"],
            ["adjust", "index", "revis", "increase", "raise", "review", "escalat"]
        ]],
        ["index", "inflation", "prices"]
    ),
    clause!(
        ["warranty disclaimer", "disclaimer of warranties", "no warranty", "as is"],
        [
            [[
                "as is",
                "as-is",
                "no warrant",
                "without warrant",
                "disclaim",
                "not warrant",
                "not guarantee",
                "no guarantee",
                "ohne gewähr"
            ]],
            [["no representation"]]
        ],
        ["warrant", "guarantee", "error", "fit for"]
    ),
    clause!(
        ["warranty", "guarantee", "gewährleistung", "garantie"],
        [
            [["warrant", "guarantee", "gewährleist", "garantie"]],
            [["defect", "faulty"], ["repair", "replace", "free of charge", "months", "years"]]
        ],
        ["defect", "promise", "faulty"]
    ),
    clause!(
        ["non-compete", "non compete", "restraint of trade", "wettbewerbsverbot"],
        [
            [["non-compet", "not compete", "wettbewerbsverbot", "competing business", "compete with"]],
            [
                ["not work", "not be employed", "not engage", "not take up", "not open"],
                ["compet", "rival", "same trade", "same field", "similar"]
            ]
        ],
        ["compet", "after leaving", "not work"]
    ),
    clause!(
        ["non-solicitation", "non-solicit", "no poaching"],
        [[["solicit", "poach", "abwerb", "entice"]]],
        ["hire", "recruit"]
    ),
    clause!(
        [
            "intellectual property assignment",
            "intellectual property",
            "ip assignment",
            "copyright",
            "ip rights",
            "rights in the work",
            "urheberrecht"
        ],
        [[
            [
                "intellectual property",
                "copyright",
                "all rights",
                "rights in",
                "rights to the",
                "patent",
                "nutzungsrecht",
                "work product"
            ],
            ["assign", "transfer", "belong", "vest", "property of", "owned", "own", "licen", "remain", "grant"]
        ]],
        ["intellectual", "copyright", "rights", "licen"]
    ),
    clause!(
        ["retention of title", "title", "ownership of goods", "eigentumsvorbehalt"],
        [
            [["retention of title", "retains title", "reservation of title", "eigentumsvorbehalt"]],
            [
                ["remain", "stay", "title", "ownership", "property", "eigentum"],
                ["paid", "payment", "bezahl"],
                ["our", "property", "title", "ownership", "eigentum", "seller", "supplier"]
            ]
        ],
        ["ownership", "property", "title"]
    ),
    clause!(
        ["renewal option", "renewal", "automatic renewal", "extension", "verlängerung"],
        [
            [["renew", "extend", "extension", "verlänger", "prolong", "reconduction"]],
            [["further", "another", "additional"], ["year", "years", "months", "term", "period"]]
        ],
        ["further", "continue", "again"]
    ),
    clause!(
        [
            "fixed term",
            "duration",
            "term",
            "contract term",
            "durée",
            "laufzeit",
            "duración",
            "contract length",
            "validity"
        ],
        [
            [[
                "fixed term",
                "term of this",
                "for a term",
                "for a period of",
                "laufzeit",
                "durée",
                "duración",
                "befristet"
            ]],
            [
                ["until", "ends", "end on", "expires", "expire", "lasts", "runs", "terminates", "bis zum", "hasta"],
                ["19", "20", "year", "month", "december", "january", "march", "june"]
            ],
            [["valid for", "runs for", "lasts for", "concluded for", "duty continues for", "remains in force for"]]
        ],
        ["until", "years", "months", "begins"]
    ),
    clause!(
        ["validity of the offer", "offer validity", "offer period", "binding period"],
        [[
            ["offer", "quotation", "prices", "quote"],
            ["valid", "until", "binding", "firm", "open for", "expires", "days"]
        ]],
        ["until", "valid"]
    ),
    clause!(
        ["return of documents", "return of information", "return of materials"],
        [[
            ["return", "hand back", "give back", "destroy"],
            ["document", "paper", "material", "file", "information", "copies", "record"]
        ]],
        ["return", "back", "destroy"]
    ),
    clause!(
        ["penalty", "penalty for breach", "contractual penalty", "liquidated damages", "vertragsstrafe"],
        [
            [["penalt", "liquidated damages", "vertragsstrafe", "pénalité", "contractual fine", "forfeit"]],
            [["breach", "violat"], ["pays", "pay", "owes", "owe", "sum of"]]
        ],
        ["fine", "damages", "breach"]
    ),
    clause!(
        ["anti-bribery", "anti-corruption", "bribery", "corruption", "compliance with anti-bribery"],
        [
            [["brib", "corrupt", "kickback", "bestech"]],
            [
                ["gift", "advantage", "benefit", "favour", "favor"],
                ["offer", "accept", "give", "grant", "receive", "promise"]
            ]
        ],
        ["gift", "advantage"]
    ),
    clause!(
        ["sanctions clause", "export control", "sanctions", "embargo", "trade compliance"],
        [[["sanction", "export control", "embargo", "denied part", "restricted part"]]],
        ["export", "prohibited countr", "resell"]
    ),
    clause!(
        ["audit right", "right to audit", "inspection right", "audits"],
        [[["audit"]], [["inspect", "access", "examine", "enter"], ["premises", "books", "records", "facilit", "site"]]],
        ["inspect", "verify", "check"]
    ),
    clause!(
        ["subcontracting", "subcontractors", "use of subcontractors"],
        [[["subcontract", "sub-contract", "unterauftrag"]]],
        ["third part"]
    ),
    clause!(
        ["inspection of goods", "incoming inspection", "acceptance", "defect notice"],
        [[
            ["inspect", "examine", "check", "test", "accept"],
            ["goods", "delivery", "deliveries", "defect", "shipment", "work"]
        ]],
        ["defect", "goods"]
    ),
    clause!(
        ["delivery deadline", "delivery time", "delivery date", "delivery", "lieferzeit", "délai de livraison"],
        [[
            ["deliver", "dispatch", "ship", "lieferung", "liefer", "livraison", "goods", "arrive"],
            ["day", "week", "hours", "within", "date", "no later", "wochen", "tage", "jours"]
        ]],
        ["deliver", "dispatch", "ship"]
    ),
    clause!(["liability insurance", "insurance", "versicherung"], [[["insur", "versicher", "assurance"]]], ["cover"]),
    clause!(
        ["price", "fee", "fees", "prix", "preis", "precio", "remuneration"],
        [[["€", "eur", "euro", "£", "gbp", "$", "usd", "chf", "pounds", "dollars"]]],
        ["price", "fee", "cost"]
    ),
    clause!(
        ["due date", "payment date", "date due", "fälligkeit"],
        [[
            ["due", "payable", "pay by", "zahlbar", "fällig"],
            ["20", "days", "date", "tage", "immediately", "receipt", "month"]
        ]],
        ["due", "payable", "net"]
    ),
    clause!(
        ["reverse charge note", "reverse charge"],
        [[["reverse charge", "reverse-charge", "steuerschuldnerschaft", "recipient is liable"]]],
        ["0 %", "0%"]
    ),
    clause!(
        [
            "right of withdrawal",
            "withdrawal right",
            "cooling-off",
            "widerrufsrecht",
            "right to cancel",
            "revocation",
            "droit de rétractation"
        ],
        [
            [[
                "right of withdrawal",
                "withdraw from",
                "right to withdraw",
                "cooling-off",
                "widerruf",
                "rétract",
                "right to cancel"
            ]],
            [
                ["send back", "return", "cancel", "give back"],
                ["14 days", "fourteen days", "30 days", "without giving", "no reason", "without reason", "days"]
            ]
        ],
        ["return", "refund", "cancel"]
    ),
    clause!(
        ["refund", "refund policy", "reimbursement"],
        [[["refund", "reimburs", "money back", "erstatt"]]],
        ["return"]
    ),
    clause!(
        ["deposit", "security deposit", "kaution", "dépôt de garantie"],
        [[["deposit", "kaution", "bond"]], [["as security", "security of", "guarantee sum"]]],
        ["security"]
    ),
    clause!(["pets", "animals", "haustiere"], [[[" pet", "pets", "dog", " cat", "animal", "haustier"]]], []),
    clause!(
        ["subletting", "sublease", "untervermietung"],
        [[["sublet", "sub-let", "sublease", "untervermiet", "sous-lou"]]],
        ["third part", "let to", "lodger", "guests"]
    ),
    clause!(
        ["heating costs", "heating", "utilities", "nebenkosten", "service charges"],
        [[["heating", "utilit", "nebenkosten", "heizkosten", "service charge"]]],
        ["gas", "electricity"]
    ),
    clause!(["rent", "miete", "loyer"], [[["rent", "miete", "loyer"]]], []),
    clause!(
        ["salary", "wage", "pay", "gehalt", "remuneration"],
        [[["salary", "wage", "remuneration", "gehalt", "gross", "paid monthly", "earns"]]],
        ["pay", "eur"]
    ),
    clause!(
        ["working hours", "working time", "hours of work", "arbeitszeit"],
        [[["working hours", "working time", "hours per week", "hours a week", "arbeitszeit", "per week"]]],
        ["hours"]
    ),
    clause!(
        ["vacation days", "annual leave", "holiday", "vacation", "paid leave", "urlaub", "holidays"],
        [[["vacation", "annual leave", "holiday", "paid leave", "days of leave", "urlaub"]]],
        ["leave", "days off"]
    ),
    clause!(
        ["probation period", "probation", "trial period", "probezeit"],
        [[["probation", "trial period", "probezeit", "probatoire"]]],
        ["trial", "first months", "first six", "first three"]
    ),
    clause!(
        ["start date", "commencement", "beginn", "date of commencement"],
        [[[
            "start date",
            "starts on",
            "begins on",
            "commence",
            "beginning on",
            "with effect from",
            "effective date",
            "takes effect",
            "beginnt am"
        ]]],
        ["from", "begin", "start"]
    ),
];

/// Parts of notices about data, cookies and shops.
pub const NOTICES: &[Clause] = &[
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
    clause!(
        ["health data", "health", "medical data", "gesundheitsdaten"],
        [[[
            "surgery",
            "illness",
            " ill ",
            "diagnos",
            "sick",
            "disab",
            "therapy",
            "pregnan",
            "diabet",
            "hospital",
            "medication",
            "depress",
            "krank",
            "allerg",
            "injur",
            "cancer",
            "asthma",
            "operation",
            "patient",
            "treatment",
            "burnout",
            "blood"
        ]]],
        ["health", "medical", "off work", "doctor"]
    ),
    clause!(
        ["religion", "religious belief", "faith"],
        [[[
            "church",
            "catholic",
            "muslim",
            "jewish",
            "christian",
            "mosque",
            "baptis",
            "buddhist",
            "hindu",
            "religio",
            "protestant",
            "synagogue",
            "parish"
        ]]],
        ["faith", "prayer", "belie"]
    ),
    clause!(
        ["trade union", "union membership", "gewerkschaft"],
        [[[
            "trade union",
            "labour union",
            "labor union",
            "of her union",
            "of his union",
            "of their union",
            "union member",
            "union rep",
            "gewerkschaft",
            "shop steward",
            "the union"
        ]]],
        ["union"]
    ),
    clause!(
        ["politics", "political opinion", "political views", "party membership"],
        [[[
            "political",
            "politic",
            "party member",
            "member of the party",
            "election campaign",
            "parliament",
            "conservative part",
            "labour party",
            "socialist",
            "green party",
            "mayor"
        ]]],
        ["party", "campaign", "vote"]
    ),
    clause!(
        ["passwords in e-mails", "passwords", "password policy", "credentials"],
        [[["password", "credential", "passwort", "login data"]]],
        ["secret", "login"]
    ),
];

/// The clause of a name; the longest of its names that stands in it.
pub fn named(name: &str) -> Option<&'static Clause> {
    let lower = format!(" {} ", crate::plain(name));
    let mut best: Option<(&'static Clause, usize)> = None;
    for clause in CONTRACTS.iter().chain(NOTICES) {
        for known in clause.names {
            let known = crate::plain(known);
            let fits = lower.contains(&format!(" {known} ")) || lower.contains(&format!(" {known}s "));
            if fits && best.is_none_or(|(_, most)| known.len() > most) {
                best = Some((clause, known.len()));
            }
        }
    }
    best.map(|(clause, _)| clause)
}

/// Whether a sentence shows a clause.
pub fn shows(clause: &Clause, sentence: &str) -> bool {
    let lower = format!(" {} ", sentence.to_lowercase().replace('’', "'"));
    clause.cues.iter().any(|cue| cue.iter().all(|group| group.iter().any(|word| has(&lower, word))))
}

/// A word at its beginning; with a space before it as it stands.
fn has(text: &str, word: &str) -> bool {
    if !word.starts_with(char::is_alphabetic) {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        text.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
    })
}

/// The hint that stands in a text.
pub fn hint(clause: &Clause, text: &str) -> Option<&'static str> {
    let lower = format!(" {} ", text.to_lowercase());
    clause.hints.iter().find(|word| has(&lower, word)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_in_other_words() {
        let cases = [
            ("governing law", "Swedish law shall apply to this contract.", true),
            ("limitation of liability", "The total liability of either side is capped at the yearly fee.", true),
            ("force majeure", "Neither side is liable for delays that are beyond its control.", true),
            ("confidentiality", "The consultant shall not disclose what she learns.", true),
            ("termination", "Each side may cancel the agreement with six weeks' notice.", true),
            ("retention period", "Your orders are stored for ten years.", true),
            ("severability", "If one clause is void, the others remain in force.", true),
            ("arbitration", "The price is 90 euros.", false),
            ("non-compete", "He shall not work for a competing firm for a year.", true),
            ("breach notification", "A leak is reported to us within 24 hours.", true),
        ];
        for (name, sentence, expect) in cases {
            let clause = named(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!(shows(clause, sentence), expect, "{name}: {sentence}");
        }
        assert!(named("colour of the roof").is_none());
    }
}
