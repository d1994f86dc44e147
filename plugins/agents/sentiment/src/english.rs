//! English words and phrases that judge, and how strongly; over the general lexicon.
//!
//! `*` stands for one to three words, `~ing` for any word with that ending.

/// Things that work, please or are recommended.
pub const GOOD: &[(f64, &str)] = &[
    (
        3.0,
        "can't recommend * enough|cannot recommend * enough|works perfectly|works great|works like a charm|works flawlessly|highly recommend|would recommend|highly recommended|five stars|5 stars|four and a half stars|top notch|top-notch|could not be happier|couldn't be happier|couldn't ask for more|couldn't have asked for|could not have asked for|can't live without|cannot live without|in love with|game changer|game-changer|lifesaver|life saver|above and beyond|made my day|brilliant|brilliantly|flawless|flawlessly|superb|stunning|gorgeous|outstanding|exceptional|phenomenal|never been happier|never been better|never been this good|never been this easy|never been easier|never tasted better|best * ever|second to none|hands down the best|impeccable|magnificent|unbeatable|worth every penny|worth every cent|love it|loved it|loves it|love this|love these|loved every|absolutely love",
    ),
    (
        2.5,
        "recommend|recommended|will buy again|would buy again|buy again|will be back|we'll be back|i'll be back|will return|will come back|will come again|would come again|coming back for more|can't wait to come back|be ordering again|order again|well made|well-made|well worth|worth the money|worth it|exceeded|better than expected|better than i expected|exceeds|obsessed with|must have|must-have|delicious|yummy|good value|great value|won't be disappointed|will not be disappointed|not disappointed|did not disappoint|didn't disappoint|never disappoints|doesn't disappoint|hats off|kudos|bravo|thumbs up|two thumbs up|couldn't put it down|could not put it down|page turner|masterpiece|blown away|blew me away|bliss|a dream|mouth-watering|first class|first-class|world class|spot on|a joy|nothing to complain about|nothing but praise",
    ),
    (
        2.0,
        "as described|as advertised|can't complain|cannot complain|no complaints|no problems|no issues|zero issues|without problems|without any problems|without a problem|without a hitch|fast delivery|quick delivery|prompt delivery|arrived early|came early|ahead of schedule|days early|a day early|tasty|cosy|cozy|comfy|comfortable|seamless|spotless|spotlessly|attentive|charming|gem|intuitive|easy to use|easy to set up|easy to install|user-friendly|user friendly|sturdy|reliable|durable|knowledgeable|responsive|problem solved|solved my problem|solved the problem|solved it|fixed my|fixed it|can't wait|cannot wait|looks like new|like new|crystal clear|works well|work well|working well|runs smoothly|runs great|exactly what i needed|exactly what we needed|exactly what i wanted|perfect fit|fits perfectly|fits like a glove|nailed it|thank you so much|thanks so much|helped me|so helpful|really helpful|very helpful|well done|good job|great job|well organised|well organized|well written|well thought out|big improvement|huge improvement|much better|so much better|far better|better than ever|kind and|patient and|kept its promise|did a great job|stress free|hassle free|hassle-free|smiling|welcoming|generous|polite|courteous|thoughtful",
    ),
    (
        1.5,
        "works now|it works|works again|all good|not bad|isn't bad|isnt bad|not bad at all|works fine|work fine|works as expected|arrived on time|came on time|on time|smooth|smoothly|professional|spacious|affordable|clean|value for money|fast|quick|quickly|prompt|promptly|lasts all day|lasts forever|still going strong|no regrets|easy|fresh and|crisp|juicy|simple to|helpful|impressed|impressive|pleased|satisfied|happy|tidy|bargain|quiet and",
    ),
];

