//! What more labels mean: genres, shops and receipts, homes and gardens, public services, lengths and logs.

/// Names, and words and phrases; a phrase has a space in it.
pub const MORE_CONCEPTS: &[(&str, &str)] = &[
    (
        "meals|meal|catering|verpflegung|bewirtung|food and drink",
        "lunch|dinner|breakfast|restaurant|cafe|café|bistro|osteria|pizzeria|trattoria|team dinner|snack|snacks|canteen|coffee|sandwich|catering|brasserie|bar",
    ),
    (
        "software|subscriptions|licences|licenses|saas",
        "software|licence|license|subscription|saas|adobe|microsoft|jetbrains|github|google workspace|zoom|slack|hosting|domain|cloud|antivirus|app",
    ),
    (
        "travel|travel costs|reisekosten|travel expenses",
        "flight|lufthansa|ryanair|easyjet|train|hotel|taxi|rail|airport|mileage|nights|bahn|sncf|boarding|car hire|uber",
    ),
    (
        "urgent|dringend|eilig|urgente|urgentes|spoed",
        "immédiatement|immédiat|tout de suite|danger|blessé|fuite de gaz|incendie|sofort|dringend|notfall|gefahr|verletzt|brand|gasgeruch|inmediatamente|cuanto antes|peligro|herido|incendio|urgente|gevaar|meteen|gas leak|injured|danger|smoke|fire|bleeding|flooding",
    ),
    (
        "toxic|toxisch",
        "idiot|stupid|worthless|trash|loser|shut up|hate you|hates you|moron|get lost|garbage|scum|dumb|uninstall|noob|kill yourself|pathetic|nobody likes you|disgusting",
    ),
    (
        "rubbish|litter|dumping|fly-tipping|waste",
        "rubbish|bags dumped|dumped|litter|bin bags|garbage|trash|waste|mattress",
    ),
    ("street light|streetlight|lighting|lamp", "streetlight|street lamp|lamp post|pitch dark|light is out|bulb"),
    ("pothole|potholes|road damage", "pothole|pot hole|hole in the road|crater|lost a wheel"),
    (
        "crime|thriller|mystery|krimi",
        "detective|inspector|murder|murders|killer|suspect|alibi|victim|corpse|police|robbery|crime scene|sleuth|forensic|serial killer|blackmail|heist",
    ),
    (
        "romance|love story|liebesroman",
        "love|fell in love|kiss|wedding|heart|love story|romance|marry|bride|groom|lovers|falls for|soulmate|proposal|honeymoon|first date",
    ),
    (
        "science fiction|sci fi|scifi|sci-fi|sf",
        "spaceship|alien|aliens|robot|robots|planet|galaxy|android|starship|space station|time travel|colony on mars|cyborg|warp|year 2|interstellar|cloned|hologram",
    ),
    (
        "fantasy",
        "dragon|dragons|wizard|magic|elf|elves|sword|kingdom|spell|sorcerer|dwarf|quest|enchanted|witch|prophecy|throne",
    ),
    ("horror", "haunted|ghost|ghosts|vampire|zombie|demon|blood|nightmare|cemetery|possessed|scream|cursed|werewolf"),
    (
        "biography|memoir|autobiography",
        "born in|her life|his life|childhood|life of|memoir|biography|grew up|memories of",
    ),
    ("children|kids|children's books", "picture book|bedtime|teddy|ages 3|little bear|bunny|rhymes|toddlers"),
    (
        "cookbook|recipes|recipe|cooking|rezepte|kochen",
        "bake|oven|flour|eggs|butter|recipe|ingredients|simmer|tart|cake|soup|tablespoon|teaspoon|stir|dough|minutes in the oven|fry|grill|casserole|sauce|preheat|chop|garlic|sugar|cook",
    ),
    (
        "gardening|garden|gardens|garten",
        "prune|plant|plants|soil|seeds|roses|tulip|garden|compost|lawn|mulch|watering|flower bed|hedge|weeds|weed|bulbs|sow|shrub|greenhouse|fertiliser|fertilizer|frost|when to water",
    ),
    (
        "diy|home improvement|renovation|crafts",
        "drill|paint|wallpaper|shelf|screws|hammer|tiles|plaster|saw|varnish|sand the|knit|sew|glue",
    ),
    (
        "fuel|petrol|gas station|gas|tankstelle",
        "diesel|petrol|unleaded|pump|litres|fuel|shell|esso|bp|aral|gallons|super 95|octane|total energies|texaco",
    ),
    (
        "office supplies|stationery|office|bürobedarf",
        "paper|stapler|staples|pens|pen|toner|envelopes|folder|folders|binder|notebook|printer cartridge|ink|a4|post-it|desk|marker|markers|paper clips|supplies",
    ),
    (
        "hotel|lodging|accommodation|übernachtung",
        "room|night|nights|check-in|check-out|hotel|single room|double room|reception|inn|guest house|city tax|minibar",
    ),
    (
        "pharmacy|medicine|apotheke|drugstore",
        "tablets|aspirin|ibuprofen|paracetamol|ointment|plasters|pharmacy|cough syrup|vitamins|prescription",
    ),
    (
        "sale|for sale|sales|verkauf|selling",
        "for sale|asking price|freehold|sale price|buy it|sold|purchase price|offers over|no chain|vendor",
    ),
    (
        "rent|for rent|rental|letting|vermietung|miete",
        "rent|to rent|for rent|pcm|per month|a month|deposit|rental|tenancy|to let|monthly|lease|tenant",
    ),
    (
        "outage|power cut|stromausfall|blackout",
        "no power|outage|power cut|blackout|no electricity|lights went out|power is out|without power|no supply|lost power",
    ),
    ("meter reading|meter readings|zählerstand", "meter reading|reading|meter|kwh|read on"),
    (
        "moving home|moving house|move|relocation|umzug|change of address",
        "moving|moved|new address|moving out|moving in|change of address|relocating|new flat|new house",
    ),
    ("noise|noise complaint|lärm", "loud|noise|noisy|music|party|barking|drilling|shouting|at night"),
    (
        "waste|rubbish|garbage|trash|refuse|bins|müll|abfall",
        "bin|bins|rubbish|trash|garbage|not collected|recycling|collection|dumped|fly-tipping|litter|waste",
    ),
    (
        "roads|road|street|potholes|pothole|straße",
        "pothole|road|street|pavement|traffic light|kerb|asphalt|junction|crossing|lane",
    ),
    (
        "lighting|street lighting|street light|lights",
        "street light|lamp|lamp post|dark|bulb|streetlight|light is out|lights are out",
    ),
    ("parking|parken", "parking|parked|car park|permit|parking ticket|driveway|clamped"),
    (
        "plumbing|water|plumber|sanitär",
        "tap|leak|leaking|pipe|pipes|toilet|drain|blocked drain|sink|shower|boiler|drips|dripping|flush",
    ),
    (
        "electrical|electrics|electricity|elektrik",
        "socket|fuse|switch|wiring|light switch|power|sparks|circuit|breaker|plug|lamp",
    ),
    ("heating|heizung", "radiator|heating|boiler|thermostat|cold flat|no heat|warm"),
    (
        "phishing|scam|fraud|suspicious|betrug",
        "suspended|verify your|click the link|confirm your password|unusual activity|within 24 hours|log in here|your account has been|gift card|wire transfer|inheritance|lottery|bank details|act now|won a|update your payment|verify",
    ),
    (
        "legitimate|legit|safe|genuine|real",
        "attached minutes|see you|meeting|as discussed|agenda|our call|thanks for|lunch|the report",
    ),
    ("thanks|thank you|gratitude|dank", "thank you|thanks|thank you so much|grateful|much appreciated|cheers for"),
    (
        "absence|sick note|sick leave|absent|krankmeldung|sickness",
        "sick|ill|fever|flu|cannot come|can't come|doctor's note|not coming|absent|at home today|unwell|migraine",
    ),
    (
        "holiday request|leave request|holiday|vacation|vacation request|time off",
        "holiday|days off|annual leave|vacation|time off|off from|two weeks off",
    ),
    (
        "expense|expenses|expense claim|spesen|reimbursement",
        "expenses|receipt|reimburse|reimbursement|taxi fare|mileage|claim back|expense|hotel bill",
    ),
    (
        "enquiry|inquiry|sales enquiry|anfrage",
        "do you sell|do you have|do you offer|how much|price list|interested in|could you tell|would like to know|is it possible|availability",
    ),
    (
        "booking|reservation|reservierung|buchung",
        "book a|table for|reserve|reservation|booking|would like to book|double room|for two people|for two nights",
    ),
    (
        "damage|damaged|breakage|schaden",
        "broken|damaged|cracked|dented|scratched|smashed|torn|wet|crushed|leaking|shattered",
    ),
    (
        "missing|lost|missing item|shortage|short delivery",
        "missing|not in the box|short|only received|never arrived|lost|not delivered|fewer",
    ),
    (
        "late|delay|delayed|delays|late delivery|verspätung",
        "late|delayed|delay|still waiting|not arrived|days late|overdue|supposed to arrive|behind schedule",
    ),
    (
        "wrong item|wrong|incorrect item|mix up",
        "wrong|instead of|not what i ordered|different colour|different model|mixed up|ordered a",
    ),
    ("warning|warn|warnings|caution", "warn|warning|deprecated|retrying|slow|approaching|low disk|almost full"),
    (
        "info|information|notice|informational",
        "info|started|listening|completed|connected|loaded|finished|shutdown|ready",
    ),
    ("debug|trace", "debug|trace|entering|verbose|dump"),
    ("length|distance|längenmaß", "metre|meter|kilometre|kilometer|inch|foot|mile|yard|centimetre|millimetre|km|cm|mm"),
    ("mass|weight|gewicht", "kilogram|gram|pound|ounce|tonne|kg|stone|milligram"),
    ("time|zeit|duration", "second|minute|hour|day|week|month|year|decade|century|fortnight"),
    ("volume|capacity|volumen", "litre|liter|gallon|pint|millilitre|cup|quart|barrel"),
    ("currency|currencies|money|währung", "euro|dollar|pound|yen|franc|krona|krone|zloty|peso|rupee|lira|won|yuan"),
    ("planet|planets", "mercury|venus|earth|mars|jupiter|saturn|uranus|neptune"),
    (
        "sea|ocean|seas|oceans",
        "atlantic|pacific|indian ocean|arctic|baltic|mediterranean|north sea|black sea|caribbean",
    ),
    ("river|rivers|fluss", "rhine|danube|thames|nile|amazon|seine|elbe|loire|mississippi|volga|ganges|tiber"),
    ("mountain|mountains|berg", "everest|matterhorn|mont blanc|kilimanjaro|zugspitze|ben nevis|k2|denali|etna"),
    (
        "europe|european countries",
        "france|germany|spain|italy|poland|portugal|czechia|slovakia|slovenia|serbia|lithuania|latvia|estonia|iceland|ukraine|malta|cyprus",
    ),
    (
        "south america|america|americas",
        "brazil|argentina|chile|peru|bolivia|colombia|ecuador|uruguay|paraguay|venezuela|canada|mexico|usa|united states|cuba",
    ),
    ("warm|warm colour|warm colours", "red|orange|yellow|gold|coral"),
    ("cool|cold colour|cool colours", "blue|green|violet|turquoise|teal|cyan"),
    ("pronoun|pronouns", "he|she|it|they|we|you|him|her|us|them|mine|yours"),
    ("preposition|prepositions", "under|over|between|behind|beside|through|across|into|during|against"),
    ("conjunction|conjunctions", "and|but|or|because|although|unless|whereas"),
    ("renewable|renewables|renewable energy", "solar|wind|hydro|hydropower|geothermal|biomass|tidal"),
    ("fossil|fossil fuel|fossil fuels|non-renewable", "coal|oil|natural gas|gas|lignite|petroleum|diesel"),
    ("string|strings|string instrument", "violin|cello|guitar|harp|viola|double bass|banjo|ukulele"),
    ("wind|woodwind|brass|wind instrument", "flute|clarinet|trumpet|trombone|oboe|saxophone|tuba|bassoon|horn"),
    ("percussion|drums", "drum|drums|cymbal|triangle|xylophone|timpani|tambourine|marimba"),
    ("team sport|team sports|team", "football|handball|basketball|volleyball|hockey|rugby|cricket|soccer|baseball"),
    (
        "individual sport|individual sports|individual",
        "swimming|marathon|skiing|boxing|judo|gymnastics|archery|golf|fencing",
    ),
    ("hazardous|dangerous|hazardous waste", "battery|batteries|paint|solvent|acid|asbestos|oil|bleach|pesticide"),
    ("glass|glas", "bottle|bottles|jar|jars|window pane|glass"),
    ("paper|papier|cardboard", "newspaper|cardboard|magazine|box|envelope|paper|carton|book"),
    ("plastic|kunststoff", "plastic|yogurt pot|bag|wrapper|foil|tub|packaging|shampoo bottle"),
    (
        "organic|compost|bio|food waste",
        "peel|leaves|coffee grounds|apple core|banana skin|eggshells|leftovers|grass cuttings",
    ),
];
