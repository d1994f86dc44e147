//! What asks for the skills that work on texts.

use crate::ask::{Ask, is, says};
use crate::forms::{
    CAPTIONS, CLAIMS, CLAUSES, CODE, DIFF, FOREIGN, ITEMS, LEADS, MATERIAL, MOODS, NUMBERS, OPTIONS, PRESENCE, PRICES,
    QUOTE, RECORD, REFERENCES, SERIES, TABLE, TEXT,
};

pub const TRANSLATION: &[Ask] = &[
    says(
        5,
        r"translat|übersetz|traduc|tradui|traduz|vertaal|tłumacz|how (?:do|would) (?:you|i|we) say|what does .* mean|what is .* in (?:english|german|french|spanish|italian|dutch|polish)|comment dit-on|wie (?:heißt|sagt man)|cómo se dice|come si dice|hoe zeg je",
    )
    .never(CODE),
    says(5, TO_LANGUAGE).never(CODE),
    says(
        4,
        r"\b(?:in|en|auf|em|na)\s+(?:plain |good |proper )?(?:english|german|french|spanish|italian|portuguese|dutch|polish|swedish|danish|czech|turkish|deutsch|englisch|français|anglais|allemand|inglés|alemán|inglese|tedesco|polski)\b",
    )
    .over(FOREIGN | QUOTE)
    .never(CODE | TABLE | SERIES | PRICES),
    says(5, r"^\W*(?:english|german|french|spanish|italian|portuguese|dutch|polish|swedish|danish|czech|turkish|deutsch|englisch|français|anglais)(?: version)?,? ?(?:please|pls|bitte|:|\?)|\b(?:english|german|french|spanish|italian|polish|dutch) (?:please|version|for:)|\((?:en|de|fr|es)\)").never(CODE),
    says(3, r"what (?:does|do) (?:it|this|they|that|he|she) say|what(?:'s| is) (?:this|it) in").over(FOREIGN).never(CLAIMS | CLAUSES),
];

/// Names of human languages in a request for a translation.
const TO_LANGUAGE: &str = r"\b(?:to|into|auf|ins|nach|naar|al|vers|para o|en)\s+(?:plain |british |american |proper |simple )?(?:english|german|french|spanish|italian|portuguese|dutch|polish|swedish|danish|norwegian|finnish|czech|turkish|arabic|chinese|japanese|korean|russian|ukrainian|greek|hungarian|romanian|deutsche?|englische?|französische?|français|anglais|allemand|inglés|alemán|inglese)\b";

pub const SUMMARIZATION: &[Ask] = &[
    says(
        4,
        r"\bsummar(?:y|ise|ize|ising|izing|ised|ized|isation|ization)\b|sum (?:this|it|up)\b|tl;?dr|bottom line|\bgist\b|zusammenfass|fasse? .*zusammen|\brésum|\bresúm|\bresum[ie]|riassu|samenvat|vat .* samen|streszcz|\brecap\b|in a nutshell|short version|in short\b|in brief|the essence|key (?:points|takeaways|facts|messages)|main points|long story short|boil .* down|digest of|kurzfassung|en bref|in kürze|kurz (?:und|gesagt)",
    )
    .over(MATERIAL)
    .never(CODE | TABLE | LEADS | CAPTIONS),
    says(2, r"\bsummar(?:ise|ize|y)\b|tl;?dr|zusammenfass|résum|resum|riassu|samenvat"),
    says(
        4,
        r"shorten|(?:make|cut) (?:this|it|the \w+) (?:shorter|short|down)|make it short|kürze|condense|abridge|too long|(?:in|to|into|as|max\.?|maximum|at most|no more than|under|about) (?:one|two|three|four|five|six|seven|\d+|a single|a few|max\w* \w+) (?:short |plain |simple )?(?:sentences?|bullets?|bullet points|words|lines|sätze\w*|phrases?|frases|frasi|zinnen|stichpunkte\w*|wörter\w*|mots|palabras)|(?:one|two|three|four|five|\d+|a) (?:short )?(?:bullets?|sentences?|bullet points|stichpunkte|sätze)\b|what(?:'s| is) (?:this|it) (?:all )?about|the essentials|headline for|what does (?:this|it|the \w+) (?:one )?(?:want|ask)|worum geht|de quoi (?:s'agit|parle)",
    )
    .over(TEXT)
    .never(CODE | TABLE | SERIES | CAPTIONS | CLAIMS),
    says(6, r"\b(?:in|into|max\.?|most|than|one|two|three|four|five|\d+) (?:\w+ )?(?:sentences|sätze\w*|phrases|frases|frasi|zinnen)\b").over(TEXT).never(CODE | SERIES | CAPTIONS | CLAIMS | LEADS | PRICES | PRESENCE),
    says(6, r"what (?:i|we) (?:have|need|must)?(?: to)? do\b").over(TEXT).never(CODE | TABLE | LEADS),
    says(
        6,
        r"(?:just|only|nur|all) (?:the )?(?:open questions?|decisions?|action items?|actions|to-?dos?|tasks|deadlines?|facts|outcomes?|results?|news|risks?|next steps)|(?:decisions?|action items?|to-?dos?|open questions?|next steps)\b.{0,30}(?:only|nothing else|as bullets|please|list)|what (?:was|were|did|has been|have) (?:\w+ )?(?:decided|agreed|decide)|who (?:has to |does |must )(?:do )?what|minutes (?:in|as|to)|as bullets",
    )
    .over(TEXT)
    .never(CODE | TABLE | LEADS),
];