/// Things that fail, annoy or are advised against.
pub const BAD: &[(f64, &str)] = &[
    (
        3.0,
        "never buying|never ordering|never using|never shopping|never flying|never staying|never eating|waste of money|waste of time|waste of|wasted|never again|stay away|don't buy|do not buy|dont buy|would not recommend|wouldn't recommend|not recommend|don't recommend|cannot recommend|can't recommend|won't be back|will not be back|not coming back|not going back|never come back|never going back|not be returning|won't be returning|never order|never buy|never use|rip off|ripoff|rip-off|ripped off|scam|scammers|junk|garbage|trash|rubbish|crap|useless|unacceptable|nightmare|disaster|disgusting|disgusted|appalling|appalled|atrocious|abysmal|dreadful|pathetic|inedible|unusable|worst|worst * ever|one star|zero stars|thanks for nothing|a joke|an absolute joke|a disgrace|shambles|hate|hated|hates|shame on|lost all my|lost my data|ruined|furious|livid|money back|dead on arrival",
    ),
    (
        2.5,
        "seen better|had better|deserve better|deserves better|expected better|expect better|hoped for better|could have been better|no refund|no tracking|no sign of|no trace of|no update|nobody tells|no one tells|never works|dies after|keeps dying|keeps failing|keeps breaking|keeps stopping|keeps ~ing up|kept ~ing up|not turn on|locked out|stopped working|stopped ~ing|quit working|quit ~ing|does not work|doesn't work|doesnt work|did not work|didn't work|didnt work|don't work|do not work|won't work|wont work|wouldn't work|not working|no longer works|no longer work|never worked|never arrived|never came|never received|never got|never showed up|never turned up|never shipped|never delivered|did not arrive|didn't arrive|didnt arrive|has not arrived|hasn't arrived|hasnt arrived|have not received|haven't received|havent received|not received|not arrived|not delivered|still waiting|still no|still hasn't|still haven't|still not|still nothing|no answer|no reply|no response|nobody answered|no one answered|nobody answers|nobody replied|nobody replies|no one replied|no one called|nobody called|never called back|never replied|never answered|broke|broken|breaks|fell apart|falling apart|falls apart|fell off|falls off|came off|comes off|came apart|cracked|leaks|leaking|leaked|ripped|torn|tore|shattered|snapped|peeling|peeled|scratched|dented|damaged|smashed|defective|faulty|crashes|crashed|crashing|keeps crashing|keeps freezing|keeps ~ing off|freezes|froze|won't turn on|wouldn't turn on|doesn't turn on|does not turn on|won't start|wouldn't start|doesn't start|does not start|won't load|doesn't load|won't charge|doesn't charge|won't connect|doesn't connect|does not connect|can't connect|won't open|won't close|can't log in|cannot log in|keeps disconnecting|keeps losing|disconnects|wrong size|wrong item|wrong colour|wrong color|wrong order|wrong product|wrong address|sent the wrong|charged twice|charged me twice|double charged|hidden fees|hidden charges|hung up on|fed up|sick of|sick and tired|not worth|not as described|not as advertised|nothing like the|disappointed|disappointing|disappointment|disappoints|let down|let me down|underwhelming|rude|unfriendly|unhelpful|incompetent|unprofessional|buggy|laggy|filthy|mouldy|moldy|mould|mold|unhappy|dissatisfied|unsatisfied|not happy|not satisfied|not pleased|not impressed|unimpressed|frustrating|frustrated|frustration|infuriating|ordeal|terribly|sent it back|sending it back|returned it|sent back|thumbs down|tasteless|undercooked|overcooked|food poisoning|stale|soggy|burnt|rotten|cockroach|cockroaches|bed bugs|bedbugs|went dead|died after|died on|battery died|is dead|was dead|not good enough|not acceptable|lied to|lied|misleading|mis-sold|regret buying|regret|wish i hadn't|walked out|fell asleep|fallen asleep|falls apart",
    ),
    (
        2.0,
        "missing|avoid|failed|fails|fail|failure|boring|dull|bland|overpriced|too expensive|mediocre|pointless|annoying|annoyed|irritating|uncomfortable|cheaply made|flimsy|fake|stinks|smells bad|smelled|smells of|overrated|hours late|days late|weeks late|an hour late|arrived late|came late|always late|too late|ignored|ignores|worse|worse than|not good|not great|no good|isn't good|wasn't good|doesn't fit|does not fit|didn't fit|doesn't hold|does not hold|won't hold|doesn't last|didn't last|did not last|had enough|dirty|cold and|had to throw|threw it away|threw it out|in the bin|sloppy|careless|clumsy|misspelled|out of stock again|ridiculous|ridiculously expensive|poor|poorly|badly|no help|not helpful|not even|don't bother|do not bother|cannot use|can't use|cannot open|couldn't use|could not use|gave up|painfully slow|overcrowded|unreliable|unsafe|dangerous|delayed|cancelled on|complaint|complain|sadly|shrunk|shrank|stained|stain|blurry|lukewarm|greasy|cramped|nobody helped|no one helped|waited * hours|waited * weeks|waited an hour|waiting for * weeks|on hold for|error messages|hard to use|confusing|complicated|impossible to|missed my|missed our|lost my|lost our|lost in the post|sluggish|short-lived|overheats|overheating|hurts|itches|itchy|scratchy|rusty|rusted|rust|noisy|wobbly|wobbles|refuses to|refused to",
    ),
    (
        1.5,
        "slow|slower|late|too small|too big|too tight|too loud|too slow|too long|too short|too heavy|too hot|too cold|too dark|too thin|too salty|too sweet|too complicated|too hard|too weak|so slow|could be better|needs improvement|returning it|want a refund|refund me|ask for a refund|asked for a refund|third time|twice already|heavier than|smaller than expected|expensive|heavy|cold|empty|queue|queues|crowded|loud|glitch|glitches|bug|bugs|problem|problems|issue|issues|unclear|tired of|not enough|lacks|lacking|stopped",
    ),
];

