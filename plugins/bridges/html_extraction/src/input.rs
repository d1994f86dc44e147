//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

use crate::url::Url;

/// Longest document, in bytes: as long as a stored resource may be.
const LONGEST: usize = 1_048_576;
const MOST_CHARACTERS: u32 = 150_000;
const MOST_LINKS: u32 = 1_000;
const MOST_TABLES: u32 = 100;

/// An HTML document, or a part of one. Give `html`, or `resource_id` of a stored document.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("html | resource_id"))]
pub struct Input {
    /// The HTML: the whole input has 1,048,576 bytes at most, the document 100,000 nodes and 256 elements inside each
    /// other. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 1_048_576))]
    pub html: Option<String>,
    /// Id of a stored resource (`res_…`): HTML in UTF-8. Alone it means: this document, without a base for its links.
    pub resource_id: Option<String>,
    /// Where the document comes from, an `http` or `https` address: its links are resolved against it (and against a
    /// `base` element first). Nothing is fetched. At most 2,000 characters. Default: only a `base` element counts.
    #[schemars(length(min = 1, max = 2_000))]
    pub base_url: Option<String>,
    /// Most characters of the main text (1 to 150,000; default 50,000).
    #[schemars(range(min = 1, max = 150_000))]
    pub max_characters: Option<u32>,
    /// Most links (0 to 1,000; default 300).
    #[schemars(range(min = 0, max = 1_000))]
    pub max_links: Option<u32>,
    /// Most tables (0 to 100; default 20).
    #[schemars(range(min = 0, max = 100))]
    pub max_tables: Option<u32>,
}

/// A checked call.
#[derive(Debug)]
pub struct Task {
    pub html: String,
    /// Where the HTML stands in the input.
    pub field: &'static str,
    pub base: Option<Url>,
    pub characters: usize,
    pub links: usize,
    pub tables: usize,
}

impl Task {
    /// Reads and checks a call.
    pub fn read(call: &Call, input: Input) -> Result<Self, Error> {
        let (html, field) = match (input.html, &input.resource_id) {
            (Some(html), None) => (html, "/html"),
            (None, Some(_)) => (call.stored()?.text()?.to_owned(), "/resource_id"),
            _ => return Err(Error::invalid("/html", "give `html` or `resource_id` (a stored document), one of them")),
        };
        if html.len() > LONGEST {
            return Err(Error::invalid(field, format!("{} bytes are more than {LONGEST}; send parts", html.len())));
        }
        if html.trim().is_empty() {
            return Err(Error::invalid(field, "the document is empty"));
        }
        let base = input.base_url.map(|text| {
            let base = Url::read(&text);
            if text.chars().count() <= 2_000 && base.is_base() {
                return Ok(base);
            }
            Err(Error::invalid(
                "/base_url",
                "give an absolute address such as https://example.org/page, at most 2000 characters",
            ))
        });
        let number = |value: Option<u32>, default: u32, least: u32, most: u32, field: &str| {
            let value = value.unwrap_or(default);
            if (least..=most).contains(&value) {
                return Ok(value as usize);
            }
            Err(Error::invalid(field, format!("give a number from {least} to {most}")))
        };
        Ok(Self {
            html,
            field,
            base: base.transpose()?,
            characters: number(input.max_characters, 50_000, 1, MOST_CHARACTERS, "/max_characters")?,
            links: number(input.max_links, 300, 0, MOST_LINKS, "/max_links")?,
            tables: number(input.max_tables, 20, 0, MOST_TABLES, "/max_tables")?,
        })
    }
}