pub const SENTIMENT: &[Ask] = &[
    is(5, MOODS).never(CODE),
    says(3, r"\b(?:positiv\w*|negativ\w*|neutral)\b").over(QUOTE | TEXT | ITEMS).never(CODE | SERIES),
    says(
        5,
        r"\bsentiment|mood of|positiv\w*[,/ ]+(?:or |oder |ou |o |and |und |et )?n[eé]\w+|n[eé]gati\w*[,/ ]+(?:or |oder |ou |o |and )?(?:neutr\w+|positi\w+)|pos/neg|\bpos or neg\b|happy or (?:cross|angry|sad|unhappy|not)|stimmung|neutr\w+ or|thumbs up|(?:how|really|very|is (?:it|this|that)|both|all) (?:\w+ )?(?:positive|negative)|good or bad|bad or good|love or hate|liked? (?:it )?or (?:not|hated)",
    ),
    says(
        4,
        r"(?:angry|cross|upset|unhappy|satisfied|pleased|annoyed|happy|zufrieden|content\w?|satisfait\w*|contento|satisfecho\w?)\b.{0,60}\?|did (?:the |this |they|he|she|our )\w* ?.*\b(?:like|enjoy|love|hate)\b|whether .*(?:liked|happy|satisfied|pleased|unhappy)|how (?:do|does|did|is|are) .* (?:feel|think|come across|received)|emotion|opinion of|\btone\b|what does? .* think|how (?:happy|angry|satisfied|pleased|upset)|by aspect|per aspect|aspects?\b|like(?:s|d)? and dislike|praise or|complain\w*|compliment",
    )
    .over(TEXT | QUOTE | ITEMS)
    .never(CODE | TABLE | CAPTIONS),
    says(1, r"\btone\b|\bmood\b|reviews?\b|comments?\b|feedback|opiniones|avis|bewertung\w*|opinions?").never(CODE),
];

pub const CLASSIFICATION: &[Ask] = &[
    says(
        4,
        r"classif|categor|catégor|kategor|\bspam\b|phishing|klassifiz|clasific|in (?:the right|one of the) (?:\w+ )?(?:pile|folder|box|bucket|drawers?)s?|which (?:pile|category|bucket|team|folder|department|queue|intent|topic|class|label|tag|box|group|desk)\b|(?:label|tag|sort|put|file|route|triage|assign|group|einordn\w*|zuordn\w*|sortier\w*|trie\w*|classe\w*|ordn\w*)\b.*(?:into|\bin\b|\bas\b|\bto\b|under|with|\bby\b|:|dans|zu)",
    )
    .over(MATERIAL)
    .never(CODE | LEADS | SERIES | CAPTIONS | MOODS),
    says(
        5,
        r"(?:->|→|=>|=|:) ?\S+.*(?:->|→|=>)|(?:if|when) (?:it|they|the \w+|one) (?:mentions?|says?|has|contains?|talks?|asks?|is|are)\b.*(?:->|→|write|goes|call|label|is|then|,)|(?:label|call|write|mark|say|give)\b.{0,40}[\x22“'‘]\S+.{0,20}\b(?:if|when)\b|otherwise|(?:goes?|go|belongs?|kommt|gehör\w+|va|vont|van) (?:in|into|to|under|dans|nach|zu|en|a)\b",
    )
    .over(ITEMS | TEXT | TABLE)
    .never(CODE | CLAUSES | LEADS | CAPTIONS | PRICES | MOODS),
    says(
        4,
        r"\b(?:label|tag|sort|triage|topic|theme|genre|intent|tense|register|moderation|priority|kind of|type of|language of|category|labels?|choose from|pick one|one of|main topic|rubrik|thema|sujet|tema|rubrique|fallacy|pick among|kinds?|expense)\b",
    )
    .over(OPTIONS)
    .never(CODE | LEADS | SERIES | CAPTIONS | MOODS),
    says(5, r"(?:\b(?:over|under|above|below|from|up to|more than|less than|between|at least)\b|\d ?-\d)[^.\n]{1,45}(?:=|\bis\b|\bare\b|:|→|->|\bgets?\b|[\x22“]) ?\S.*(?:\b(?:over|under|above|below|from|up to|more|less|between|at least|other|rest)\b|\d ?-\d)|which is which|any other \w+ (?:is|=)|^assign\b|\bassign \w+\b.*(?:,|\bor\b)").over(ITEMS | TABLE | SERIES | NUMBERS).never(CODE | LEADS | CAPTIONS | PRICES | CLAIMS | PRESENCE),
    says(3, r"\b(?:or|oder|ou|o|u)\b|\w ?/ ?\w|\(|choose|pick").over(OPTIONS).never(MOODS | CODE | LEADS | SERIES | CAPTIONS | PRICES | CLAIMS | CLAUSES | TABLE),
    says(3, r"same way|like the examples|\b(?:fact or opinion|formal or informal|\w+ or not(?: \w+)?\?|urgent or|toxic or|is (?:this|it) (?:a |an )?\w+ or (?:a |an )?\w+\??)|labels? `").over(ITEMS | QUOTE | TEXT).never(CODE | SERIES | PRICES | LEADS),
    says(2, r"\b(?:labels?|tag|sort|triage|which is \w+)\b").over(ITEMS | TEXT).never(CODE | SERIES),
];