/// Words of market news.
pub const MARKET: &[(f64, &str)] = &[
    (
        3.0,
        "soar|soars|soared|soaring|surge|surges|surged|skyrocket|skyrockets|record profit|record profits|record revenue|record sales|record order|record orders|record high|record earnings|record quarter|beats expectations|beats estimates|beat expectations|beat estimates|beats forecasts|tops estimates|tops expectations|raises guidance|raises forecast|raises outlook|raises full-year|lifts forecast|lifts outlook|swings to a profit|swings to profit|returns to profit|doubles profit|profit doubles|profits double",
    ),
    (
        2.0,
        "jump|jumps|jumped|rally|rallies|rallied|climb|climbs|climbed|rise|rises|rose|gains|gained|upgrade|upgrades|upgraded|wins|win|won|landed|secures|raises dividend|dividend increase|approval|approved|approves|outperform|outperforms|expands|expansion|growth|grows|grew|strong demand|profit up|sales up|revenue up|breakthrough",
    ),
    (
        -3.0,
        "plunge|plunges|plunged|plummet|plummets|plummeted|collapse|collapses|collapsed|crash|crashes|crashed|slump|slumps|slumped|tumble|tumbles|tumbled|profit warning|warns on profit|bankruptcy|bankrupt|insolvency|insolvent|fraud|misses estimates|misses expectations|misses forecasts|missed estimates|missed expectations|cuts guidance|cuts forecast|cuts outlook|cuts dividend|scraps dividend|suspends dividend|slashes|lowers guidance|lowers forecast|lowers outlook|swings to a loss|swings to loss|loss widens|losses widen|record loss|record low|halts production|data breach|recalls|recall|default|defaults",
    ),
    (
        -2.0,
        "fall|falls|fell|drop|drops|dropped|sink|sinks|sank|slide|slides|slid|decline|declines|declined|dips|loses|lost|layoffs|lays off|lay off|job cuts|cuts jobs|cut jobs|to cut * jobs|lawsuit|sued|sues|fined|fine|probe|investigation|investigated|downgrade|downgrades|downgraded|weak demand|profit down|sales down|revenue down|shortage|strike|delays|delayed|warns|warning|resigns|scandal|closes * stores|to close * stores|shuts",
    ),
];

