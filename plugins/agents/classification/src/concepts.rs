//! What usual labels mean: names that they go by, and words of texts that belong under them.

/// Names, and words and phrases; a phrase has a space in it.
pub const CONCEPTS: &[(&str, &str)] = &[
    (
        "billing|payment|payments|invoicing|billing question",
        "invoice|invoices|bill|billed|billing|charge|charged|charges|payment|pay|paid|card|credit card|receipt|fee|fees|vat|subscription|debit|overcharged|price|double charged|charged twice|bank statement|money",
    ),
    (
        "technical|technical problem|technical issue|tech|tech support|technical support|support|technik",
        "error|crash|crashes|crashed|bug|not working|does not work|doesn't work|won't start|won't load|won't open|login|log in|blue screen|freezes|freeze|frozen|slow|loading|update|install|install|connect|connection|wifi|app|screen|password|restart|sync|timeout|broken link|printer|500",
    ),
    (
        "account|login|access|account access|konto|accounts|password reset",
        "account|login|log in|logged in|sign in|signed in|password|username|locked out|profile|two-factor|2fa|verification code|email address|delete my account|access",
    ),
    (
        "delivery|shipping|shipment|lieferung|versand|logistics",
        "delivery|deliver|delivered|parcel|package|shipping|shipped|shipment|arrived|arrive|courier|tracking|driver|late|days late|in transit|post office|box|doorstep|where is my|carrier",
    ),
    (
        "return|returns|retoure|refund|refunds|return request|refund request",
        "return|returns|send back|sent back|send it back|send this back|return label|refund|refunded|money back|exchange|doesn't fit|wrong size|reimburse|reimbursement",
    ),
    (
        "order|orders|purchase|bestellung|new order",
        "order|ordered|would like to order|i'd like to order|want to order|purchase|buy|pieces|add to my order|please send|units|quantity|deliver before",
    ),
    (
        "order_status|order status|status|tracking|where is my order",
        "status|where is my order|track|tracking|order status|has it shipped|when will|arrive|shipped yet|order number|not arrived yet",
    ),
    (
        "complaint|complaints|beschwerde|reclamation",
        "complaint|complain|unacceptable|outrageous|disappointed|terrible|awful|worst|rude|angry|disgusted|furious|ridiculous|never again|fed up|appalling|dissatisfied|unhappy|poor service|manager",
    ),
    (
        "praise|compliment|compliments|thanks|lob|positive feedback|thank you|kudos",
        "thank|thanks|great|excellent|love|wonderful|amazing|fantastic|perfect|helpful|well done|good job|brilliant|grateful|awesome|keep it up|appreciate",
    ),
    (
        "suggestion|idea|feature request|feature_request|feature|enhancement|improvement|feature-request|request",
        "feature request|please add|add support|support for|would be nice|would be great|would love|would be useful|suggestion|suggest|it would be|could you add|wish|idea|dark mode|option to|ability to|allow|enhancement|improve|feature|add a|add an|export to|integrate with",
    ),
    (
        "bug|bug_report|bug report|defect|error|issue|incident|problem",
        "bug|crash|crashes|crashed|error|exception|traceback|stack trace|typeerror|valueerror|nullpointerexception|null pointer|segfault|undefined|fails|failed|failing|broken|regression|throws|freezes|hangs|memory leak|incorrect|wrong result|does not work|doesn't work|not working|500|404|panic|nan|infinite loop",
    ),
    (
        "docs|documentation",
        "documentation|docs|readme|typo|tutorial|example in the|guide|docstring|changelog|broken link|spelling|manual",
    ),
    (
        "cancel|cancellation|unsubscribe|kündigung|churn|termination",
        "cancel|cancellation|canceled|cancelled|unsubscribe|terminate|close my account|end my subscription|stop my subscription|don't want to renew|do not renew|not renew|end my contract|leave",
    ),
    (
        "upgrade",
        "upgrade|higher plan|bigger plan|premium|pro plan|more seats|more storage|move up|larger plan|business plan",
    ),
    (
        "downgrade",
        "downgrade|smaller plan|cheaper plan|lower plan|basic plan|free plan|fewer seats|less storage|reduce my plan",
    ),
    ("pause|hold|suspend", "pause|put on hold|on hold|suspend|freeze my|temporarily stop|take a break|skip a month"),
    (
        "sales|pre-sales|presales|sales question|quote request|lead|vertrieb",
        "quote|quotation|pricing|price list|demo|trial|discount|licences|licenses|interested in buying|interested in|purchase|buy|enterprise|reseller|offer|volume|how much does",
    ),
    (
        "hr|human resources|people|personnel|personal",
        "holiday|vacation|sick leave|sick|leave|contract|salary|payroll|payslip|onboarding|parental leave|maternity|interview|hiring|overtime|days off|pension",
    ),
    (
        "it|it support|helpdesk|it helpdesk|edv",
        "laptop|password|vpn|wifi|printer|monitor|computer|software|install|email account|outlook|server|network|keyboard|mouse|screen|licence key|login|log in|reset|docking station",
    ),
    (
        "finance|accounting|buchhaltung|accounts payable|fin",
        "invoice|expenses|expense|reimbursement|payment|vat|budget|tax|purchase order|receipt|bank|accounting|cost centre|refund|credit note|overdue",
    ),
    (
        "legal|law|recht",
        "contract|lawsuit|lawyer|gdpr|nda|liability|terms|clause|court|copyright|trademark|legal|compliance|attorney|sue",
    ),
    ("marketing", "campaign|newsletter|brand|advert|logo|press|social media|landing page|seo|brochure|ads"),
    (
        "security|security issue",
        "hacked|phishing|unauthorised|unauthorized|suspicious|breach|vulnerability|stolen|malware|virus|leaked|intrusion|signed in from|two-factor|ransomware",
    ),
    (
        "integration|integrations|api",
        "api|webhook|webhooks|integrate|integration|zapier|slack|connect to|oauth|endpoint|sdk|plugin",
    ),
    (
        "product|quality|product quality|produkt|item",
        "quality|broke|material|handle|zip|battery|fits|size|colour|color|stitching|screen|fabric|broken|faulty|defective|works|design|cheap|sturdy|leaks|cracked|came off|fell apart",
    ),
    (
        "staff|personnel|employees|team|customer service|service|personal",
        "staff|waiter|waitress|employee|cashier|assistant|receptionist|rude|friendly|polite|unfriendly|helpful|manager|clerk|agent|attentive|support team|hung up",
    ),
    (
        "price|pricing|cost|value|preis",
        "price|expensive|cheap|overpriced|cost|costs|bargain|value|affordable|pricey|euro|dollars",
    ),
    (
        "location|lage",
        "location|central|near|close to|far from|view|neighbourhood|station|walking distance|city centre",
    ),
    (
        "cleanliness|hygiene|sauberkeit",
        "clean|dirty|dust|dusty|spotless|filthy|stain|stained|mould|hair in|smell|smelled|bathroom",
    ),
    (
        "food|breakfast|essen|kitchen",
        "food|meal|breakfast|dinner|dish|soup|taste|delicious|menu|burger|steak|pizza|coffee|tasty|chef|lunch|dessert|restaurant|recipe|cook|cooking|ingredients",
    ),
    (
        "sports|sport",
        "match|goal|goals|cup final|final|striker|coach|team|league|tournament|olympic|olympics|champion|championship|player|players|scored|score|penalty|football|soccer|tennis|basketball|cricket|rugby|golf|marathon|race|medal|season|win over|beat|beats|grand slam|midfielder|quarterback|referee|injury time|world cup|stadium|defender|transfer|sprinter|swimmer|boxing|wimbledon|formula 1|knockout",
    ),
    (
        "politics|political|politik",
        "election|elections|parliament|minister|president|senate|senator|vote|voters|government|party|bill|law|policy|coalition|campaign|congress|mayor|prime minister|opposition|ballot|referendum|diplomat|treaty|cabinet|lawmakers|chancellor|governor|poll|embassy|sanctions",
    ),
    (
        "business|economy|economics|finance|financial|wirtschaft|markets",
        "shares|stock|stocks|profit|profits|revenue|company|ceo|merger|acquisition|market|markets|bank|inflation|economy|earnings|sales|investors|startup|interest rate|interest rates|central bank|trade|quarterly|tariffs|bankruptcy|takeover|dividend|factory|layoffs|unemployment|gdp|retailer|oil price",
    ),
    (
        "science|wissenschaft",
        "scientists|researchers|study|planet|telescope|species|physics|chemistry|biology|experiment|laboratory|fossil|fossils|galaxy|nasa|discovery|discovered|astronomers|particle|genome|dna|molecule|climate|asteroid|journal|quantum|evolution|mars|rover|black hole|comet|dinosaur|bacteria|neutrino",
    ),
    (
        "technology|tech|technik",
        "software|smartphone|ai|artificial intelligence|chip|chips|app|startup|computer|robot|robots|internet|cyber|data centre|processor|gadget|algorithm|browser|operating system|laptop|phone|5g|cloud|semiconductor|iphone|android|chatbot|developers|silicon",
    ),
    (
        "entertainment|culture|arts|celebrity|film|movies|music|kultur",
        "film|movie|actor|actress|album|singer|band|concert|festival|series|oscar|grammy|celebrity|theatre|premiere|box office|song|director|hollywood|novel|museum|exhibition|tour|netflix|comedy|painting|painter|orchestra|award-winning|soundtrack",
    ),
    (
        "health|medicine|medical|gesundheit",
        "hospital|doctor|doctors|patients|vaccine|vaccines|disease|virus|cancer|drug|flu|surgery|diet|medical|health|nurse|treatment|symptoms|clinic|outbreak|mental health|blood pressure|therapy|heart attack|diabetes",
    ),
    (
        "weather|wetter",
        "rain|snow|storm|temperature|forecast|sunny|wind|hurricane|flood|heatwave|degrees|cloudy|thunderstorm|frost|drought",
    ),
    (
        "travel|tourism|reise",
        "flight|hotel|airport|tourist|tourists|beach|passport|trip|holiday|luggage|destination|resort|cruise|visa|itinerary|suitcase",
    ),
    (
        "education|school|bildung",
        "school|teacher|teachers|students|university|exam|exams|curriculum|pupils|classroom|tuition|lecture|homework|college",
    ),
    (
        "crime|kriminalität",
        "police|arrested|murder|robbery|theft|suspect|burglary|court|jail|stolen|thief|convicted|sentenced|stabbed|shooting",
    ),
    (
        "environment|climate|umwelt",
        "climate|emissions|carbon|pollution|forest|wildlife|recycling|renewable|plastic|biodiversity|conservation|solar|wind farm",
    ),
    (
        "urgent|high|critical|high priority|p1|dringend|emergency",
        "urgent|urgently|asap|immediately|emergency|right now|as soon as possible|server is down|is down|are down|outage|down|production|all customers|all users|everyone|critical|data loss|security breach|deadline today|blocked|cannot work|can't work|today|fire|nobody can|at once",
    ),
    (
        "low|not urgent|low priority|p3|nicht dringend|non-urgent|routine",
        "typo|no rush|no hurry|whenever|when you have time|cosmetic|minor|nice to have|some day|sometime|low priority|next month|fyi|not urgent|font|colour of|would be nice|at your convenience|eventually|small thing",
    ),
    (
        "groceries|supermarket|food shopping|lebensmittel",
        "lidl|aldi|tesco|sainsbury|rewe|edeka|carrefour|walmart|kroger|whole foods|supermarket|grocery|groceries|spar|migros|coop|asda|waitrose|costco|mercadona|milk|bread|trader joe's|safeway|bakery|penny|netto",
    ),
    (
        "transport|travel|transportation|verkehr|mobility|commute",
        "uber|taxi|train|bus|metro|fuel|petrol|shell|esso|bp|parking|bahn|lyft|tram|railway|ticket|toll|bolt|subway|ferry|airline|amtrak|fare|tfl",
    ),
    ("rent|housing|miete|mortgage|home", "rent|landlord|mortgage|miete|flat|apartment|lease|housing association"),
    (
        "utilities|bills|energy|nebenkosten",
        "electricity|electric|water|gas|internet|broadband|phone bill|vodafone|telekom|power|energy|heating|telecom|edf|e.on|mobile|sewage|waste collection",
    ),
    (
        "leisure|entertainment|fun|freizeit|subscriptions|subscription",
        "netflix|spotify|cinema|concert|theatre|disney|gym|game|steam|bowling|theme park|hbo|youtube premium|prime video|playstation|audible",
    ),
    (
        "restaurants|dining|eating out|restaurant|dining out",
        "restaurant|cafe|café|pizza|pizzeria|starbucks|mcdonald|mcdonalds|burger|sushi|bistro|bar|pub|deliveroo|kfc|bakery|diner|trattoria|coffee|subway",
    ),
    ("income|salary|gehalt|wages", "salary|wage|wages|payroll|gehalt|lohn|income|bonus|employer"),
    ("insurance|versicherung", "insurance|allianz|axa|premium|policy|versicherung|insurer"),
    (
        "shopping|clothes|clothing|kleidung|retail",
        "amazon|zara|h&m|ikea|ebay|clothes|shoes|shirt|trousers|dress|zalando|uniqlo|jacket|nike",
    ),
    (
        "invoice|rechnung|bill",
        "invoice|invoice no|amount due|due date|total due|vat|payable|payment terms|net 30|bill to|invoice number|rechnung|rechnungsnummer|subtotal",
    ),
    (
        "contract|agreement|vertrag",
        "agreement|contract|party|parties|hereinafter|whereas|termination|governing law|hereby|shall|liability|effective date|vertrag|notice period",
    ),
    (
        "cv|resume|résumé|lebenslauf|application",
        "curriculum vitae|work experience|education|skills|resume|references available|bachelor|university degree|lebenslauf|employment history|languages: ",
    ),
    (
        "receipt|quittung|kassenbon",
        "receipt|change due|cash|cashier|thank you for your purchase|thank you for shopping|card ending|till|subtotal|thank you for your visit|paid by",
    ),
    (
        "delivery note|packing slip|lieferschein",
        "delivery note|packing slip|items shipped|quantity shipped|carrier|consignment|lieferschein",
    ),
    (
        "quote|offer|quotation|angebot",
        "quotation|quote|offer valid|valid until|estimate|we are pleased to offer|angebot|proposal",
    ),
    ("reminder|dunning|mahnung", "reminder|overdue|second notice|final notice|outstanding|mahnung|past due"),
    (
        "appointment|meeting|scheduling|termin",
        "appointment|meeting|schedule|reschedule|calendar|slot|book a|available on|meet on|move our",
    ),
    (
        "job application|application|bewerbung|careers|jobs",
        "apply|application|vacancy|position|cover letter|cv|resume|job opening|applying",
    ),
    (
        "harassment|abuse|toxic|hate|insult|abusive|offensive",
        "idiot|stupid|worthless|loser|shut up|hate you|kill yourself|moron|get lost|disgusting pig|dumb|scum|trash like you|nobody wants you|ugly|go die|pathetic",
    ),
    (
        "self_promotion|self-promotion|promotion|promotional|advertising|advertisement|ad|promo|werbung|marketing",
        "check out my|my channel|link in bio|subscribe to|follow me|use code|discount code|buy now|my shop|my store|% off|promo code|my new video|sale|special offer|offer|deal|save up|newsletter|shop now|discount|coupon",
    ),
    (
        "personal|private|family|friends",
        "mum|dad|love,|see you|birthday|grandma|dinner|kids|weekend|hugs|miss you|our trip|lunch|xx|party|how are you",
    ),
    (
        "work|business|job|professional|arbeit|office",
        "meeting|report|client|project|deadline|budget|colleague|presentation|quarterly|agenda|boss|minutes|spreadsheet|invoice|office|contract",
    ),
    (
        "formal",
        "dear sir|dear madam|dear ms|dear mr|yours sincerely|yours faithfully|kindly|hereby|i would be|would be most|obliged|please find enclosed|pursuant|regarding|furthermore|i am writing to|we regret|at your earliest convenience|sincerely|respectfully|would you please|cordially",
    ),
    (
        "informal|casual|colloquial",
        "hey|gonna|wanna|lol|btw|thx|what's up|yeah|cheers|kinda|dude|hi there|u|ur|gotta|nope|yep|omg|mate|see ya|sup|haha|cya|ain't|guys|pls|bro",
    ),
    (
        "positive|pos|good",
        "love|loved|great|excellent|amazing|perfect|happy|good|best|wonderful|recommend|fantastic|brilliant|delicious|superb|awesome|lovely|pleased|beautiful|friendly",
    ),
    (
        "negative|neg|bad",
        "terrible|awful|bad|worst|broken|broke|disappointed|disappointing|hate|never again|poor|rude|horrible|useless|waste|dirty|unacceptable|disgusting|junk|crashes|never arrived|slow|stale|cold",
    ),
    ("greeting|begrüßung", "hello|hi|good morning|good evening|hey|good afternoon|hi there|greetings|nice to meet you"),
    ("goodbye|farewell", "bye|goodbye|see you|farewell|take care|good night|talk to you later|cheerio|so long"),
    ("apology", "sorry|apologise|apologize|apologies|my fault|forgive"),
    (
        "fruit|fruits|obst",
        "apple|banana|pear|orange|grape|strawberry|cherry|plum|peach|mango|pineapple|kiwi|lemon|lime|raspberry|blueberry|melon|watermelon|apricot|fig|papaya|grapefruit|blackberry|date|pomegranate|mandarin|nectarine",
    ),
    (
        "vegetable|vegetables|veg|gemüse",
        "carrot|potato|onion|cabbage|spinach|broccoli|cauliflower|lettuce|leek|pea|celery|garlic|turnip|beetroot|radish|kale|asparagus|parsnip|sweet potato|brussels sprout|artichoke|swede|fennel",
    ),
    ("dairy", "milk|cheese|yogurt|yoghurt|butter|cream|kefir|cheddar|mozzarella|quark"),
    ("meat", "beef|pork|chicken|lamb|ham|sausage|bacon|turkey|veal|steak|mince"),
    ("drink|drinks|beverage|beverages", "water|juice|coffee|tea|beer|wine|milk|lemonade|cola|soda|whisky|smoothie"),
    (
        "mammal|mammals",
        "dog|cat|cow|horse|dolphin|whale|bat|elephant|mouse|lion|tiger|bear|human|monkey|sheep|goat|pig|rabbit|kangaroo|wolf|fox|deer|seal|otter|squirrel|hedgehog|giraffe|zebra|orca|platypus",
    ),
    ("pet|pets|haustier", "dog|cat|hamster|rabbit|goldfish|parrot|guinea pig|budgie|puppy|kitten|gerbil|canary"),
    (
        "bird|birds",
        "eagle|sparrow|penguin|owl|parrot|duck|goose|swan|pigeon|ostrich|robin|crow|hawk|flamingo|chicken|seagull|stork|blackbird|raven|falcon|hummingbird|turkey|peacock",
    ),
    (
        "fish|fishes",
        "salmon|trout|tuna|shark|cod|herring|carp|goldfish|eel|pike|haddock|mackerel|sardine|seahorse|ray|perch|halibut",
    ),
    (
        "reptile|reptiles",
        "snake|lizard|crocodile|turtle|tortoise|alligator|gecko|iguana|chameleon|python|cobra|komodo dragon",
    ),
    (
        "insect|insects",
        "ant|bee|fly|butterfly|beetle|mosquito|wasp|moth|grasshopper|ladybird|cricket|dragonfly|cockroach|termite",
    ),
    ("amphibian|amphibians", "frog|toad|newt|salamander|axolotl"),
    (
        "animal|animals|tier",
        "dog|cat|cow|horse|lion|tiger|elephant|mouse|rabbit|bird|fish|eagle|salmon|snake|frog|bear|wolf|fox|sheep|pig|duck|monkey|giraffe|bee|whale",
    ),
    (
        "plant|plants|pflanze",
        "oak|rose|tulip|fern|moss|grass|daisy|pine|birch|sunflower|cactus|ivy|maple|willow|lily|orchid|tree|flower|bush",
    ),
    ("tree|trees", "oak|pine|birch|maple|willow|beech|ash|fir|spruce|elm|cedar|poplar|chestnut"),
    ("flower|flowers", "rose|tulip|daisy|lily|orchid|sunflower|daffodil|violet|carnation|poppy|iris"),
    (
        "metal|metals",
        "iron|copper|gold|silver|aluminium|aluminum|zinc|lead|tin|steel|nickel|titanium|sodium|mercury|platinum|magnesium|brass|bronze",
    ),
    ("gas|gases", "oxygen|nitrogen|hydrogen|helium|argon|neon|methane|carbon dioxide|xenon|chlorine"),
    ("liquid|liquids", "water|milk|oil|juice|petrol|mercury|alcohol|vinegar|coffee"),
    ("solid|solids", "ice|iron|wood|stone|rock|glass|gold|salt|sugar|sand"),
    (
        "country|countries|land",
        "france|germany|spain|italy|japan|china|brazil|canada|india|egypt|kenya|mexico|norway|sweden|poland|portugal|greece|turkey|australia|argentina|chile|peru|nigeria|austria|denmark|finland|ireland|belgium|netherlands|switzerland|russia|ukraine|vietnam|thailand|cuba|morocco",
    ),
    (
        "city|cities|stadt|capital",
        "paris|berlin|london|madrid|rome|tokyo|vienna|lisbon|oslo|stockholm|copenhagen|helsinki|warsaw|prague|budapest|athens|dublin|brussels|amsterdam|zurich|geneva|munich|hamburg|milan|barcelona|new york|chicago|sydney|toronto|moscow|beijing|shanghai|cairo|nairobi|mumbai|delhi|istanbul|boston|manchester|lyon",
    ),
    ("continent|continents", "europe|asia|africa|north america|south america|antarctica|oceania"),
    (
        "europe|european",
        "france|germany|spain|italy|norway|sweden|poland|portugal|greece|austria|denmark|finland|ireland|belgium|netherlands|switzerland|hungary|croatia|romania|bulgaria|paris|berlin|rome|madrid|vienna|oslo",
    ),
    (
        "asia|asian",
        "japan|china|india|thailand|vietnam|indonesia|malaysia|pakistan|nepal|south korea|philippines|singapore|mongolia|tokyo|beijing|delhi|seoul|bangkok",
    ),
    (
        "africa|african",
        "egypt|kenya|nigeria|morocco|ghana|ethiopia|tanzania|south africa|algeria|senegal|uganda|tunisia|cairo|nairobi|lagos",
    ),
    (
        "colour|color|colours|colors|farbe",
        "red|blue|green|yellow|black|white|orange|purple|pink|brown|grey|gray|violet|turquoise|beige",
    ),
    ("number|numbers|zahl", "one|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million"),
    ("furniture|möbel", "chair|table|sofa|bed|desk|shelf|wardrobe|cupboard|bookcase|armchair|stool|dresser|couch|lamp"),
    (
        "clothing|clothes|kleidung",
        "shirt|trousers|dress|jacket|coat|shoe|sock|hat|sweater|skirt|jeans|scarf|glove|t-shirt|boots|blouse",
    ),
    (
        "vehicle|vehicles|fahrzeug",
        "car|bus|train|bicycle|bike|truck|lorry|motorcycle|plane|ship|boat|tram|van|scooter|helicopter|tractor",
    ),
    (
        "electronics|elektronik|devices",
        "laptop|phone|tablet|tv|television|camera|headphones|speaker|charger|monitor|keyboard|router|smartwatch|console|printer",
    ),
    ("tool|tools|werkzeug", "hammer|screwdriver|saw|drill|wrench|pliers|spanner|chisel|axe|shovel|ladder"),
    (
        "instrument|musical instrument|instruments",
        "piano|guitar|violin|flute|drum|trumpet|cello|saxophone|clarinet|harp|trombone",
    ),
    (
        "noun|nouns|substantiv",
        "dog|house|table|tree|car|water|city|child|book|river|love|idea|friend|time|school|mountain|happiness|cat|apple|teacher|music",
    ),
    (
        "verb|verbs",
        "run|eat|sleep|walk|write|read|speak|swim|sing|jump|go|give|take|think|drive|play|drink|build|learn|laugh",
    ),
    (
        "adjective|adjectives|adjektiv",
        "big|small|happy|red|beautiful|fast|slow|old|new|tall|short|cold|hot|green|sad|young|strong|clever|quick|blue|heavy|bright|lazy",
    ),
    (
        "adverb|adverbs",
        "quickly|slowly|happily|often|never|always|very|soon|well|loudly|carefully|here|yesterday|badly|quietly",
    ),
    ("image|images|picture|photo|pictures|photos|bild", ".jpg|.jpeg|.png|.gif|.bmp|.webp|.svg|.tiff|.heic"),
    ("document|documents|dokument", ".pdf|.doc|.docx|.txt|.odt|.rtf|.md"),
    ("video|videos", ".mp4|.mov|.avi|.mkv|.webm"),
    ("audio|music|sound", ".mp3|.wav|.flac|.ogg|.m4a|.aac"),
    ("spreadsheet|spreadsheets|tabelle", ".xls|.xlsx|.csv|.ods"),
    ("code|source|source code", ".py|.js|.rs|.java|.cpp|.ts|.go|.rb|.c|.html|.css"),
    ("archive|archives", ".zip|.tar|.gz|.rar|.7z"),
    (
        "real estate|property|immobilien",
        "house|apartment|flat|square metres|bedroom|bedrooms|garden|for rent|for sale|landlord|tenant|property",
    ),
    (
        "math|maths|mathematics",
        "equation|integral|triangle|algebra|derivative|fraction|theorem|geometry|matrix|prime number|probability|square root",
    ),
    (
        "history|geschichte",
        "war|king|queen|empire|revolution|century|medieval|ancient|emperor|battle|treaty|colonial|pharaoh",
    ),
    ("geography|erdkunde", "capital of|river|mountain|continent|ocean|border|population|desert|latitude|island|map"),
];

/// Labels for what fits no other.
const REST: &[&str] = &[
    "normal",
    "ok",
    "okay",
    "fine",
    "clean",
    "acceptable",
    "harmless",
    "standard",
    "regular",
    "other",
    "others",
    "none",
    "misc",
    "miscellaneous",
    "rest",
    "general",
    "unknown",
    "neither",
    "none of these",
    "none of the above",
    "sonstiges",
    "andere",
    "autre",
    "otro",
    "general inquiry",
    "unclear",
    "n/a",
    "uncategorized",
    "uncategorised",
];

/// Labels for texts that ask.
pub const QUESTIONS: &[&str] = &[
    "question",
    "questions",
    "how_to",
    "how to",
    "how-to",
    "inquiry",
    "enquiry",
    "general question",
    "frage",
    "query",
    "information request",
];

/// Whether a name is one for all the rest.
#[must_use]
pub fn is_rest(name: &str) -> bool {
    REST.contains(&name.to_lowercase().replace('_', " ").as_str())
}
