//! Words that judge in other languages, and the little words that tell the languages apart.

/// A language: little words, words of praise, words of blame, words that negate.
pub struct Words {
    /// ISO 639-1.
    pub code: &'static str,
    /// Frequent words that carry no feeling.
    pub little: &'static [&'static str],
    /// Praise.
    pub good: &'static str,
    /// Blame.
    pub bad: &'static str,
    /// Words that turn the next three round.
    pub negations: &'static [&'static str],
}

/// All languages but English.
pub const LANGUAGES: &[Words] = &[
    Words {
        code: "de",
        little: &[
            "der", "die", "das", "und", "ist", "war", "nicht", "ein", "eine", "ich", "wir", "sehr", "es", "mit", "auf",
            "für", "den", "dem", "zu", "im", "am", "kein", "keine", "nie", "wieder", "alles", "leider",
        ],
        good: "gut|gute|guter|gutes|super|toll|tolle|tolles|hervorragend|hervorragende|ausgezeichnet|ausgezeichnete|wunderbar|wunderbare|perfekt|klasse|spitze|begeistert|zufrieden|empfehlen|empfehlenswert|empfehle|freundlich|freundliche|freundliches|lecker|schön|schöne|schönes|liebe|hilfsbereit|sauber|pünktlich|gerne wieder|immer wieder|schnell|schnelle|einwandfrei|funktioniert einwandfrei|fantastisch|großartig|prima|top|genial|günstig|gemütlich|bestens|traumhaft|beste|bester|bestes",
        bad: "hält nicht|antwortet nicht|reagiert nicht|funktionierte nicht|passt nicht|schmeckt nicht|nicht mal|lässt sich nicht|nicht mehr|gebrochen|stinkt|warte noch|nie angekommen|keine antwort|schlecht|schlechte|schlechter|schlechtes|schrecklich|schreckliche|furchtbar|furchtbare|enttäuscht|enttäuschend|enttäuschung|kaputt|defekt|nie wieder|unfreundlich|unfreundliche|unfreundlicher|katastrophe|katastrophal|mangelhaft|schmutzig|dreckig|teuer|überteuert|zu spät|zu teuer|zu klein|verspätet|funktioniert nicht|geht nicht|nicht angekommen|nicht geliefert|nicht empfehlen|nicht zu empfehlen|nicht zufrieden|unzufrieden|nicht gut|geld zurück|müll|schrott|miserabel|unverschämt|ärgerlich|langsam|laut|kalt|eklig|ungenießbar|frechheit|mies|miese|fehlt|verschwendung|finger weg|zerbrochen|beschädigt|peinlich|langweilig|nutzlos|schlimmste|schlechteste|reklamieren",
        negations: &["nicht", "kein", "keine", "keinen", "nie", "niemals", "weder"],
    },
    Words {
        code: "fr",
        little: &[
            "le", "la", "les", "et", "est", "un", "une", "des", "je", "nous", "ne", "pas", "très", "ce", "cette",
            "pour", "avec", "du", "c'est", "était", "mon", "il", "elle", "qui", "que", "dans", "au", "j'ai", "trop",
        ],
        good: "bon|bonne|bien|excellent|excellente|super|parfait|parfaite|magnifique|génial|géniale|délicieux|délicieuse|ravi|ravie|satisfait|satisfaite|recommande|je recommande|adore|j'adore|agréable|rapide|accueillant|accueillante|chaleureux|chaleureuse|merveilleux|merveilleuse|formidable|top|impeccable|beau|belle|sympathique|content|contente|meilleur|meilleure|efficace|propre|fantastique|aimable|incroyable|à recommander",
        bad: "aucune réponse|pas de réponse|toujours pas|tombé en panne|en panne|mauvais|mauvaise|nul|nulle|déçu|déçue|décevant|décevante|déception|horrible|terrible|cassé|cassée|ne fonctionne pas|ne marche pas|ne fonctionne plus|ne marche plus|jamais reçu|jamais arrivé|pas reçu|pas arrivé|sale|cher|trop cher|lent|lente|froid|froide|désagréable|arnaque|à éviter|à fuir|plus jamais|inadmissible|inacceptable|défectueux|défectueuse|en retard|catastrophe|catastrophique|pire|impoli|malpoli|affreux|honte|honteux|remboursement|ne recommande pas|je ne recommande pas|déconseille|ennuyeux|ennuyeuse|bruyant|bruyante|inutile|lamentable|médiocre|abîmé|endommagé|pas bon|pas bonne|pas content|pas satisfait",
        negations: &["ne", "n'est", "n'a", "n'était", "pas", "jamais", "sans", "aucun", "aucune"],
    },
    Words {
        code: "es",
        little: &[
            "el", "la", "los", "las", "y", "es", "un", "una", "de", "que", "en", "muy", "no", "con", "por", "para",
            "mi", "lo", "se", "al", "del", "fue", "está", "me", "todo", "pero", "nunca",
        ],
        good: "bueno|buena|buen|excelente|excelentes|perfecto|perfecta|encanta|me encanta|encantó|encantado|encantada|genial|maravilloso|maravillosa|fantástico|fantástica|recomiendo|recomendable|delicioso|deliciosa|rico|riquísimo|amable|amables|rápido|rápida|contento|contenta|satisfecho|satisfecha|feliz|increíble|mejor|hermoso|hermosa|bonito|bonita|limpio|limpia|estupendo|estupenda|funciona bien|volveré|volveremos|acogedor",
        bad: "sin respuesta|nadie responde|no sirve|se rompió|no llega|todavía no|malo|mala|mal|malísimo|pésimo|pésima|terrible|horrible|decepcionado|decepcionada|decepcionante|decepción|roto|rota|no funciona|no llegó|nunca llegó|no ha llegado|no recomiendo|no lo recomiendo|sucio|sucia|caro|carísimo|lento|lenta|frío|fría|peor|estafa|nunca más|defectuoso|defectuosa|inaceptable|grosero|grosera|desagradable|basura|tarde|desastre|vergüenza|inútil|aburrido|aburrida|ruidoso|dañado|devolver",
        negations: &["no", "nunca", "sin", "ni", "jamás"],
    },
    Words {
        code: "it",
        little: &[
            "il", "lo", "la", "gli", "le", "e", "è", "un", "una", "di", "che", "non", "molto", "con", "per", "del",
            "della", "sono", "era", "mi", "ho", "al", "tutto", "ma", "mai", "questo", "questa",
        ],
        good: "buono|buona|ottimo|ottima|ottimi|eccellente|perfetto|perfetta|bellissimo|bellissima|bello|bella|fantastico|fantastica|meraviglioso|meravigliosa|consiglio|consigliato|consigliatissimo|delizioso|deliziosa|gentile|gentili|gentilissimi|veloce|soddisfatto|soddisfatta|felice|contento|contenta|adoro|squisito|squisita|pulito|pulita|accogliente|migliore|buonissimo|buonissima",
        bad: "nessuna risposta|non risponde|si è rotto|non va|cattivo|cattiva|pessimo|pessima|orribile|terribile|deluso|delusa|deludente|delusione|rotto|rotta|non funziona|mai arrivato|non è arrivato|non arriva|non consiglio|non lo consiglio|sconsiglio|sporco|sporca|caro|troppo caro|lento|lenta|freddo|fredda|peggiore|truffa|mai più|difettoso|difettosa|inaccettabile|maleducato|maleducata|scortese|schifo|vergogna|ritardo|inutile|noioso|noiosa|rumoroso|danneggiato|scadente",
        negations: &["non", "mai", "senza", "né"],
    },
    Words {
        code: "pt",
        little: &[
            "o", "os", "as", "e", "é", "um", "uma", "de", "que", "não", "muito", "com", "por", "para", "do", "da",
            "no", "na", "foi", "mas", "eu", "meu", "minha", "está", "nunca", "tudo", "em",
        ],
        good: "bom|boa|ótimo|ótima|excelente|perfeito|perfeita|maravilhoso|maravilhosa|fantástico|fantástica|adorei|amei|recomendo|delicioso|deliciosa|gentil|simpático|simpática|rápido|rápida|satisfeito|satisfeita|feliz|incrível|lindo|linda|limpo|limpa|melhor|acolhedor|gostoso|gostosa",
        bad: "sem resposta|ninguém responde|parou de funcionar|quebrou|ainda não|ruim|mau|má|péssimo|péssima|horrível|terrível|decepcionado|decepcionada|decepcionante|decepção|quebrado|quebrada|não funciona|não chegou|nunca chegou|não recomendo|sujo|suja|caro|caríssimo|lento|lenta|frio|fria|pior|golpe|nunca mais|defeituoso|inaceitável|grosseiro|lixo|atrasado|atrasada|vergonha|desconfortável|inútil|chato|barulhento|danificado|desastre",
        negations: &["não", "nunca", "sem", "nem", "jamais"],
    },
    Words {
        code: "nl",
        little: &[
            "de", "het", "een", "en", "is", "was", "niet", "ik", "we", "wij", "zeer", "erg", "heel", "met", "voor",
            "van", "op", "te", "geen", "dit", "dat", "maar", "ook", "er", "nooit", "mijn",
        ],
        good: "goed|goede|geweldig|geweldige|uitstekend|uitstekende|perfect|prachtig|prachtige|mooi|mooie|fantastisch|fantastische|heerlijk|heerlijke|lekker|lekkere|vriendelijk|vriendelijke|snel|snelle|tevreden|blij|aanrader|top|super|fijn|fijne|schoon|gezellig|gezellige|beste|behulpzaam|aanbevolen",
        bad: "geen antwoord|geen reactie|nog steeds niet|past niet|doet het niet|stuk|slecht|slechte|verschrikkelijk|verschrikkelijke|vreselijk|vreselijke|teleurgesteld|teleurstellend|teleurstellende|teleurstelling|kapot|werkt niet|niet geleverd|nooit aangekomen|niet aangekomen|nooit meer|vies|vieze|duur|te duur|te laat|traag|trage|koud|koude|slechtste|onbeschoft|onvriendelijk|onvriendelijke|rommel|waardeloos|waardeloze|niet aan te raden|geen aanrader|ontevreden|niet tevreden|niet goed|defect|saai|saaie|beschadigd|onacceptabel|oplichters|oplichting|afrader",
        negations: &["niet", "geen", "nooit", "zonder"],
    },
];
