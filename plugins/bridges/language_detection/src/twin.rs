//! Languages that are not among the 70 known ones, and are taken for one of them.

use whatlang::Lang;

/// Languages written so much like this one that neither letters nor trigrams tell them apart: an answer with this one is
/// never reliable.
pub fn twins(language: Lang) -> &'static [&'static str] {
    match language {
        Lang::Hrv => &["Bosnian", "Montenegrin", "Serbian in Latin letters"],
        Lang::Ind => &["Malay", "Minangkabau", "Banjar"],
        Lang::Srp => &["Bosnian and Montenegrin in Cyrillic letters"],
        Lang::Zul => &["Xhosa", "Swati", "Ndebele"],
        _ => &[],
    }
}

/// Languages near to this one, whose texts are often taken for it, as measured (quality/README.md).
pub fn relatives(language: Lang) -> &'static [&'static str] {
    match language {
        Lang::Aze => &["Talysh"],
        Lang::Cat => &["Occitan", "Romansh"],
        Lang::Deu => &["Low German", "Luxembourgish"],
        Lang::Eng => &["Scots", "Nigerian Pidgin"],
        Lang::Fin => &["Kven", "Karelian"],
        Lang::Fra => &["Occitan", "Walloon", "Franco-Provençal"],
        Lang::Hin => &["Magahi", "Bhojpuri"],
        Lang::Ita => &["Corsican", "Ligurian", "Friulian"],
        Lang::Jav => &["Balinese", "Sundanese", "Madurese"],
        Lang::Nob => &["Norwegian Nynorsk"],
        Lang::Por => &["Galician", "Cape Verdean Creole"],
        Lang::Ron => &["Aromanian"],
        Lang::Sna => &["Swahili", "Chewa", "Kinyarwanda"],
        Lang::Spa => &["Asturian", "Galician", "Ladino"],
        Lang::Tgl => &["Cebuano", "Hiligaynon", "Waray"],
        Lang::Tur => &["Crimean Tatar", "Gagauz"],
        Lang::Urd => &["Western Punjabi", "Saraiki"],
        _ => &[],
    }
}
