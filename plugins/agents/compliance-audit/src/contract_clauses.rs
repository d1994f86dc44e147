//! Clauses that contracts of every kind have: law, courts, termination, liability, form.

use crate::clause::{Clause, clause};

/// Clauses of contracts in general.
pub const CONTRACT: &[Clause] = &[
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
];