pub const CITATION: &[Ask] = &[
    is(4, CLAIMS).never(CODE | CAPTIONS),
    is(3, REFERENCES).never(CODE),
    says(
        4,
        r"citation|\bcit(?:e|ed|es|ing)\b|bibliograph|reference list|literaturverzeichnis|\bdois?\b|\bin (?:apa|mla|chicago|harvard|vancouver|ieee)|\b(?:apa|mla|bibtex|ris to)\b|(?:apa|mla|chicago|harvard|vancouver|ieee)(?: \d+\w*)? (?:style|format|7)|bibtex|fact.?check|proven by|zitier|(?:back(?:s|ed)?|support(?:s|ed)?|contradict(?:s|ed)?) (?:by|the claims?|this|these|my|it|them)|do(?:es)? (?:the|this|these|my) (?:source|text|paper|study|article|report|abstract)s? (?:support|say|back|confirm|prove)|claims?\b.*\bsources?\b|\bis[bs]ns?\b|\borcid\b|\barxiv\b|\bpmid\b|check digits?.*isbn|stützt|belegt die quelle|la source|confirme",
    )
    .never(CODE),
    says(3, r"word for word|supported|contradicted|\breferences?\b|\bsources?\b|\bclaims?\b|\bquellen?\b|evidence|proven|verify|true\?|compare").over(CLAIMS | REFERENCES | QUOTE),
    says(2, r"\breferences?\b|\bclaims?\b|\bissn|\bisbn").never(CODE),
];

pub const COMPLIANCE: &[Ask] = &[
    says(
        4,
        r"complian|gdpr|dsgvo|rgpd|avg-|\baudit|\bclauses?\b|klausel|cláusula|sanction|privacy (?:notice|policy)|datenschutzerklärung|política de privacidad|\bnda\b|governing law|right to erasure|liability|health data|personal data|personenbezogen\w*|impressum|imprint|cookie (?:banner|text)|accessibility statement|tick list|vat (?:number|id)|ust-?id|steuer-?id|withdrawal|aviso legal|mentions légales",
    )
    .never(CODE | TABLE | SERIES),
    says(6, r"special.categor").over(TEXT),
    says(
        4,
        r"(?:does|do|is|are|whether|if|look whether|see (?:if|whether)|check (?:if|whether|that)) .*(?:agreement|contract|policy|notice|terms|lease|document|t&cs?|statement|banner|text|form|sheet|letter|leaflet|label|card|record|clause|here|this|it)\b.*(?:say|mention|contain|include|cover|state|have|regulate|forbid|allow|permit|require|rule out|dealt with|offer|ask(?:ed)?|everything|in (?:here|it|there))",
    )
    .over(TEXT | RECORD)
    .never(CODE | TABLE | SERIES | CLAIMS | CAPTIONS | LEADS),
    says(
        4,
        r"what(?:'s|s| is) (?:missing|not (?:on|in))|\bmissing\b|is (?:it|this|everything|anything|the \w+) (?:complete|all there|there|missing)|all (?:good|there|in)\?|(?:everything|all of it) (?:in|on|there)|must (?:have|contain|be (?:filled|in|on))|has to (?:be (?:in|on)|contain|have)|(?:wants?|needs?|requires?|asks for|verlangt) (?:these|this|the following|to see|every|all)|not on it|which is not|is there (?:a|an|any|anything)\b|are there (?:any )?|gibt es|¿hay|y a-t-il|c'è|fehl(?:t|en)|manque|falta|completo|vollständig|complete\?|items?:|check (?:the \w+ )?(?:for|on) (?:these|the following)|requirements|exact words|literally|wörtlich|-check\b|tick (?:list|off)",
    )
    .over(TEXT | RECORD)
    .never(CODE | TABLE | SERIES | CLAIMS | CAPTIONS | LEADS),
    is(4, PRESENCE).over(PRESENCE).never(CODE | SERIES | CLAIMS | CAPTIONS | LEADS | MOODS | TABLE),
    says(5, r"\x22requirements\x22|checklist"),
    says(2, r"\b(?:contract|agreement|terms of|lease|policy|notice|minutes|statement|certificate|licence|registry|annex|regulation|law|act|art\.|§)\b|mentions?:|quote (?:it|the)").over(TEXT | RECORD | CLAUSES).never(CODE | TABLE | SERIES),
    is(1, CLAUSES).never(CODE | DIFF | CAPTIONS),
];
