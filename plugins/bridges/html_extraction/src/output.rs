//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of this bridge.
pub type Output = Report<Document>;

/// Text and data of the document. Texts have single spaces and no control characters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Document {
    /// The `title` element, else Open Graph's title, else the first `h1`.
    pub title: Option<String>,
    pub main: Main,
    /// Headings `h1` to `h6` in the order of the document, empty ones left out.
    pub headings: Vec<Heading>,
    /// Elements `a` and `area` with `href`, in the order of the document.
    pub links: Vec<Link>,
    /// Tables in the order of the document; a table inside another stands for itself.
    pub tables: Vec<Table>,
    pub metadata: Metadata,
    /// How much the document has, whether or not it is all in this answer.
    pub counts: Counts,
}

/// The text that a reader came for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Main {
    /// Paragraphs with a blank line between them, items with `- `, table rows a line each with ` | ` between cells.
    pub text: String,
    /// Characters of `text` before it was cut to `max_characters`.
    pub characters: usize,
    /// Whether the text was cut.
    pub truncated: bool,
    /// `scored`: the part that scored most; `body`: no part stood out, the whole body less its boilerplate; `none`: no text.
    pub found: &'static str,
    /// The element that scored most, as `name#id.class`; none with `body` and `none`.
    pub element: Option<String>,
    /// Its score: points for text, commas and telling names, less what is links; only for comparison within this
    /// document. None with `body` and `none`.
    pub score: Option<f64>,
    /// Part of the body's visible text that the main text is (0 to 1).
    pub share: f64,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Heading {
    /// 1 (`h1`) to 6 (`h6`).
    pub level: u8,
    /// Its text, at most 300 characters.
    pub text: String,
    /// Its `id`, by which links name it.
    pub id: Option<String>,
    /// Whether it stands in the main text.
    pub in_main: bool,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Link {
    /// As the document has it, at most 2,000 characters.
    pub href: String,
    /// Resolved; none without a base if the reference is relative.
    pub url: Option<String>,
    /// At most 300 characters; for a link around an image its alternative text.
    pub text: String,
    /// The values of `rel`, in lower case.
    pub rel: Vec<String>,
    /// `web`, `mail`, `phone`, `script` (`javascript:`), `data`, `fragment` (of this page), `relative` (no base), `other`.
    pub kind: &'static str,
    /// Web links with a known base: whether the host is that of the base.
    pub internal: Option<bool>,
    /// Whether it stands in the main text.
    pub in_main: bool,
}

/// A table, as the grid that the HTML standard forms: a cell that spans several places stands in each of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Table {
    /// Its `caption`.
    pub caption: Option<String>,
    /// Names of the columns, where there are header rows; texts of several header rows are joined by ` / `.
    pub headers: Vec<String>,
    /// The rows below the header, each as wide as the table.
    pub rows: Vec<Vec<String>>,
    /// Rows that were taken for headers: those in `thead`, else the first ones that have only `th`.
    pub header_rows: usize,
    /// Whether the first cell of every row below the header is a `th`.
    pub row_headers: bool,
    /// Columns of the grid.
    pub columns: usize,
    /// Cells with `colspan` or `rowspan` above 1.
    pub spans: usize,
    /// Probably for layout: the role says so, or it holds a table, or has no header and a single row or column.
    pub layout: bool,
    /// Whether it stands in the main text.
    pub in_main: bool,
    /// Whether rows, columns or texts were left out for size.
    pub truncated: bool,
}

/// What the document says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Metadata {
    /// `meta name=description`, else `og:description`.
    pub description: Option<String>,
    /// `link rel=canonical`, resolved where possible.
    pub canonical: Option<String>,
    /// Language tag as stated: `lang` of `html`, else `Content-Language` or `og:locale`.
    pub lang: Option<String>,
    /// `meta name=author` and its kin, else that of JSON-LD.
    pub author: Option<String>,
    /// `og:site_name` and its kin.
    pub site_name: Option<String>,
    /// When it was published, as stated.
    pub published: Option<Stated>,
    /// When it was last changed, as stated.
    pub modified: Option<Stated>,
    /// `meta name=robots`: what search engines are asked to do.
    pub robots: Option<String>,
    /// The character set that the document states; it was read as UTF-8 all the same.
    pub charset: Option<String>,
    /// Open Graph and its kin (`og:`, `article:`, `book:`, `profile:`, `product:`, `fb:`), in order, at most 100 and 50,000 bytes.
    pub open_graph: Vec<Property>,
    /// `twitter:` properties, in order, at most 50 and 50,000 bytes.
    pub twitter: Vec<Property>,
    /// Types of the JSON-LD items, in order, each once.
    pub json_ld_types: Vec<String>,
    /// JSON-LD blocks that are no JSON.
    pub json_ld_broken: usize,
}

/// A date as the document states it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stated {
    /// The date as written; it is not read.
    pub value: String,
    /// Where it stands, such as `meta article:published_time` or `json-ld datePublished`.
    pub from: String,
}

/// A property and its content.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Property {
    /// Its name.
    pub property: String,
    /// Its content.
    pub content: String,
}

/// How much there is in the document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Counts {
    /// Nodes of the tree: elements, texts, comments.
    pub nodes: usize,
    /// Headings `h1` to `h6` that are not empty.
    pub headings: usize,
    /// Elements `a` and `area` with `href`.
    pub links: usize,
    /// Tables.
    pub tables: usize,
}
