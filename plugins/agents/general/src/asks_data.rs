//! What asks for the skills that work on tables and records.

use crate::ask::{Ask, is, says};
use crate::forms::{
    CAPTIONS, CLAIMS, CODE, DIFF, FIELDS, GROUPS, ITEMS, LEADS, MOODS, NAMED, NAMED_ALL, NUMBERS, OPTIONS, PRESENCE,
    PRICES, RECORD, REFERENCES, SERIES, SHORT, TABLE, TEXT, WIDE,
};

pub const VALIDATION: &[Ask] = &[
    is(1, TABLE),
    says(4, r"\bvalidat|\bschema\b|data quality|missing values?|data check"),
    says(
        4,
        r"\b(?:check|double-check|look (?:through|over)|go through|go over|verify|confirm|test|prüfe?n?|vérifi\w+|comprueb\w+|controll\w+)\b.{0,60}\b(?:data|table|csv|list|rows?|records?|entries|addresses|spreadsheet|sheet|export|e-?mails|ibans?|dates|phone numbers|json|lines?|digits|file|register|roster|rota|before i|column|values)\b",
    )
    .over(TABLE | RECORD | ITEMS)
    .never(CODE | CLAIMS | PRESENCE | CAPTIONS),
    says(
        4,
        r"(?:must|may|should|has to|have to|needs? to|ought to|shall|can|can ?not|can't|cannot|mustn't|darf|dürfen|muss|müssen|doit|doivent|debe\w*|deve|devono)\b(?: only| not| all| each| always| never| both| nur| nicht)* (?:be|match|have|start|end|add up|equal|contain|exist|lie|fall|stay|fit|agree|come|follow|sein|haben|être|avoir|ser|estar|tener|work|occur|appear|go (?:up|down)|increase|rise|fall|decrease)\b|expect \w+ to|every \w+ needs|are allowed|(?:is|are) (?:not allowed|mandatory|compulsory|required)|pflicht|obligatoire|obligatorio",
    )
    .over(TABLE),
    says(3, r"must|may only|have to|has to|between \S+ and \S+|\d\.\.-?\d|\d to \d|can't be|cannot be|nobody can|never (?:be|above|below|negative)|muss|darf|entre \S+ (?:et|y)|zwischen").over(TABLE),
    says(
        4,
        r"\b(?:errors?|mistakes?|problems?|wrong|faulty|broken|invalid|inconsisten\w*|empty|incorrect|not correct|malformed|impossible|nonsens\w*|implausib\w*|plausib\w*|typos?|bad|clash\w*|contradict\w*|fehler\w*|falsch\w*|ungültig\w*|erron\w+|incorrect\w*|manque\w*|manca\w*|falta\w*|fehl(?:t|en)|unvollständig\w*|doppelt\w*|doublons?|duplicad\w+|out of range|off|suspicious|odd|conflict\w*|violat\w+|break\w*|legit|valid)\b",
    )
    .over(TABLE)
    .never(SERIES | PRICES | LEADS),
    says(
        3,
        r"\b(?:errors?|mistakes?|wrong|faulty|broken|invalid|inconsisten\w*|incorrect|not correct|malformed|impossible|nonsens\w*|implausib\w*|clash\w*|fehler\w*|falsch\w*|ungültig\w*|erron\w+|out of range|typos?)\b",
    )
    .over(TABLE | RECORD)
    .never(CODE | DIFF | CAPTIONS),
    says(
        4,
        r"\b(?:unique|eindeutig|twice|duplicates?|doubles?|same \w+ (?:entered|listed|twice)|make(?:s)? no(?: \w+)? sense|don't exist|doesn't exist|before being|(?:do|does|don't|doesn't|not)\b.{0,50}\b(?:agree|match|fit|suit|belong|add up|exist|tally|correspond|hold)|sanity|sane|stimm(?:t|en)|in the future|anyone who \w+|which (?:rows?|lines?|entries|records?)\b.{0,40}\b(?:not|fail|break|wrong|off)|wrong (?:category|column|place)|check digits?|checksum|is each|are (?:all|any|the)\b.{0,60}\b(?:valid|correct|ok|right|filled|broken|complete))",
    )
    .over(TABLE)
    .never(LEADS),
    says(4, r"\b(?:manque|doublons?|duplikat\w*|duplicad\w+|fehlende\w*|missing values?|empty cells?|malformed|not correct|broke (?:it|the rule)|at most|at least|rule:)\b").over(TABLE).never(LEADS | PRICES | CAPTIONS),
    says(4, r"\w+ ?(?:[-+*x×/]|plus|times|minus|mal) ?(?:\w+ ){1,3}(?:= |should be|must be|has to be|equals?|ist|is) ?\w+").over(TABLE),
    says(3, r"prüf\w*|gültig\w*|check (?:it|them|that|this|whether|if|for|all)\b|\bflag\b|nobody .* (?:more|less) than|\bvérifi\w+|comprueb\w+").over(TABLE).never(LEADS | PRICES | OPTIONS | PRESENCE),
    says(2, r"duplicates?|\bmissing\b|\binvalid\b|incomplete|which rows?|upload|import").over(TABLE),
    says(2, r"\bclean (?:this|up)|cleaning|should be (?:fine|ok)|all (?:good|ok|fine)\b|any entries").over(TABLE),
];

