//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: String::new(), bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn phrases_are_where_the_answer_says(text in "((Red|blue|BLUE|of|the|sky|über|data|3|x-y|a1b|🦀|\\PC{1,5})(,|\\.|;| |\n){1,2}){1,60}",
        most in 0..30u32, words in 0..5u32, limit in -0.1..1.1f64, language in "en|de|ru|other", excluded in "[a-z]{0,4}") {
        let input = serde_json::json!({"text": text, "max_phrases": most, "max_words": words, "deduplicate": limit,
            "language": language, "exclude": [excluded]});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            let phrases = answer["result"]["phrases"].as_array().expect("phrases");
            prop_assert!(phrases.len() <= most as usize);
            let scores: Vec<f64> = phrases.iter().map(|phrase| phrase["score"].as_f64().expect("a number")).collect();
            prop_assert!(scores.windows(2).all(|pair| pair[0] <= pair[1]), "{scores:?}");
            for phrase in phrases {
                let phrase_text = phrase["text"].as_str().expect("text").to_lowercase();
                prop_assert!(phrase_text.split(' ').count() <= words as usize);
                for place in phrase["places"].as_array().expect("places") {
                    let member = |name: &str| place[name].as_u64().expect("a number") as usize;
                    let there = text.get(member("start_byte")..member("end_byte")).expect("a place in the text");
                    let flat = there.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
                    prop_assert_eq!(&flat, &phrase_text);
                    let by_chars: String = text.chars().skip(member("start_char")).take(member("end_char") - member("start_char")).collect();
                    prop_assert_eq!(by_chars, there);
                }
            }
        }
        prop_assert_eq!(answer, run(&input));
    }
}

#[test]
fn large_inputs_are_answered() {
    let words: String = (0..22_000u32).map(|n| format!("w{}xyzabc ", char::from(b'a' + (n % 26) as u8))).collect();
    assert!(run(&serde_json::json!({"text": words})).is_ok());
    let letters = |mut n: u32| {
        (0..4)
            .map(|_| {
                let c = char::from(b'a' + (n % 26) as u8);
                n /= 26;
                c
            })
            .collect::<String>()
    };
    let text: String = (0..38_000u32)
        .map(|n| letters(n.wrapping_mul(2_654_435_761) >> 12) + if n % 9 == 0 { ". " } else { " " })
        .collect();
    assert!(run(&serde_json::json!({"text": text, "max_phrases": 100, "max_words": 4, "deduplicate": 0.01})).is_ok());
}

/// Texts of every language, and words that are no key words in them, written down without a look at the lists.
const TEXTS: [(&str, &str, &str); 19] = [
    (
        "cs",
        "Voda z řeky byla v mlýně důležitá pro výrobu mouky. Starý mlýn stojí u řeky a jeho kolo se točí. Podle mlynáře je mlýn, který stojí mezi stromy, velmi starý.",
        "z byla v pro a jeho se podle je který mezi velmi u",
    ),
    (
        "da",
        "Vandet fra åen driver den gamle mølle. Møllen ligger mellem skoven og byen, og mølleren maler mel til bagerne uden pause gennem hele vinteren.",
        "fra den mellem og til uden gennem hele",
    ),
    (
        "de",
        "Die Mühle an der Oder mahlt Korn, und die Mühle steht zwischen dem Wald und der Stadt. Der Müller verkauft das Mehl an die Bäcker, weil sie es dort brauchen.",
        "die an der und zwischen dem das weil sie es dort",
    ),
    (
        "el",
        "Ο μύλος είναι κοντά στο ποτάμι και ο μυλωνάς έχει αλεύρι για τους φούρνους. Το αλεύρι που πουλάει ο μύλος είναι πολύ καλό, αλλά το νερό από το ποτάμι δεν είναι αρκετό.",
        "ο είναι στο και έχει για τους το που πολύ αλλά από δεν κοντά",
    ),
    (
        "en",
        "The mill on the river grinds corn, and the mill stands between the forest and the town. The miller sells the flour to the bakers because they need it there.",
        "the on and between to because they it there",
    ),
    (
        "es",
        "El molino del río muele el trigo y el molino está entre el bosque y la ciudad. El molinero vende la harina a los panaderos porque ellos la necesitan para su pan.",
        "el del y está entre la a los porque ellos para su",
    ),
    (
        "fi",
        "Mylly joen rannalla jauhaa viljaa, ja mylly on metsän ja kaupungin välissä. Mylläri myy jauhot leipureille, koska he tarvitsevat niitä, mutta vesi ei ole aina riittävä.",
        "ja on koska he niitä mutta ei ole aina",
    ),
    (
        "fr",
        "Le moulin de l'île moud le blé, et l'eau du fleuve fait tourner la roue. Le meunier vend la farine d'avoine aux boulangers parce qu'ils en ont besoin pour leur pain.",
        "le de l et du la d aux parce qu ils en ont pour leur",
    ),
    (
        "hu",
        "A malom a folyó partján áll, és a molnár lisztet ad el a pékeknek. A régi malom az erdő és a város között van, mert a víz ott nem fagy be, és a molnár ezt tudja.",
        "a és el az között van mert ott nem be ezt",
    ),
    (
        "it",
        "Il mulino sull'isola macina il grano e l'acqua del fiume muove la ruota. Il mugnaio vende la farina d'avena ai fornai perché ne hanno bisogno per il loro pane.",
        "il sull e l del la d ai perché ne hanno per loro",
    ),
    (
        "nl",
        "De molen aan de rivier maalt het graan, en de molen staat tussen het bos en de stad. De molenaar verkoopt het meel aan de bakkers, omdat zij het daar nodig hebben.",
        "de aan het en tussen omdat zij daar hebben",
    ),
    (
        "no",
        "Vannet fra elva driver den gamle mølla. Mølla ligger mellom skogen og byen, og mølleren selger mel til bakerne gjennom hele vinteren fordi de ikke har noe annet.",
        "fra den mellom og til gjennom fordi de ikke har noe",
    ),
    (
        "pl",
        "Młyn nad rzeką miele zboże, a młyn stoi między lasem i miastem. Młynarz sprzedaje mąkę piekarzom, ponieważ oni jej potrzebują, ale woda nie jest zawsze dostępna.",
        "nad a między i ponieważ oni jej ale nie jest zawsze",
    ),
    (
        "pt",
        "O moinho do rio mói o trigo e o moinho fica entre a floresta e a cidade. O moleiro vende a farinha aos padeiros porque eles não têm outra, mas a água também é necessária.",
        "o do e entre a aos porque eles não têm outra mas também é",
    ),
    (
        "ro",
        "Moara de pe râu macină grâul, iar moara se află între pădure și oraș. Morarul vinde făina către brutari pentru că ei au nevoie de ea, însă apa nu este mereu destulă.",
        "de pe iar se între și către pentru că ei au ea însă nu este mereu",
    ),
    (
        "ru",
        "Мельница на реке мелет зерно, и мельница стоит между лесом и городом. Мельник продаёт муку пекарям, потому что она им нужна, однако воды в реке не всегда хватает.",
        "на и между потому что она им однако в не всегда",
    ),
    (
        "sv",
        "Kvarnen vid ån maler säd, och kvarnen ligger mellan skogen och staden. Mjölnaren säljer mjölet till bagarna eftersom de behöver det, men vattnet räcker inte alltid.",
        "vid och mellan till eftersom de det men inte alltid",
    ),
    (
        "tr",
        "Nehrin kenarında değirmen buğday öğütür ve bu değirmen orman ile şehir arasında durur. İle birlikte un satan değirmenci çok çalışır, ama su her zaman için yeterli değil.",
        "ve bu ile arasında çok ama her için değil",
    ),
    (
        "uk",
        "Млин на річці меле зерно, і млин стоїть між лісом та містом. Мельник продає борошно пекарям, тому що воно їм дуже потрібне, однак води у річці не завжди вистачає.",
        "на і між та тому що воно їм дуже однак у не",
    ),
];

