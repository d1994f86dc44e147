//! Chapter marks: lines with a time and a title.

use agent_common::patterns::groups;

/// A chapter; the last has no end.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Its title.
    pub title: String,
    /// Seconds.
    pub start: f64,
    /// Where the next one begins.
    pub end: Option<f64>,
}

/// Reads chapter marks, two at least; `media` is where the last one ends.
#[must_use]
pub fn read(text: &str, media: Option<f64>) -> Vec<Chapter> {
    let mark = |line: &str| {
        let front = groups(r"^\W*((?:\d+:)?\d{1,2}:\d{2})\W+(.*\w.*)$", line);
        let back = groups(r"^(.*\w.*?)\W+((?:\d+:)?\d{1,2}:\d{2})\W*$", line);
        let (time, title) = match (front.as_slice(), back.as_slice()) {
            ([_, time, title], _) | ([], [_, title, time]) => (time.clone(), title.clone()),
            _ => return None,
        };
        Some(Chapter { title: title.trim().to_owned(), start: crate::found_captions::seconds(&time)?, end: None })
    };
    let mut chapters: Vec<Chapter> = text.lines().filter(|line| !line.contains("-->")).filter_map(mark).collect();
    let starts: Vec<f64> = chapters.iter().map(|chapter| chapter.start).collect();
    for (chapter, next) in chapters.iter_mut().zip(starts.iter().skip(1).map(|start| Some(*start)).chain([media])) {
        chapter.end = next.filter(|end| *end > chapter.start);
    }
    if chapters.len() < 2 { Vec::new() } else { chapters }
}

/// The chapter that a request names: with most of its words in the title.
#[must_use]
pub fn named<'c>(chapters: &'c [Chapter], request: &str) -> Option<&'c Chapter> {
    const COMMON: [&str; 40] = [
        "how", "long", "is", "the", "part", "about", "in", "seconds", "chapter", "section", "what", "does", "of",
        "and", "a", "to", "marks", "start", "when", "much", "time", "video", "we", "our", "on", "at", "for", "last",
        "take", "takes", "duration", "minutes", "with", "your", "first", "then", "these", "are", "which", "it",
    ];
    let wanted = agent_common::sentences::stems(request);
    let score = |chapter: &Chapter| {
        agent_common::sentences::stems(&chapter.title)
            .iter()
            .filter(|stem| !COMMON.contains(&stem.as_str()) && wanted.contains(*stem))
            .count()
    };
    let best = chapters.iter().map(score).max().filter(|best| *best > 0)?;
    let mut found = chapters.iter().filter(|chapter| score(chapter) == best);
    let first = found.next()?;
    if found.next().is_some() { None } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_by_their_titles() {
        let text = "00:00 Hello and welcome.\n00:20 First we prune the roses.\n01:05 Then we talk about compost.\n02:40 Your questions.\n04:00 End.";
        let chapters = read(text, None);
        assert_eq!(chapters.len(), 5);
        let compost = named(&chapters, "How long is the part about compost, in seconds?").unwrap();
        assert_eq!(compost.end.map(|end| end - compost.start), Some(95.0));
        assert!(named(&chapters, "How long is the part about tomatoes?").is_none());
        assert!(read("at 10:30 we met", None).is_empty());
    }
}
