//! The skills, what they cost this agent, and the words that ask for them.

/// A skill and what points to it.
pub struct Skill {
    /// Its id.
    pub id: &'static str,
    /// Whether this agent may spend its price.
    pub affordable: bool,
    /// Patterns in a request, in small letters, with their weights.
    pub words: &'static [(u32, &'static str)],
}

const fn skill(id: &'static str, words: &'static [(u32, &'static str)]) -> Skill {
    Skill { id, affordable: true, words }
}

const fn dear(id: &'static str, words: &'static [(u32, &'static str)]) -> Skill {
    Skill { id, affordable: false, words }
}

/// Names of human languages in a request for a translation.
const TO_LANGUAGE: &str = r"\b(?:to|into|auf|ins|nach)\s+(?:plain |british |american |proper |simple )?(?:english|german|french|spanish|italian|portuguese|dutch|polish|swedish|danish|norwegian|finnish|czech|turkish|arabic|chinese|japanese|korean|russian|ukrainian|greek|hungarian|romanian|deutsch|englisch|französisch|français|anglais|allemand|inglés|alemán|inglese)\b";

const IN_LANGUAGE: &str = r"\b(?:in|en)\s+(?:english|german|french|spanish|italian|portuguese|dutch|polish|français|anglais|inglés|alemán|inglese)\b";

/// All skills but this one's own.
pub const SKILLS: [Skill; 16] = [
    skill(
        "code:review",
        &[
            (
                4,
                r"code review|review (?:this|the|my) (?:code|function|script|diff|pr|pull request|query|patch|change)|pull request|(?:bugs?|vulnerab\w*|security (?:hole|issue|problem)s?) in (?:this|the|my)",
            ),
            (
                3,
                r"(?:what(?:'s| is) wrong|anything wrong|is this (?:code|function|script|query) (?:ok|safe|correct)|look over) .*(?:code|function|script|query|snippet|diff)|sql injection|secur\w* .*(?:code|function|script)",
            ),
            (1, r"\bbug\b|\breview\b|\bdiff\b|vulnerab|\bcode\b"),
        ],
    ),
    skill(
        "coding",
        &[
            (
                4,
                r"(?:write|implement|create|build|make|code|program|need|want|give me|generate|develop)\b.{0,60}\b(?:function|script|program|class|regex|regular expression|method|algorithm|sql query|module|code that)\b",
            ),
            (
                4,
                r"(?:write|need|make|build|want|give) (?:me |us )?(?:something|one|it|a helper|a tool)? ?.*\bin (?:python|javascript|typescript|java|rust|golang|go|php|ruby|kotlin|swift|lua|c\+\+|c#|sql|bash)\b",
            ),
            (
                3,
                r"\b(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|lua|c\+\+|c#|bash)\b\s*(?:function|script|program|class|method|code|:)|\w+\([\w, ]*\) (?:-|–|that|which|returns|takes)",
            ),
            (
                3,
                r"(?:convert|port|rewrite|translate) .*\b(?:to|into|in) (?:python|javascript|typescript|java|rust|golang|go|php|ruby|kotlin|swift|c\+\+|c#)\b|make (?:this|the) (?:code|function) faster|refactor|(?:need|want|write|make|have) (?:it |this |that )?(?:in )?(?:python|javascript|typescript|java|rust|golang|php|ruby|kotlin|swift|c\+\+|c#)\b",
            ),
            (1, r"\bfunction\b|\bscript\b|implement"),
        ],
    ),
    skill(
        "translation",
        &[
            (
                4,
                r"translat|übersetz|traduc|tradui|traduz|vertaal|tłumacz|how (?:do|would) (?:you|i|we) say|what does .* mean in (?:english|german|french|spanish)",
            ),
            (5, TO_LANGUAGE),
            (2, IN_LANGUAGE),
        ],
    ),
    skill(
        "summarization",
        &[
            (
                4,
                r"summar|tl;?dr|bottom line|\bgist\b|zusammenfass|fasse? .*zusammen|résum|resúm|resum[ie]|riassu|samenvat|\brecap\b|in a nutshell|short version|in short\b|the essence|key (?:points|takeaways|facts|messages)|main points|long story short|boil .* down|digest of",
            ),
            (
                3,
                r"shorten|(?:make|cut) (?:this|it|the \w+) (?:shorter|down)|condense|abridge|too long for me|(?:in|to|into) (?:one|two|three|four|five|\d+|a single|a few|max\w* \w+) (?:short |plain )?(?:sentences?|bullets?|bullet points|words|lines)|(?:at most|max(?:imum)?|no more than) \w+ (?:words|sentences)|what(?:'s| is) (?:this|it) (?:all )?about|the essentials|boil down|headline for",
            ),
        ],
    ),
    skill(
        "sentiment",
        &[
            (
                4,
                r"sentiment|mood of|positive or negative|positive,? (?:negative|neutral)|negative or positive|pos/neg|happy or (?:cross|angry|sad|unhappy|not)|(?:angry|cross|upset|unhappy|satisfied|pleased|annoyed|happy)\b.{0,40}\?|stimmung|did (?:the |this |they|he|she|our )\w* ?.*\b(?:like|enjoy|love|hate)\b|liked? (?:it )?or (?:not|hated)|(?:good or bad|bad or good|love or hate)|whether .*(?:liked|happy|satisfied|pleased)|how (?:do|does|did) .* feel|emotion|opinion of|tone of",
            ),
            (1, r"\btone\b|\bmood\b|reviews?\b|comments\b|feedback"),
        ],
    ),
    skill(
        "analytics:forecast",
        &[
            (
                4,
                r"forecast|predict|extrapolat|prognos|prévis|pronóst|projection|if (?:it|this|that|the trend) (?:goes|carries|keeps|continues)",
            ),
            (
                3,
                r"\bnext (?:\w+ )?(?:months?|weeks?|quarters?|years?|days?|hours?|periods?|values?)\b|(?:will|would|can) (?:we|i|it|they|the \w+|sales|revenue|demand) .*(?:be|look|need|use|sell|have|reach|expect)|expect(?:ed)? (?:for|in|next)|what (?:comes|is) next|how (?:much|many) will|(?:in|for|by) (?:the )?coming|carry on|trend continue",
            ),
            (1, r"\btrend\b|\bexpect\b"),
        ],
    ),
    skill(
        "analytics:anomaly-detection",
        &[
            (
                4,
                r"anomal|outlier|(?:does(?:n't| not)|do(?:n't| not)) belong|off the rails|(?:stand|stick)(?:s|ing)? out|out of line|out of the ordinary|level (?:change|shift)|another level|ausreißer|aberrant|atípic",
            ),
            (
                3,
                r"unusual|spikes?\b|strange|weird|odd (?:one|value|reading|number|day)s?|suspicious(?:ly)?|abnormal|(?:when|where) did (?:it|the \w+) (?:jump|drop|change|shift)|does(?:n't| not) fit|auffällig|(?:any|which) .*(?:look|seem)s? (?:wrong|off|odd)|jumped|sudden",
            ),
        ],
    ),
    dear(
        "pricing:optimization",
        &[
            (
                4,
                r"elasticit|optimal price|best price|right price|price (?:point|optimi|test|change)|pricing|what (?:price|should (?:i|we) charge)|how much should (?:i|we) charge|(?:raise|lower|increase|cut|change|keep) (?:the |our |my )?prices?|(?:which|what) (?:of the (?:two|three) )?(?:price )?(?:\w+ )?(?:brings|earns|makes|gives) (?:me |us )?(?:more|most)|which price",
            ),
            (2, r"\bprice\b.*\b(?:sold|units|quantity|demand|portions|pieces|customers)\b"),
        ],
    ),
    dear(
        "sales:lead-scoring",
        &[(
            4,
            r"\bleads?\b|lead scor|prospects?\b|(?:who|which\b.{0,40}) (?:should|do|to|is) .*(?:call|contact|ring|approach|phone|visit)(?:ed)? first|score (?:these|the|my|our) (?:contacts|companies|customers|enquir\w+)|(?:most|more) (?:promising|likely to buy)",
        )],
    ),
    skill(
        "research:citation",
        &[
            (
                4,
                r"citation|\bcit(?:e|ed|es|ing)\b|bibliograph|reference list|\bdois?\b|in (?:apa|mla|chicago|harvard|vancouver|ieee)|(?:apa|mla|chicago|harvard|vancouver) (?:style|format|7)|fact.?check|(?:back(?:s|ed)?|support(?:s|ed)?|contradict(?:s|ed)?) (?:by|the claims?|this|these|my|it)|do(?:es)? (?:the|this|these|my) (?:source|text|paper|study|article|report)s? (?:support|say|back|confirm|prove)|claims?\b.*\bsources?\b|\bisbn\b",
            ),
            (1, r"\breferences?\b|\bsources?\b|\bclaims?\b|evidence"),
        ],
    ),
    skill(
        "compliance:audit",
        &[
            (
                4,
                r"complian|gdpr|dsgvo|rgpd|\baudit\b|\bclauses?\b|sanction|(?:does|do|is|are|whether|if|look whether) .*(?:agreement|contract|policy|notice|terms|lease|document|t&cs?)\b.*(?:say|mention|contain|include|cover|state|have|regulate)|privacy (?:notice|policy)|what(?:'s| is) missing (?:in|from) .*(?:contract|agreement|policy|notice|terms|lease|nda)|\bnda\b|governing law|right to erasure|liability",
            ),
            (2, r"\b(?:contract|agreement|terms of|lease|policy)\b.*\?|mentions?:"),
        ],
    ),
    skill(
        "video:evaluation",
        &[
            (
                4,
                r"\bcaptions?\b|subtitles?|untertitel|sous-titres|subtítulos|\bsrt\b|\bvtt\b|\bvideo\b|\bmp4\b|\bvoice-?over\b|\bfootage\b",
            ),
            (1, r"transcript|\bclip\b"),
        ],
    ),
    skill(
        "data:validation",
        &[
            (
                4,
                r"\bvalidat|schema|data quality|missing values?|(?:check|look (?:through|over)|go through|verify|prüfe?) (?:this|the|my|our|these|whether|if)?.{0,30}\b(?:data|table|csv|list|rows?|records?|entries|addresses|spreadsheet|sheet|export|e-?mails|ibans?|dates|phone numbers|json)\b|(?:errors?|mistakes?|problems?|wrong|faulty|broken|invalid|inconsisten\w*|empty)\b.{0,40}\b(?:data|table|csv|list|rows?|records?|entries|spreadsheet|sheet|export|cells?|fields?)|which rows|any duplicates|clean this",
            ),
            (2, r"duplicates?|\bmissing\b|\binvalid\b|incomplete|plausib"),
        ],
    ),
    skill(
        "data:aggregation",
        &[
            (
                4,
                r"aggregat|how (?:much|many)\b.*\b(?:each|every|per)\b|group(?:ed)? by|pivot|dedup|(?:sum|total|totals|average|mean|count|revenue|sales|number|amount|turnover|hours|cost|costs|profit|spend\w*)\b.{0,30}\b(?:by|per|for each|of each|in each)\b|merge (?:the|these|both)|join (?:the|these|both)|combine (?:the|these|both)|add (?:it |them |these |all )?up|sum (?:it|them|up|of|these)|(?:what|how much)(?:'s| is| was| did| were)? .*(?:in total|altogether|in all|total|sum|average)|top (?:\d+|three|five|ten|two)|(?:how many|count) .*(?:rows|orders|customers|people|items|entries|products|times)",
            ),
            (2, r"\btotals?\b|\baverage\b|\bsum\b|\bhighest\b|\blowest\b|\bmost\b|\bper\b|median"),
        ],
    ),
    skill(
        "data:extraction",
        &[
            (
                4,
                r"extract|pull (?:out|all|the|every)|(?:fish|pick|get|find|list|give me|need|want|send me|tell me|collect|grab|read) (?:me )?(?:all |out |the |every |each )*(?:of the )?(?:e-?mail|phone|date|name|invoice|order|booking|amount|address|number|link|url|price|customer|total|iban|contact|time)\w*\b.*|extra[ei]|which line has|as (?:json|key.?value|fields)",
            ),
            (
                4,
                r"what(?:'s|s| is| are| was) the (?:\w+ )?(?:invoice|order|booking|total|due|amount|customer|tracking|reference|phone|e-?mail|address|delivery|departure|arrival|contact|serial|account|flight|name|date|number|deadline|time|sender|price)\b|when (?:do|must|should) (?:i|we) (?:have to )?pay|who (?:is|was) the (?:sender|customer|contact|buyer|supplier)",
            ),
            (1, r"\bfields?\b|\bfrom (?:this|the) (?:mail|e-?mail|letter|text|invoice|log)\b|\bfind\b"),
        ],
    ),
    skill(
        "classification",
        &[
            (
                4,
                r"classif|categor|spam or|\bspam\b|or (?:not )?spam|klassifiz|in the right (?:pile|folder|box|bucket)|\w+ or not(?: \w+)?\?|which (?:pile|category|bucket|team|folder|department|queue|intent|topic|class|label|tag|box|group)\b|(?:label|tag|sort|put|file|route|triage|assign) (?:each|these|this|them|the|every|all|it)\b.*(?:into|in|as|to|under|with|by|:)",
            ),
            (2, r"\b(?:label|tag|sort|triage)\b|urgent or|is (?:this|it) (?:a |an )?\w+ or (?:a |an )?\w+\??"),
        ],
    ),
];
