//! What asks for the skills that work on series, prices, leads, code and captions.

use crate::ask::{Ask, is, says};
use crate::forms::{
    CAPTIONS, CLAIMS, CODE, DIFF, ITEMS, LEADS, MATERIAL, MEDIA, NUMBERS, PRICES, RECORD, SERIES, TABLE, TEXT,
};

pub const REVIEW: &[Ask] = &[
    is(4, DIFF),
    is(3, CODE),
    says(4, r"\b(?:is|check|about|with|in) (?:my|this|the) (?:code|script|function|query|snippet|program)\b"),
    says(
        4,
        r"code review|review (?:this|the|my) (?:code|function|script|diff|pr|pull request|query|patch|change)|\bpull request\b|(?:bugs?|vulnerab\w*|security (?:hole|issue|problem)s?) in (?:this|the|my)",
    )
    .never(RECORD | TABLE),
    says(
        3,
        r"(?:what(?:'s| is) wrong|anything wrong|is this (?:code|function|script|query) (?:ok|safe|correct)|look over) .*(?:code|function|script|query|snippet|diff)|sql injection|secur\w* .*(?:code|function|script)",
    ),
    says(2, r"\bbugs?\b|\breview\b|\bdiff\b|vulnerab|\bcode\b|approve|merge|\blgtm\b|\bnits?|\bpr\b").over(CODE | DIFF),
];

pub const CODING: &[Ask] = &[
    says(
        4,
        r"(?:write|implement|create|build|make|code|program|need|want|give me|generate|develop)\b.{0,60}\b(?:function|script|program|class|regex|regular expression|method|algorithm|sql query|module|code that|one-?liner)\b",
    )
    .never(SERIES | PRICES),
    says(
        4,
        r"(?:write|schreib\w*|escrib\w+|écri\w+|scriv\w+)[^.?!]{0,60}(?:func\w*|funktion|función|fonction|funzione|\w\()|\b(?:write|need|make|build|want|give|have)\b[^.?!]{0,80}\bin (?:python|javascript|typescript|java|rust|golang|go|php|ruby|kotlin|swift|lua|c\+\+|c#|sql|bash)\b",
    )
    .never(SERIES | PRICES),
    says(6, r"\b(?:write|schreib\w*|escrib\w+|écri\w+)\b[^?!]{0,80}\b(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|c#)\b").never(CODE),
    says(4, r"\b(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|lua|c\+\+|c#|bash)\b(?s:.*)\w+\([\w, \x22'\[\]]*\) ?(?:-|–|that|which|returns|takes|with|:|=|->|→|is)"),
    says(
        3,
        r"\b(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|lua|c\+\+|c#|bash)\b\s*(?:function|script|program|class|method|code|:)|\w+\([\w, ]*\) (?:-|–|that|which|returns|takes)",
    ),
    says(
        3,
        r"(?:convert|port|rewrite|translate) .*\b(?:to|into|in) (?:python|javascript|typescript|java|rust|golang|go|php|ruby|kotlin|swift|c\+\+|c#)\b|make (?:this|the) (?:code|function) faster|refactor|(?:need|want|write|make|have) (?:it |this |that )?(?:in )?(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|c\+\+|c#)\b",
    ),
    says(
        5,
        r"\b(?:write|convert|port|rewrite|implement|faster|refactor|correct it|fix it|unit tests?|extend|add a|examples? hold|parse as)\b",
    )
    .over(CODE),
    says(1, r"\bfunction\b|\bscript\b|implement"),
];

