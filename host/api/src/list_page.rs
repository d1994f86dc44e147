//! Pages of lists, with the parameters of OpenAI's and Anthropic's APIs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ApiError;

/// The requested page of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PageQuery {
    /// The id after which the page starts.
    after: Option<String>,
    /// The id before which the page ends.
    before: Option<String>,
    limit: Option<usize>,
    /// Whether the oldest item comes first.
    pub oldest_first: bool,
    /// The purpose of the requested files.
    pub purpose: Option<String>,
}

/// The set of query parameters that a list accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageNames {
    /// The parameters `after` and `limit`.
    Batches,
    /// The parameters `after`, `limit`, `order` and `purpose`.
    Files,
    /// The parameters `after_id`, `before_id` and `limit`.
    Anthropic,
}

/// The purposes of files.
pub const PURPOSES: [&str; 2] = ["batch", "batch_output"];

impl PageQuery {
    /// Parses the query of a list request. `names` selects the accepted parameters;
    /// `most` is the maximum `limit`.
    pub fn read(query: Option<&str>, names: PageNames, most: usize) -> Result<Self, ApiError> {
        let mut page = Self::default();
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned() {
            if seen.contains(&name) {
                return Err(ApiError::invalid("", format!("the query parameter `{}` is given twice", short(&name))));
            }
            seen.push(name.clone());
            match (name.as_str(), names) {
                ("after", PageNames::Batches | PageNames::Files) | ("after_id", PageNames::Anthropic) => {
                    page.after = Some(value);
                }
                ("before_id", PageNames::Anthropic) => page.before = Some(value),
                ("limit", _) => {
                    let number = value.parse().ok().filter(|number| (1..=most).contains(number));
                    let wrong = || ApiError::invalid("", format!("limit must be from 1 to {most}"));
                    page.limit = Some(number.ok_or_else(wrong)?);
                }
                ("order", PageNames::Files) if value == "asc" || value == "desc" => page.oldest_first = value == "asc",
                ("order", PageNames::Files) => return Err(ApiError::invalid("", "order must be asc or desc")),
                ("purpose", PageNames::Files) if PURPOSES.contains(&value.as_str()) => page.purpose = Some(value),
                ("purpose", PageNames::Files) => {
                    return Err(ApiError::invalid("", format!("purpose must be one of {}", PURPOSES.join(", "))));
                }
                _ => {
                    let text = format!("the query parameter `{}` is not known here", short(&name));
                    return Err(ApiError::invalid("", text));
                }
            }
        }
        Ok(page)
    }

    /// Returns the requested page of `items`, and whether there are more items.
    pub fn of<'i, T>(
        &self,
        items: &'i [T],
        id: impl Fn(&T) -> &str,
        usual: usize,
    ) -> Result<(&'i [T], bool), ApiError> {
        let place = |wanted: &str| {
            let wrong = || ApiError::invalid("", format!("`{}` is not in this list", short(wanted)));
            items.iter().position(|item| id(item) == wanted).ok_or_else(wrong)
        };
        let limit = self.limit.unwrap_or(usual);
        if let Some(before) = &self.before {
            let earlier = items.get(..place(before)?).unwrap_or_default();
            let from = earlier.len().saturating_sub(limit);
            return Ok((earlier.get(from..).unwrap_or_default(), from > 0));
        }
        let from = match &self.after {
            Some(after) => place(after)?.saturating_add(1),
            None => 0,
        };
        let left = items.get(from..).unwrap_or_default();
        let page = left.get(..limit).unwrap_or(left);
        Ok((page, left.len() > page.len()))
    }
}

/// A page of a list in the format of Anthropic's API.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    data: Vec<T>,
    first_id: Option<String>,
    last_id: Option<String>,
    has_more: bool,
}

/// A page of a list in the format of OpenAI's API.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub struct OpenAiPage<T> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    #[serde(flatten)]
    page: Page<T>,
}

impl<T> Page<T> {
    /// Creates a page that contains `data`. `id` returns the id of an item; `has_more`
    /// says whether further items follow the page.
    pub fn new(data: Vec<T>, id: impl Fn(&T) -> Option<&str>, has_more: bool) -> Self {
        let id_of = |item: Option<&T>| item.and_then(&id).map(str::to_owned);
        let (first_id, last_id) = (id_of(data.first()), id_of(data.last()));
        Self { data, first_id, last_id, has_more }
    }
}

impl<T> From<Page<T>> for OpenAiPage<T> {
    fn from(page: Page<T>) -> Self {
        Self { object: "list", page }
    }
}

/// Shortens a text from a client for an error message.
pub fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str, names: PageNames) -> Result<PageQuery, ApiError> {
        PageQuery::read(Some(query), names, 100)
    }

    fn cut(query: &str, names: PageNames) -> (Vec<&'static str>, bool) {
        const ALL: [&str; 4] = ["d", "c", "b", "a"];
        let query = read(query, names).unwrap();
        let (page, has_more) = query.of(&ALL, |id| id, 20).unwrap();
        (page.to_vec(), has_more)
    }

    #[test]
    fn pages_follow_one_another() {
        assert_eq!(cut("", PageNames::Batches), (vec!["d", "c", "b", "a"], false));
        assert_eq!(cut("limit=2", PageNames::Files), (vec!["d", "c"], true));
        assert_eq!(cut("limit=2&after=c", PageNames::Files), (vec!["b", "a"], false));
        assert_eq!(cut("after=a", PageNames::Batches), (vec![], false));
        assert_eq!(cut("before_id=a&limit=2", PageNames::Anthropic), (vec!["c", "b"], true));
        assert_eq!(cut("after_id=d&limit=1", PageNames::Anthropic), (vec!["c"], true));
    }

    #[test]
    fn errors_name_the_query_parameter() {
        for (query, names) in [
            ("limit=0", PageNames::Batches),
            ("limit=101", PageNames::Batches),
            ("limit=x", PageNames::Files),
            ("order=up", PageNames::Files),
            ("purpose=vision", PageNames::Files),
            ("limit=1&limit=1", PageNames::Files),
            ("order=asc", PageNames::Batches),
            ("purpose=batch", PageNames::Batches),
            ("after_id=x", PageNames::Files),
            ("after=x", PageNames::Anthropic),
        ] {
            assert!(read(query, names).is_err(), "{query}");
        }
        assert!(read("after=x", PageNames::Files).unwrap().of(&["a"], |id| id, 20).is_err());
    }
}
