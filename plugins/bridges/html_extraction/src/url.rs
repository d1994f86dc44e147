//! References resolved against a base by RFC 3986, section 5, with what browsers do before that: blanks around and line
//! breaks inside are dropped, other blanks are escaped, and web addresses take `\` for `/`.
//!
//! Invariants: pure text, no lookup; the work is linear in the lengths.

/// The parts of a reference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Url {
    pub scheme: Option<String>,
    authority: Option<String>,
    path: String,
    query: Option<String>,
    pub fragment: Option<String>,
}

/// The text as browsers read it.
fn cleaned(text: &str) -> String {
    let trimmed = text.trim_matches(|c: char| c <= ' ');
    let without_breaks = trimmed.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    without_breaks.fold(String::with_capacity(trimmed.len()), |mut out, c| {
        if c == ' ' {
            out.push_str("%20");
        } else if !c.is_control() {
            out.push(c);
        }
        out
    })
}

fn split(text: &str, mark: char) -> (&str, Option<String>) {
    text.split_once(mark).map_or((text, None), |(left, right)| (left, Some(right.to_owned())))
}

impl Url {
    pub fn read(text: &str) -> Self {
        let text = cleaned(text);
        let (rest, fragment) = split(&text, '#');
        let scheme = rest.split_once(':').filter(|(scheme, _)| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        });
        let (scheme, rest) = scheme.map_or((None, rest), |(scheme, rest)| (Some(scheme.to_ascii_lowercase()), rest));
        let (rest, query) = split(rest, '?');
        let rest = match scheme.as_deref() {
            None | Some("http" | "https") => rest.replace('\\', "/"),
            Some(_) => rest.to_owned(),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                let (host, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
                (Some(lower_host(host)), path.to_owned())
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query, fragment }
    }

    /// Whether references can be resolved against it.
    pub fn is_base(&self) -> bool {
        matches!(self.scheme.as_deref(), Some("http" | "https")) && self.host().is_some_and(|host| !host.is_empty())
    }

    /// The host and port, without what stands before an `@`.
    pub fn host(&self) -> Option<&str> {
        let authority = self.authority.as_deref()?;
        Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
    }

    /// RFC 3986, section 5.2.2.
    pub fn resolve(&self, reference: &Self) -> Self {
        let mut target = reference.clone();
        if reference.scheme.is_none() {
            target.scheme.clone_from(&self.scheme);
            if reference.authority.is_none() {
                target.authority.clone_from(&self.authority);
                if reference.path.is_empty() {
                    target.path.clone_from(&self.path);
                    target.query = reference.query.clone().or_else(|| self.query.clone());
                    return target;
                }
                if !reference.path.starts_with('/') {
                    target.path = self.merged(&reference.path);
                }
            }
        }
        // The path of mailto: and its like is no hierarchy.
        if target.authority.is_some() || target.path.starts_with('/') {
            target.path = without_dots(&target.path);
        }
        target
    }

    fn merged(&self, path: &str) -> String {
        match self.path.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{path}"),
            None if self.authority.is_some() => format!("/{path}"),
            None => path.to_owned(),
        }
    }

    pub fn text(&self) -> String {
        let part = |before: &str, part: &Option<String>, after: &str| {
            part.as_ref().map_or(String::new(), |part| format!("{before}{part}{after}"))
        };
        let slash = if self.is_base() && self.path.is_empty() { "/" } else { "" };
        [
            &part("", &self.scheme, ":"),
            &part("//", &self.authority, ""),
            slash,
            &self.path,
            &part("?", &self.query, ""),
            &part("#", &self.fragment, ""),
        ]
        .concat()
    }
}

fn lower_host(authority: &str) -> String {
    match authority.rsplit_once('@') {
        Some((user, host)) => format!("{user}@{}", host.to_ascii_lowercase()),
        None => authority.to_ascii_lowercase(),
    }
}

/// RFC 3986, section 5.2.4.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut parts = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    segments.pop();
                }
                if last {
                    segments.push("");
                }
            }
            part => segments.push(part),
        }
    }
    if path.is_empty() { String::new() } else { format!("/{}", segments.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From RFC 3986, sections 5.4.1 and 5.4.2 (strict). `//g` is `http://g` there: an `http` address without a path has
    /// the path `/` here, which section 6.2.3 calls the same address.
    const RFC_3986: &[(&str, &str)] = &[
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g..", "http://a/b/c/g.."),
        ("./g/.", "http://a/b/c/g/"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ];

    #[test]
    fn examples_of_rfc_3986() {
        let base = Url::read("http://a/b/c/d;p?q");
        for (reference, expected) in RFC_3986 {
            assert_eq!(base.resolve(&Url::read(reference)).text(), *expected, "{reference}");
        }
    }
}