pub const AGGREGATION: &[Ask] = &[
    says(5, r"(?:remove|without|drop|delete) (?:the |all |any )?(?:doubles|duplicates|double entries|repeats)|how many are left|count the rest").never(CODE | LEADS),
    says(6, r"^(?:the )?(?:sum|mean|average|total|count|median|min|max)\b.*\b(?:by|per)\b").over(GROUPS).never(CODE | LEADS),
    says(3, r"\b(?:merge|join|group(?:ed)? by|aggregate|pivot)\b.*\b(?:tables?|by|lists?|files?)\b"),
    is(1, TABLE),
    says(4, r"aggregat|group(?:ed)? by|\bpivot|dedup|remove (?:the |all )?(?:doubles|duplicates)|summ(?:e|iere)\b|gesamt\w+|zusammenzähl\w*|addition\w+|totale?s?\b|suma\b|somma\b|som van|moyenne|promedio|media\b|durchschnitt\w*|gemiddeld\w*")
        .over(TABLE | SERIES | ITEMS | NUMBERS),
    says(
        4,
        r"how (?:much|many)\b.*\b(?:each|every|per|altogether|in total|in all|left|are there|different|were|did|do|was|is|i'm)\b|(?:sum|total|totals|average|mean|count|revenue|sales|number|amount|turnover|hours|cost|costs|profit|spend\w*|rate|fees|share|percentage|kg)\b.{0,40}\b(?:by|per|for (?:each|every)|of each|in each|over all)\b|\b(?:je|pro|par|por|per) \w+",
    )
    .over(GROUPS)
    .never(CODE | CAPTIONS | MOODS | LEADS | PRESENCE),
    says(
        4,
        r"(?:add|added|adding) (?:it |them |these |all |everything )?up|sum (?:it|them|up|of|these)|(?:what|how much|how many)(?:'s| is| was| did| were)? .*(?:in total|al+together|in all|total|sum|average|whole)|how often|(?:what|how much) .*\b(?:each|paid|spent|owe)|in total|al+together",
    )
    .over(TABLE | SERIES | ITEMS | NUMBERS)
    .never(CODE),
    says(
        4,
        r"merge (?:the|these|both)|join (?:the|these|both)|combine (?:the|these|both)|top (?:\d+|three|five|ten|two)|(?:how many|count) .*(?:rows|orders|customers|people|items|entries|products|times)|sort(?:ed)? (?:it |them |this )?by|distinct|heaviest|highest|lowest|largest|biggest|most\b|least\b|rank(?:ed|ing)? by",
    )
    .over(TABLE)
    .never(PRICES | LEADS),
    says(2, r"\btotals?\b|\baverage\b|\bsum\b|\bhighest\b|\blowest\b|\bmost\b|\bper\b|median|\bhow many\b|\bhow much\b|overall|percent|\bcount\b").over(TABLE | SERIES | NUMBERS),
];

