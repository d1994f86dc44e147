use serde_json::{Value, json};
use tollbridge_sdk::testing::Doubles;
use tollbridge_sdk::{Call, Error};

use crate::{Input, Output, run};

fn ask(task: &str, input: Option<Input>, reply: Option<&str>) -> Result<Output, Error> {
    let doubles = Doubles::new()
        .bridge("citation_check", |input| {
            let input = serde_json::from_value(input.clone()).unwrap();
            Ok(serde_json::to_value(citation_check::handle(&Call::default(), input).unwrap()).unwrap())
        })
        .bridge("validation", |_| Ok(json!({ "result": { "valid": true } })));
    let doubles = if let Some(reply) = reply { doubles.completion(reply) } else { doubles };
    doubles.run(|| run(&Call::default(), task, input)).0
}

fn shown(answer: Result<Output, Error>) -> String {
    match answer {
        Err(error) => format!("refused: {}", error.message()),
        Ok(output) => {
            let claims = output.claims.iter().map(|claim| format!("{:?}", claim.finding));
            let reference = |reference: &crate::Reference| match &reference.formatted {
                Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
                None => format!("{} {}", reference.text, if reference.ok { "ok" } else { "wrong" }),
            };
            claims.chain(output.references.iter().map(reference)).collect::<Vec<_>>().join(" | ")
        }
    }
}

const TASKS: [(&str, &str); 22] = [
    ("Check these ISBNs: 978-0-14-044793-4, 978-0-14-044793-9", "978-0-14-044793-4 ok | 978-0-14-044793-9 wrong"),
    ("isbn ok? 9783161484100", "refused: the command has words"),
    ("ISBN ok: 9783161484100", "9783161484100 ok"),
    (
        "Validate the ISSNs below\n\nJournal A;0378-5955\nJournal B;0317-8472\nJournal C;2434-561X",
        "0378-5955 ok | 0317-8472 wrong | 2434-561X ok",
    ),
    ("Are these DOIs valid", "refused: "),
    (
        "check these DOIs\na) 10.1016/j.jenvman.2019.109999\nb) 11.1016/j.jenvman.2019.109999",
        "10.1016/j.jenvman.2019.109999 ok | 11.1016/j.jenvman.2019.109999 wrong",
    ),
    ("Check the ORCID 0000-0002-1825-0097", "refused: "),
    ("Check the ORCID: 0000-0002-1825-0097\n0000-0002-1825-0098", "0000-0002-1825-0097 ok | 0000-0002-1825-0098 wrong"),
    (
        "Chicago style: \nAuthor: Alvim, Teresa\nTitle: Salt Roads\nCity: Porto\nPublisher: Marés\nYear: 2007",
        "Alvim, Teresa. Salt Roads. Porto: Marés, 2007.",
    ),
    (
        "RIS to APA please\n\nTY  - BOOK\nAU  - Whitlock, Joan\nTI  - Bread and Politics\nPB  - Quarry Press\nPY  - 1994\nSN  - 0-306-40615-2\nER  - ",
        "Whitlock, J. (1994). Bread and Politics. Quarry Press.",
    ),
    (
        "@book{t,\n author = {Tanaka, Hiro},\n title = {Bridges of Wood},\n publisher = {Cedar House},\n year = {2005}\n}\n\nMLA style please",
        "Tanaka, Hiro. Bridges of Wood. Cedar House, 2005.",
    ),
    (
        "Cite this web page in APA\nOrganisation: Coastguard Agency\nTitle: Tide tables 2024\nDate: 2 November 2023\nURL: https://coast.example/tides",
        "Coastguard Agency. (2023, November 2). Tide tables 2024. https://coast.example/tides",
    ),
    (
        "Format in BibTeX\nAuthors: Nwosu, Chidi; Lee, Ann\nTitle: Grain Prices\nJournal: Trade Review\nVolume: 31\nPages: 77-95\nYear: 2014",
        "@article{nwosu2014, author = {Nwosu, Chidi and Lee, Ann}, title = {Grain Prices}, journal = {Trade Review}, year = {2014}, volume = {31}, pages = {77--95} }",
    ),
    ("Format these references in MLA style\nSmith, J. (2019). Bees at night. Honey Press.", "refused: the parts of"),
    (
        "Format these references in MLA style\nSmith, J. (2019). Bees at night. Nature, 12(3), 4–9.",
        "Smith, J. “Bees at night.” Nature, vol. 12, no. 3, 2019, pp. 4–9.",
    ),
    (
        "Is the claim supported by the source?\n\nClaim: The hospital has 640 beds.\nSource: The hospital has 640 beds and 2,100 employees.",
        "Supported",
    ),
    (
        "Check the claims\n\nClaims:\n1. The budget was 210 euros.\n2. Entry is free.\nSource B (2020): The budget was 120 euros. Entry is free.",
        "Contradicted | Supported",
    ),
    (
        "Is the quote in the text word for word?\n\nQuote: \"patience is the tax\"\nText: Patience is the tax we pay.",
        "Supported",
    ),
    (
        "Is the quote in the text word for word?\n\nQuote: \"patience is a tax\"\nText: Patience is the tax we pay.",
        "Unsupported",
    ),
    (
        "Is the claim supported by the source?\n\nClaim: Trains do not run.\nSource: Trains run.",
        "refused: whether the sources",
    ),
    (
        "Is the claim supported by the source?\n\nClaim: It opens at 9.\nSource: It opens at 9 if it rains.\n\nOr was it 8?",
        "refused: the command has words",
    ),
    (
        "Check these references\nLee, Ann. Fog. Oslo: Air, 2001.",
        "refused: `Lee, Ann. Fog. Oslo: Air, 2001.` has no identifier",
    ),
];

#[test]
fn tasks_in_words() {
    for (task, expect) in TASKS {
        let answer = shown(ask(task, None, None));
        assert!(answer.starts_with(expect), "{task}: {answer}");
    }
}

#[test]
fn a_model_must_quote_a_source() {
    let task = "Is the claim supported by the source?\n\nClaim: Mrs Tarn disliked the extension.\n\nSource: Mrs Tarn called the new wing a carbuncle.";
    let reply = |finding: &str, quote: Value| {
        json!({ "missing": null, "found": { "claims": [{ "claim": 1, "finding": finding, "source": 1, "quote": quote }] } }).to_string()
    };
    let ask = |finding: &str, quote: Value| shown(ask(task, None, Some(&reply(finding, quote))));
    assert_eq!(ask("supported", json!("a carbuncle")), "Supported");
    for (finding, quote) in [("supported", json!("hated it")), ("supported", Value::Null), ("unsupported", Value::Null)]
    {
        assert!(ask(finding, quote).starts_with("refused"), "{finding}");
    }
}