pub const FORECAST: &[Ask] = &[
    says(
        4,
        r"\bforecast|\bfcst\b|predict|extrapolat|prognos|prévis|prévoi|pronóst|previsi|projection|project(?:ed)? (?:to|for)|hochrechn|vorhersag|if (?:it|this|that|the trend|nothing) (?:goes|carries|keeps|continues|changes|slows)|carry (?:it|this|that|them)? ?on|rest of the (?:year|month|quarter)|wie geht es .*weiter|verwacht|to expect|expect what|trend continu",
    ),
    says(
        3,
        r"\bnext (?:\w+ )?(?:months?|weeks?|quarters?|years?|days?|hours?|periods?|values?)\b|\bnext (?:two|three|four|five|six|few|couple|\d+)\b|likely to be|\x22horizon\x22|\bcontinue\b|\bnext (?:\w+ )?(?:months?|weeks?|quarters?|years?|days?|hours?|periods?|values?|steps?|ones?|points?|season)\b|(?:will) (?:we|i|it|they|the \w+|\w+) .*(?:be|look|need|use|sell|have|reach|expect|stand)|expect(?:ed)? (?:for|in|next|at|by)|what (?:comes|is|will) (?:be )?(?:next|\w+ (?:to|and))|how (?:much|many) (?:will|at|should)|(?:the|in|for|by)(?: the)? coming|where will|nächste[nrs]?\b|kommende[nrs]?\b|prochaine?s?\b|próxim[oa]s?\b|prossim[oiae]\b|volgende|komende|\bahead\b|estimate|schätz\w+|estimer|\bwill (?:be|it|that|we)\b",
    )
    .over(SERIES | NUMBERS)
    .never(CODE | CLAUSES_OR_CLAIMS),
    says(4, r"how (?:many|much)\b.*\b(?:in|for|by|at) (?:20\d\d|the year|week \w+|unit|day \w+|january|february|march|april|may|june|july|august|september|october|november|december)|\bcontinuing\b|\bplan (?:for )?(?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d|q\d)|\b(?:wants?|needs?|give me|plus) (?:\w+ ){0,2}(?:q[1-4]|20\d\d)\b|\b(?:units?|weeks?|days?|months?|games?|rounds?) \w+ (?:and|to) \w+\?").over(SERIES | NUMBERS).never(CODE | CLAIMS | CAPTIONS | TABLE_WIDE),
    says(
        3,
        r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|enero|q[1-4]|20\d\d|week \d+|\d+h)\b[^?\n]{0,40}\?)|(?:picture|guess|see|for|tell me what) (?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|20\d\d)",
    )
    .over(SERIES),
    says(1, r"\btrend\b|\bexpect\b|steps?\b|\bwill\b").over(SERIES),
];

/// Rows that are no series.
const TABLE_WIDE: u32 = crate::forms::WIDE;
/// Where `next` and `will` are said of other things.
const CLAUSES_OR_CLAIMS: u32 = CLAIMS | CAPTIONS | LEADS;

pub const ANOMALY: &[Ask] = &[
    is(1, SERIES),
    says(
        4,
        r"anomal|anómal|anormal|outlier|(?:stand|stick)(?:s|ing)? out|out of (?:line|the ordinary|whack|character)|level (?:change|shift)|another level|ausreißer|ausreisser|aberrant|atípic|uitschieter|off the rails|through the roof|must be (?:a|an) (?:typo|mistake|error)|(?:counted|measured|checked|read) again|visible|reading error|spikes?\b|nietypow|auffällig|ungewöhnlich|inhabituel|insolit|inusual",
    )
    .over(SERIES | NUMBERS | TABLE)
    .never(CODE),
    says(
        4,
        r"look(?:s)? wrong|unusual|strange|weird|\bodd\b|suspicious(?:ly)?|abnormal|(?:when|where) did (?:it|the \w+) (?:jump|drop|change|shift|go up|fall)|does(?:n't| not) (?:fit|belong)|don't (?:fit|belong)|(?:any|which|is|are|one|anything) .*(?:look|seem|is|are)?s? ?(?:wrong|off|odd|special|funny|fishy|too (?:high|low|much|many)|way out|not right|different|raro|extraño|bad)\b|jumped|sudden|one bad|special case|wrong (?:reading|value)|raro|rara|bizarre|seltsam|komisch|way (?:out|too|off)|broke|fault|dip\b|peak\b|glitch|normal\?|alarm|alert",
    )
    .over(SERIES),
    says(4, r"\b(?:which|what) \w+ (?:doesn't|does not|don't) (?:fit|belong)|cannot be right|can't be right").never(CODE | TABLE_WIDE),
    says(2, r"anomal|outlier|ausreißer"),
];

