//! Clauses of sales and services: payment, warranty, duration, delivery, price, refund.

use crate::clause::{Clause, clause};

/// Clauses of sales and services.
pub const TRADE: &[Clause] = &[
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
];