/// Words of the general lexicon that say nothing about what is judged: politeness, names of things, other meanings.
pub const SILENT: &str = "abuse|accept|accepted|active|admit|advantage|advantages|adventure|afraid|agree|agreed|agreement|alert|alive|allow|alone|anti|apologize|appreciate|argument|arrest|arrested|assure|assured|award|awards|ban|banned|battle|benefit|benefits|better|blind|block|blocking|bold|bomb|bonus|boost|bother|brave|bright|burden|cancel|canceled|cancelled|care|careful|carefully|caring|certain|certainly|challenge|champagne|champion|champions|chance|chances|charge|charged|charges|charities|charity|clarity|clear|clearly|comedy|commit|competitive|convinced|cool|crazy|created|creative|credit|cried|crime|criminal|crisis|critic|critical|criticism|critics|cry|crying|cut|cuts|damn|danger|dark|dead|dear|debate|debated|debt|dedicated|defend|definite|definitely|demand|demands|desire|devil|diamond|die|died|doubt|doubts|drop|dropped|drunk|ease|energetic|energy|engaged|ensure|error|errors|exposed|fair|faith|faithful|fan|fans|fear|feared|fears|festival|fight|fights|fire|forget|forgot|free|freedom|freelance|fresh|friend|friends|fun|funeral|funny|gift|gifts|glad|grand|granted|grave|greeting|greetings|gross|growing|gun|ha|haha|hand|hard|healthy|heart|hell|hello|help|helping|hero|heroes|hi|hit|holiday|holidays|honest|honestly|hope|hoped|hopeful|hopefully|hopes|hoping|horror|huge|increase|increased|inferior|injury|innocent|insane|intellect|intense|interest|interested|interrupt|isolated|join|joined|joke|joked|jokes|kid|kill|killed|killers|killing|kind|laughing|leave|legal|lied|lies|like|lmao|lol|lone|loss|losses|low|lower|lowest|luck|luckily|lucky|matter|matters|medal|miracle|miss|missed|murder|natural|negative|nervous|no|novel|number|obstacle|odd|ok|okay|opportunity|original|party|pay|paying|peace|play|played|playing|plays|please|popular|pray|prays|pressure|pretty|pride|prison|prize|profit|profits|progress|promise|promised|promote|prospect|prospects|protect|protected|protects|proud|question|questions|ready|relax|resolve|resolved|reward|rewards|rich|riches|risk|risks|romance|romantic|safe|safety|save|saved|saves|scare|scared|sceptical|scream|screaming|secure|security|share|shared|shares|shock|shocked|short|shot|shy|sick|significant|sin|sincerely|skeptical|smart|solution|solutions|sore|sorry|spam|sparkling|special|stable|steal|stealing|steals|stolen|stop|stops|straight|straining|stress|strike|strikes|strong|stuck|sunny|support|supported|supports|sure|suspect|sweet|sweets|tank|tax|tears|tense|terrorist|thank|thanks|threat|thx|tired|top|trap|treasure|treat|treats|trouble|true|truly|trust|truth|united|useful|value|values|victims|villain|villains|vision|vitamin|want|wanted|wants|war|warm|warning|warnings|weak|wealth|wealthy|weapon|weapons|well|win|winner|winners|winning|wins|wise|wisely|wish|witch|won|woo|worried|worries|worry|worth|yeah|yep|yes";

/// Openers that irony likes: praise without a thing that is praised.
pub const OPENERS: &[&str] = &[
    "great",
    "oh great",
    "just great",
    "well done",
    "wonderful",
    "oh wonderful",
    "just wonderful",
    "fantastic",
    "oh fantastic",
    "brilliant",
    "nice",
    "nice one",
    "nice job",
    "good job",
    "great job",
    "perfect",
    "just perfect",
    "lovely",
    "oh lovely",
    "just lovely",
    "awesome",
    "congratulations",
    "congrats",
    "bravo",
    "amazing",
    "super",
    "excellent",
    "thanks a lot",
    "wow",
    "oh joy",
    "kudos",
];

/// What gives irony away.
pub const IRONY: &[&str] = &[
    "just what i needed",
    "just what we needed",
    "yeah right",
    "yeah, right",
    "thanks a lot",
    "love how",
    "love it when",
    "i love when",
    "love being",
    "love waiting",
    "so much for",
    "nothing says",
    "as if",
    "if you enjoy",
    "if you like waiting",
    "if you love waiting",
    "/s",
    "🙄",
    "medal",
    "slow clap",
    "what could go wrong",
    "color me",
    "colour me",
    "how lovely of",
    "how nice of",
    "because who needs",
    "who needs",
    "truly a miracle",
    "only took",
    "what a surprise",
    "big surprise",
    "genius",
    "said no one",
];
