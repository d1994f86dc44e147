//! Categories for whoever brings none: messages of customers.

use crate::label::Label;

const BUILT_IN: [(&str, &str); 7] = [
    (
        "billing",
        "invoice bill charged charge payment pay paid card refund price subscription money account fee receipt",
    ),
    (
        "technical problem",
        "error crash crashes crashed bug broken fails failed not working login password update slow loading app",
    ),
    (
        "delivery",
        "parcel package delivery deliver shipping shipped arrived arrive late order tracking courier address damaged",
    ),
    (
        "complaint",
        "unhappy disappointed terrible awful worst rude angry unacceptable complaint poor service never again",
    ),
    ("praise", "thank thanks great excellent love happy wonderful perfect good amazing helpful recommend"),
    ("feature request", "please add feature would like wish support could you idea suggestion improve option missing"),
    (
        "sales question",
        "quote pricing plan buy purchase demo trial discount offer interested upgrade licence enterprise",
    ),
];

/// The built-in categories.
pub fn labels() -> Vec<Label> {
    let label = |(name, words): (&str, &str)| Label {
        name: name.into(),
        description: Some(words.into()),
        examples: Vec::new(),
    };
    BUILT_IN.into_iter().map(label).collect()
}

/// The categories of `Classify into spam, ham or other`; none unless there are two.
pub fn named(request: &str) -> Option<Vec<Label>> {
    let lower = request.to_lowercase();
    let marks = [" into ", " as either ", " as "];
    let from = marks.iter().find_map(|mark| lower.find(mark).map(|at| at + mark.len()))?;
    let list = request.get(from..)?.replace(" and ", ",").replace(" or ", ",");
    let mut names: Vec<&str> = list.split([',', ';', '/']).map(str::trim).filter(|name| !name.is_empty()).collect();
    names.dedup();
    (names.len() > 1).then(|| names.into_iter().map(|name| Label { name: name.into(), ..Label::default() }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_may_name_its_categories() {
        let names =
            |request| named(request).map(|labels| labels.into_iter().map(|label| label.name).collect::<Vec<_>>());
        assert_eq!(
            names("Sort these into late parcel, refund or praise").unwrap(),
            ["late parcel", "refund", "praise"]
        );
        assert_eq!(names("Classify these"), None);
        assert_eq!(names("Sort into one"), None);
    }
}
