//! Renders the Markdown documentation as HTML.

use std::collections::BTreeMap;

use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::text::escape;

/// A rendered document.
pub(crate) struct Rendered {
    /// The document without its title, as HTML.
    pub html: String,
    /// The title of the document.
    pub title: String,
    /// The sections, each with its anchor and heading.
    pub sections: Vec<(String, String)>,
}

/// Renders a document. `page_of` maps the target of a link to a URL; a link for which it
/// returns `None` becomes plain text.
pub(crate) fn render(text: &str, page_of: impl Fn(&str) -> Option<String>) -> Rendered {
    let mut pages = Pages { page_of, dropped: Vec::new(), image: 0 };
    let events: Vec<Event<'_>> =
        Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| pages.local(event)).map(readable).collect();
    let (title, sections, events) = anchored(events);
    let mut html = String::with_capacity(text.len() * 2);
    html::push_html(&mut html, events.into_iter());
    Rendered { html, title, sections }
}

/// An iterator adapter that resolves links and drops images.
struct Pages<F> {
    page_of: F,
    /// For each open link, whether it is dropped; the innermost link is last.
    dropped: Vec<bool>,
    /// Nesting depth of open images, which are not rendered.
    image: usize,
}

impl<F: Fn(&str) -> Option<String>> Pages<F> {
    fn local<'a>(&mut self, event: Event<'a>) -> Option<Event<'a>> {
        match event {
            Event::Start(Tag::Image { .. }) => {
                self.image += 1;
                None
            }
            Event::End(TagEnd::Image) => {
                self.image = self.image.saturating_sub(1);
                None
            }
            _ if self.image > 0 => None,
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let page = (self.page_of)(&dest_url);
                self.dropped.push(page.is_none());
                let dest_url = CowStr::from(page?);
                Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
            }
            Event::End(TagEnd::Link) if self.dropped.pop() == Some(true) => None,
            other => Some(other),
        }
    }
}

/// Makes code blocks scrollable by keyboard, and shows raw HTML as text.
fn readable(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::CodeBlock(_)) => Event::Html("<pre tabindex=\"0\"><code>".into()),
        Event::End(TagEnd::CodeBlock) => Event::Html("</code></pre>\n".into()),
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    }
}

/// Extracts the title and the sections, gives headings an anchor and tables a scrollable
/// frame.
fn anchored(events: Vec<Event<'_>>) -> (String, Vec<(String, String)>, Vec<Event<'_>>) {
    let (mut title, mut sections, mut used) = (String::new(), Vec::new(), BTreeMap::new());
    let mut out = Vec::with_capacity(events.len());
    let mut table = 0;
    let mut heading: Option<(HeadingLevel, String, Vec<Event<'_>>)> = None;
    for event in events {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((level, String::new(), Vec::new())),
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, text, inside)) = heading.take() else { continue };
                if level == HeadingLevel::H1 && title.is_empty() {
                    title = text;
                    continue;
                }
                let anchor = unique(&slug(&text), &mut used);
                out.push(Event::Html(format!("<{level} id=\"{anchor}\">").into()));
                out.extend(inside);
                out.push(Event::Html(format!("</{level}>\n").into()));
                if level == HeadingLevel::H2 {
                    sections.push((anchor, text));
                }
            }
            Event::Start(Tag::Table(columns)) => {
                table = out.len();
                out.push(Event::Html("<div class=\"scroll\" tabindex=\"0\">".into()));
                // Cell alignment would need inline styles, which the content security policy
                // forbids.
                out.push(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
            }
            Event::End(TagEnd::Table) => {
                out.extend([Event::End(TagEnd::Table), Event::Html("</div>\n".into())]);
                // Drop a table that contained only images.
                if !out.iter().skip(table).any(|event| matches!(event, Event::Text(_) | Event::Code(_))) {
                    out.truncate(table);
                }
            }
            other => match &mut heading {
                Some((_, text, inside)) => {
                    if let Event::Text(more) | Event::Code(more) = &other {
                        text.push_str(more);
                    }
                    inside.push(other);
                }
                None => out.push(other),
            },
        }
    }
    (title, sections, out)
}

/// Builds the anchor of a heading as GitHub does, so that links in the documents work on
/// both sites.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    let slug: String =
        kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect();
    let mut escaped = String::new();
    escape(&mut escaped, &slug);
    escaped
}

fn unique(slug: &str, used: &mut BTreeMap<String, usize>) -> String {
    let times = used.entry(slug.to_owned()).or_default();
    *times += 1;
    if *times == 1 { slug.to_owned() } else { format!("{slug}-{}", *times - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Rendered {
        render(text, |link| link.strip_suffix(".md").map(|name| format!("/docs/{name}")))
    }

    #[test]
    fn a_document_has_a_title_sections_and_anchors() {
        let page = page("# The `a` page\n\nText.\n\n## By wallet\n\n### Deep\n\n## By wallet\n");
        assert_eq!(page.title, "The a page");
        let sections = [("by-wallet", "By wallet"), ("by-wallet-1", "By wallet")];
        assert_eq!(page.sections, sections.map(|(anchor, text)| (anchor.to_owned(), text.to_owned())));
        assert!(page.html.contains("<h3 id=\"deep\">Deep</h3>") && !page.html.contains("<h1"), "{}", page.html);
    }

    #[test]
    fn links_lead_to_pages_or_are_none() {
        let pictures = page("| | |\n|---|---|\n| ![a](b.png) | |\n");
        assert!(!pictures.html.contains("<table"), "{}", pictures.html);
        let page = page("[here](paying.md), [there](../host/x.toml) and ![shot](images/a.png)");
        assert!(page.html.contains("<a href=\"/docs/paying\">here</a>, there and"), "{}", page.html);
        assert!(!page.html.contains("<img") && !page.html.contains("shot"), "{}", page.html);
    }

    #[test]
    fn nothing_in_a_document_is_markup_of_its_own() {
        let page = page("<script>x</script>\n\n```html\n<b>\n```\n\n| a |\n|--:|\n| `<i>` |\n");
        assert!(!page.html.contains("<script") && !page.html.contains("<b>") && !page.html.contains("<i>"));
        assert!(page.html.contains("<pre tabindex=\"0\"><code>&lt;b&gt;"), "{}", page.html);
        assert!(page.html.contains("<div class=\"scroll\" tabindex=\"0\"><table>"), "{}", page.html);
    }
}