pub const PRICING: &[Ask] = &[
    says(
        5,
        r"elasti[cz]|optimal price|(?:best|right|ideal|profit.maximi\w+|optimale[rn]?|meilleur|mejor|miglior) (?:price|preis|prix|precio|prezzo)|price (?:point|optimi|test|change)|what (?:price|should (?:i|we) charge)|(?:how (?:high|much)|what) (?:should|must|can) (?:my|our|the) price|(?:how much|what) should (?:i|we) (?:charge|ask)|(?:raise|lower|increase|cut|change|keep|put up) (?:the |our |my |it |this )?(?:prices?|fee|fare|rate)|(?:which|what|quel|welcher|qué|que|quale) (?:of the (?:two|three) )?(?:price|prix|preis|precio|prezzo)\b",
    )
    .over(NUMBERS),
    says(4, r"elasti[cz]\w+|price (?:optimi|test)|pricing"),
    says(
        4,
        r"\b(?:raise|raising|lower|lowering|increase|keep|cut|put (?:it|them) up|better|best|what now|who should win|recommend\w*|worth|rauf|runter|erhöhen|senken|teurer|billiger|conviene|aumentar\w*|subir|bajar|augmenter|baisser|optimi\w+|earn\w*|brings?|makes? more|makes? the most|rapporte|charge|receipts|turnover|profit|margin)\b",
    )
    .over(PRICES)
    .never(CODE | LEADS | CLAIMS),
    says(3, r"\b(?:charge|ask|sell at|price is|current(?:ly)?|at present|at the moment|i'm at|tag says|shelf price|prix actuel|adesso|aktuell\w*|derzeit|zurzeit|precio actual|now)\b.{0,30}\d").over(PRICES).never(CODE | LEADS | CLAIMS),
    says(2, r"\bprice\b.*\b(?:sold|units|quantity|demand|portions|pieces|customers)\b|\bprices?\b|prix|preis|prezzo|precio").over(PRICES),
];

pub const LEADS_ASKS: &[Ask] = &[
    says(
        5,
        r"\bleads\b|lead scor|prospects?\b|(?:who|which\b.{0,40}) (?:should|do|to|is|of).*(?:call|contact|ring|approach|phone|visit)(?:ed|ing)? (?:first|back)|score (?:these|the|my|our) (?:contacts|companies|customers|enquir\w+)|(?:most|more) (?:promising|likely to buy)|hot or not|warm or cold|better qualified|webinar attendees|decision maker|worth (?:calling|most of my time|my time)|best customer|ideal customer|interessenten",
    )
    .never(CODE),
    says(
        4,
        r"\b(?:rank\w*|scores?|scoring|grade|order|prioriti\w+|who (?:to|should|is|first)|whom|compare|hot|first|classer|clasifi\w+|ordena\w*|sortier\w*|reihenfolge|bewerte\w*|best|better|points|follow up|call|qualif\w+)\b",
    )
    .over(LEADS)
    .never(CODE | CLAIMS | PRICES_AND_SERIES),
    says(4, r"\b(?:top|each|every|which|new|best) leads?\b|lead quality|likely they|in order\b|worth (?:more )?(?:calling|my|our|most)|vale más|llamar|who to answer|win chance|convert\b|seriousness"),
    says(2, r"\blead\b|\bcrm\b|sales (?:team|handover|rep)|contacts?\b").over(LEADS),
];

/// Where `best` and `first` are said of figures.
const PRICES_AND_SERIES: u32 = CAPTIONS | DIFF;

pub const VIDEO: &[Ask] = &[
    is(5, CAPTIONS),
    is(2, MEDIA),
    says(
        4,
        r"\bcaptions?\b|subtitles?|untertitel|sous-titres|subtítulos|\bsrt\b|\bvtt\b|\bvideo\b|\bmp4\b|\bvoice-?over\b|\bfootage\b|\bshots?\b|narration|storyboard|filler words|\bfps\b|chapter marks|youtube|transcript|call to action|words per minute",
    )
    .over(MATERIAL)
    .never(CODE),
    says(2, r"\bcaptions?\b|subtitles?|\bvideo\b"),
    says(2, r"transcript|\bclip\b|words per minute|speaking").over(TEXT | ITEMS),
];
