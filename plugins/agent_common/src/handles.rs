//! Lines that each begin with who wrote them: `mossy: anyone up for a raid?`.

/// A line with its writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handled {
    /// Who wrote it.
    pub name: String,
    /// What is written.
    pub text: String,
}

/// The lines of a block that all begin with a short name and a colon, two at least; none if a name is in `not_names` or a
/// value is a bare figure, as in a form.
#[must_use]
pub fn read(block: &str, not_names: &[String]) -> Option<Vec<Handled>> {
    let mut found: Vec<Handled> = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let (name, text) = line.trim().split_once(": ")?;
        let name = name.trim_matches(['*', '"', '<', '>', '@', '[', ']']);
        let known = not_names.iter().any(|one| one.eq_ignore_ascii_case(name));
        let heading = [
            "text",
            "subject",
            "from",
            "to",
            "date",
            "note",
            "labels",
            "categories",
            "example",
            "rules",
            "rule",
            "task",
        ]
        .contains(&name.to_lowercase().as_str());
        if name.is_empty() || name.split_whitespace().count() > 2 || name.len() > 24 || known || heading {
            return None;
        }
        found.push(Handled { name: name.to_owned(), text: text.trim().to_owned() });
    }
    let words: usize = found.iter().map(|one| one.text.split_whitespace().count()).sum();
    (found.len() > 1 && words >= found.len() * 3).then_some(found)
}

/// A task with the lines of its first such block as items of a list; none if it has no such block.
#[must_use]
pub fn listed(task: &str, not_names: &[String]) -> Option<String> {
    let blocks: Vec<&str> = task.split("\n\n").collect();
    if blocks.len() < 2 {
        return None;
    }
    let (at, lines) = blocks.iter().enumerate().find_map(|(at, block)| Some((at, read(block, not_names)?)))?;
    // What is named elsewhere in the task is no writer, but what the task speaks of.
    let elsewhere = |name: &str| {
        let others = blocks.iter().enumerate().filter(|(place, _)| *place != at);
        others
            .into_iter()
            .any(|(_, block)| block.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name)))
    };
    if lines.iter().any(|line| elsewhere(&line.name)) {
        return None;
    }
    let list: Vec<String> = lines.iter().map(|line| format!("- {}", line.text)).collect();
    let list = list.join("\n");
    let all: Vec<&str> =
        blocks.iter().enumerate().map(|(place, block)| if place == at { list.as_str() } else { *block }).collect();
    Some(all.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_writers() {
        let none: &[String] = &[];
        assert_eq!(
            listed("toxic or ok\n\nkim7: get lost now, loser\ntilda: good game everyone", none).as_deref(),
            Some("toxic or ok\n\n- get lost now, loser\n- good game everyone")
        );
        assert!(read("Name: Ann\nTotal: 5", none).is_none());
        assert!(read("spam: buy it now, cheap\nham: see you at nine then", &["spam".to_owned()]).is_none());
    }
}