#[test]
fn no_phrase_begins_or_ends_with_a_stop_word() {
    let mut wrong = Vec::new();
    for (language, text, words) in TEXTS {
        let loose: Vec<&str> = words.split(' ').collect();
        let upper = text.to_uppercase();
        for (text, given) in [(text, None), (text, Some(language)), (upper.as_str(), Some(language))] {
            let input = serde_json::json!({"text": text, "language": given, "max_phrases": 100, "max_words": 4, "deduplicate": 1});
            let answer = run(&input).expect("an answer");
            assert_eq!(answer["result"]["language"], language);
            let phrases = answer["result"]["phrases"].as_array().expect("phrases");
            assert!(phrases.len() > 5, "{language}");
            for phrase in phrases {
                let words: Vec<String> =
                    phrase["text"].as_str().expect("text").split(' ').map(|word| word.to_lowercase()).collect();
                // An elided article stands before its word: farine d'avoine, but not d'avoine.
                let is_elided =
                    ["fr", "it"].contains(&language) && words.first().is_some_and(|word| word.contains('\''));
                wrong.extend(words.first().filter(|_| is_elided).map(|word| format!("{language}: {word}")));
                let ends = [words.first(), words.last()].into_iter().flatten();
                wrong.extend(ends.filter(|end| loose.contains(&end.as_str())).map(|end| format!("{language}: {end}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn no_phrase_is_only_numbers_or_signs() {
    let text = "Sales rose 12 % in 2024, 3.5 million (± 0.2) – No. 7/8; 1,000 of 24/7 Ⅻ ½ ... *** § 5 -- 10-12 rose again in 2024 & 2025.";
    let answer = run(&serde_json::json!({"text": text, "max_phrases": 100, "deduplicate": 1})).expect("an answer");
    let phrases = answer["result"]["phrases"].as_array().expect("phrases");
    assert!(!phrases.is_empty());
    for phrase in phrases {
        assert!(
            phrase["text"]
                .as_str()
                .is_some_and(|text| text.split(' ').all(|word| word.chars().any(char::is_alphabetic)))
        );
        assert!(phrase["text"].as_str().is_some_and(|text| !text.chars().any(char::is_numeric)), "{phrase}");
    }
}

#[test]
fn an_english_title_stays_english() {
    for text in ["Die Hard", "Over the hills", "La La Land", "Kubernetes Ingress Controller", "data de-duplication"] {
        assert_eq!(run(&serde_json::json!({"text": text})).expect("an answer")["result"]["language"], "en", "{text}");
    }
}