pub const EXTRACTION: &[Ask] = &[
    is(3, NAMED).never(CODE | LEADS | CLAIMS | REFERENCES | SHORT | PRESENCE | SERIES | TABLE),
    is(5, NAMED_ALL).never(CODE | LEADS | CLAIMS | REFERENCES | SHORT | PRESENCE | WIDE | MOODS | CAPTIONS | OPTIONS),
    is(2, FIELDS).never(CODE | LEADS | CLAIMS | REFERENCES | SHORT | PRESENCE | SERIES | TABLE | MOODS | OPTIONS | CAPTIONS | PRICES),
    says(5, r"^(?:please )?(?:to|as|into|make (?:it|this)|turn (?:it|this) into) json\b").over(TEXT | RECORD).never(CODE),
    says(4, r"\bextra(?:ct|i|e|ire)\w*|pull (?:out|all|the|every)|pick out|fish out|herauszieh\w*|auslesen|\bfill in\b"),
    says(
        4,
        r"\b(?:need|want|wants|get|grab|give (?:me|us)|send (?:me|us)|list|find|collect|read|tell me|note|necesito|brauche|benötige|voglio|quiero|j'ai besoin|il me faut|ik wil|preciso|turn it into) ?:?.*(?:,|\band\b|/|\by\b|\bund\b|\bet\b|\be\b|\ben\b|json|fields?|key.?value).*",
    )
    .over(NAMED | FIELDS)
    .never(CODE | LEADS | CLAIMS | REFERENCES | SHORT | PRESENCE | MOODS | CAPTIONS),
    says(
        4,
        r"(?:pull|fish|pick|get|find|list|give (?:me|us)|need|want|send me|tell me|collect|grab|read|necesito|brauche) (?:me )?(?:all |out |the |every |each |only |just )*(?:of the )?(?:e-?mail|phone|date|name|invoice|order|booking|amount|address|number|link|url|price|customer|total|iban|contact|time|product|unit|job|policy|case|flight|version|serial|account|host)\w*\b",
    )
    .never(TABLE | CODE | LEADS | PRESENCE),
    says(4, r"which line has|hashtags?\b|@mentions|\bentities\b|\bevery (?:amount|name|date|number)|list them|what(?:'s|s| is| are| was) the (?:\w+ )?(?:invoice|order|booking|total|due|amount|customer|tracking|reference|phone|e-?mail|address|delivery|departure|arrival|contact|serial|account|flight|name|date|number|deadline|time|sender)\b|when (?:do|must|should) (?:i|we) (?:have to )?pay|who (?:is|was) the (?:sender|customer|contact|buyer|supplier)")
        .never(TABLE | CODE | PRICES | SERIES),
    says(4, r"(?:if|when|wenn|si) (?:something|one|it|anything|any|a field|etwas)?.{0,20}(?:isn't|is not|isnt|missing|not there|nicht|no (?:está|aparece))\b.{0,40}\b(?:empty|blank|null|leave|leer|invent|vacío)|don't invent|do not invent").over(TEXT | RECORD),
    says(3, r"(?:->|:|;)\s*(?:[\w-]+ ){0,3}[\w-]+(?:, (?:[\w-]+ ){0,3}[\w-]+){2,}").over(TEXT | RECORD).never(TABLE | CODE | LEADS | SERIES | CLAIMS | REFERENCES | SHORT | PRESENCE | OPTIONS | MOODS),
    says(3, r"\bas (?:json|key.?value|fields|a table)\b|into (?:json|a table)|^(?:need|want|i need|for our|for the)\b").over(TEXT | RECORD).never(CODE | SERIES | PRICES | LEADS | CLAIMS | REFERENCES | SHORT | PRESENCE | MOODS),
    is(1, RECORD).never(TABLE),
    says(1, r"\bfields?\b|\bfrom (?:this|the) (?:mail|e-?mail|letter|text|invoice|log)\b|\bfind\b|below|html").over(TEXT | RECORD),
];
