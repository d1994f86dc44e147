//! HTML as lines: rows of tables and lists of terms as `label: value`, and what classes and links name.

/// Whether a text is HTML.
pub fn is_html(text: &str) -> bool {
    let closes = [
        "</p>",
        "</div>",
        "</td>",
        "</li>",
        "</html>",
        "</span>",
        "</table>",
        "</dl>",
        "</h1>",
        "</h2>",
        "</a>",
        "</body>",
        "</ul>",
        "</article>",
        "</b>",
        "</strong>",
        "</address>",
        "</time>",
    ];
    let lower = text.to_lowercase();
    closes.iter().any(|tag| lower.contains(tag))
}

/// The text, and pairs of a class or link and what it holds.
pub fn read(html: &str) -> (String, Vec<(String, String)>) {
    let mut out = String::new();
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut open: Vec<(String, Vec<String>, usize)> = Vec::new();
    let mut rest = html;
    let mut hidden = false;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        if !hidden {
            push(&mut out, text);
        }
        let Some(end) = tag.find('>') else {
            rest = "";
            break;
        };
        let body = tag.get(1..end).unwrap_or_default();
        rest = tag.get(end + 1..).unwrap_or_default();
        if body.starts_with('!') {
            continue;
        }
        let closing = body.starts_with('/');
        let name: String = body
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .collect::<String>()
            .to_lowercase();
        hidden = match name.as_str() {
            "script" | "style" => !closing,
            _ => hidden,
        };
        if closing {
            if let Some(place) = open.iter().rposition(|(own, ..)| *own == name) {
                for (_, labels, from) in open.drain(place..) {
                    let inner = out.get(from..).unwrap_or_default().trim().to_owned();
                    if !inner.is_empty() && !inner.contains('\n') && inner.len() < 200 {
                        pairs
                            .extend(labels.into_iter().map(|label| (label, inner.trim_matches(['|', ' ']).to_owned())));
                    }
                }
            }
        } else {
            pairs.extend(link(body));
            if !["br", "img", "meta", "input", "hr", "link"].contains(&name.as_str()) {
                open.push((name.clone(), labels(body), out.len()));
            }
        }
        out.push_str(match (name.as_str(), closing) {
            ("td" | "th", true) => " | ",
            ("dt", true) => ": ",
            (
                "br" | "p" | "div" | "li" | "tr" | "h1" | "h2" | "h3" | "h4" | "table" | "dd" | "ul" | "title"
                | "header" | "footer" | "section" | "article" | "address" | "dl",
                _,
            ) => "\n",
            _ => "",
        });
    }
    push(&mut out, rest);
    (lines(&out), pairs)
}

/// Cells of a row; two cells are a label and its value.
fn lines(text: &str) -> String {
    let line = |line: &str| {
        let bare = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let bare = bare.trim_end_matches([' ', '|']).to_owned();
        let cells: Vec<&str> = bare.split(" | ").map(str::trim).collect();
        match cells.as_slice() {
            [label, value] if !label.is_empty() => format!("{}: {value}", label.trim_end_matches(':')),
            _ => bare,
        }
    };
    text.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn push(out: &mut String, text: &str) {
    const ENTITIES: &[(&str, &str)] = &[
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&euro;", "€"),
        ("&pound;", "£"),
        ("&ndash;", "–"),
        ("&mdash;", "—"),
        ("&auml;", "ä"),
        ("&ouml;", "ö"),
        ("&uuml;", "ü"),
        ("&szlig;", "ß"),
        ("&eacute;", "é"),
        ("&#8364;", "€"),
        ("&#163;", "£"),
        ("&copy;", "©"),
        ("&amp;", "&"),
    ];
    let plain = ENTITIES.iter().fold(text.replace('\n', " "), |text, (name, sign)| text.replace(name, sign));
    out.push_str(&plain);
}

fn attribute<'b>(body: &'b str, name: &str) -> Option<&'b str> {
    let at = body.find(&format!("{name}="))? + name.len() + 1;
    let rest = body.get(at..)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

/// What classes, ids and properties call an element.
fn labels(body: &str) -> Vec<String> {
    ["class", "id", "itemprop", "data-field", "data-label"]
        .iter()
        .filter_map(|name| attribute(body, name))
        .flat_map(|value| value.split_whitespace())
        .map(|label| label.replace(['-', '_'], " "))
        .collect()
}

fn link(body: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Some(target) = attribute(body, "href") {
        if let Some(mail) = target.strip_prefix("mailto:") {
            found.push(("email".into(), mail.split('?').next().unwrap_or(mail).to_owned()));
        } else if let Some(phone) = target.strip_prefix("tel:") {
            found.push(("phone link".into(), phone.to_owned()));
        } else {
            found.push(("url".into(), target.to_owned()));
        }
    }
    if let (Some(name), Some(content)) =
        (attribute(body, "name").or_else(|| attribute(body, "property")), attribute(body, "content"))
    {
        found.push((name.replace(['-', '_', ':'], " "), content.to_owned()));
    }
    found
}
