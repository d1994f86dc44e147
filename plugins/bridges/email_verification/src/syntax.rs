//! The syntax of an address: RFC 5322 (with RFC 6532) as the widest form, RFC 5321 (with RFC 6531) as the strict one.
//!
//! Invariants: one pass over the characters without recursion; every text is read or refused with the place of the
//! first wrong character.

/// An address taken apart.
#[derive(Debug, Default)]
pub struct Address {
    /// Local part as written, without comments and white space around it.
    pub local: String,
    /// The same without quotes and escapes.
    pub plain: String,
    /// Domain as written, without comments; a literal with its brackets.
    pub domain: String,
    /// The domain is a literal such as `[192.0.2.1]`.
    pub literal: bool,
    /// Some of the local part is quoted.
    pub quoted: bool,
    /// Why SMTP does not take it, though RFC 5322 does.
    pub header_only: Vec<&'static str>,
    /// Words in the local part.
    words: usize,
}

/// The first thing that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// In characters, from 1.
    pub position: usize,
    pub message: &'static str,
}

struct Reader<'t> {
    letters: &'t [char],
    at: usize,
}

/// Reads an address.
pub fn read(text: &str) -> Result<Address, SyntaxFault> {
    let letters: Vec<char> = text.chars().collect();
    let mut reader = Reader { letters: &letters, at: 0 };
    let mut address = Address::default();
    reader.local(&mut address)?;
    reader.domain(&mut address)?;
    limits(&mut address);
    Ok(address)
}

/// What SMTP takes less of than RFC 5322, but for lengths (see `length`).
fn limits(address: &mut Address) {
    let domain_ok = address.literal
        || address.domain.chars().all(|l| l.is_ascii_alphanumeric() || matches!(l, '-' | '.') || !l.is_ascii());
    let rules = [
        (domain_ok, "the domain has signs that no host name has"),
        (!address.quoted || address.words == 1, "quoted and other words are mixed in the local part"),
        (!address.literal || literal_address(&address.domain), "the domain literal is no IPv4 or IPv6 address"),
    ];
    address.header_only.extend(rules.iter().filter(|(holds, _)| !holds).map(|(_, why)| why));
    address.header_only.sort_unstable();
    address.header_only.dedup();
}

/// `[192.0.2.1]` or `[IPv6:2001:db8::1]`, as RFC 5321 spells them: `::` stands for two groups or more.
fn literal_address(literal: &str) -> bool {
    let inner = literal.trim_start_matches('[').trim_end_matches(']');
    if let Some((tag, address)) = inner.split_once(':').filter(|(tag, _)| tag.eq_ignore_ascii_case("ipv6")) {
        let groups = address.split(':').filter(|group| !group.is_empty()).map(|g| 1 + usize::from(g.contains('.')));
        let one_elided = address.contains("::") && groups.sum::<usize>() == 7;
        return !tag.is_empty() && address.parse::<std::net::Ipv6Addr>().is_ok() && !one_elided;
    }
    inner.split('.').count() == 4
        && inner
            .split('.')
            .all(|part| part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit()) && part.parse::<u8>().is_ok())
}

const FOLDED: &str = "it has comments or white space";
const OBSOLETE: &str = "it has control characters";

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(letter)
    }

    fn wrong<T>(&self, message: &'static str) -> Result<T, SyntaxFault> {
        Err(SyntaxFault { position: self.at.saturating_add(1), message })
    }

    fn local(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        loop {
            self.space(address)?;
            match self.peek() {
                Some('"') => self.quoted(address)?,
                Some(letter) if is_atom(letter) => self.atom(&mut address.local, &mut address.plain),
                Some('@') if address.words == 0 => return self.wrong("there is nothing before the @"),
                Some('.' | '@') => return self.wrong("a word must stand between full stops"),
                None if address.words == 0 && !self.letters.contains(&'@') => return self.wrong("an address has an @"),
                _ => return self.wrong("this sign needs quotes in a local part, or is not allowed at all"),
            }
            address.words = address.words.saturating_add(1);
            self.space(address)?;
            match self.next() {
                Some('.') => {
                    address.local.push('.');
                    address.plain.push('.');
                }
                Some('@') => return Ok(()),
                None => return self.wrong("an address has an @ and a domain after it"),
                Some(_) => {
                    self.at = self.at.saturating_sub(1);
                    return self.wrong("this sign needs quotes in a local part, or is not allowed at all");
                }
            }
        }
    }

    fn atom(&mut self, one: &mut String, other: &mut String) {
        while let Some(letter) = self.peek().filter(|letter| is_atom(*letter)) {
            one.push(letter);
            other.push(letter);
            self.at = self.at.saturating_add(1);
        }
    }

    fn quoted(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        address.quoted = true;
        address.local.extend(self.next());
        loop {
            match self.peek() {
                None => return self.wrong("the quotes are not closed"),
                Some('"') => {
                    address.local.extend(self.next());
                    return Ok(());
                }
                Some('\\') => {
                    address.local.extend(self.next());
                    let Some(letter) = self.next() else { return self.wrong("nothing follows the backslash") };
                    if !matches!(letter, ' '..='~') {
                        address.header_only.push(OBSOLETE);
                    }
                    address.local.push(letter);
                    address.plain.push(letter);
                }
                Some('\r') => {
                    self.fold()?;
                    address.header_only.push(FOLDED);
                }
                Some('\n' | '\0') => return self.wrong("a line break or zero byte is not allowed in quotes"),
                Some(letter) => {
                    if letter.is_control() {
                        address.header_only.push(OBSOLETE);
                    }
                    address.local.push(letter);
                    address.plain.push(letter);
                    self.at = self.at.saturating_add(1);
                }
            }
        }
    }

    fn domain(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        self.space(address)?;
        if self.peek() == Some('[') {
            self.literal(address)?;
            self.space(address)?;
        } else {
            loop {
                self.label(address)?;
                self.space(address)?;
                if self.peek() != Some('.') {
                    break;
                }
                address.domain.extend(self.next());
                self.space(address)?;
            }
        }
        if self.at < self.letters.len() {
            return self.wrong("this sign is not allowed in a domain");
        }
        Ok(())
    }

    fn label(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        let mut label = String::new();
        if self.peek() == Some('-') {
            return self.wrong("a label of a domain begins with a letter or digit");
        }
        self.atom(&mut label, &mut String::new());
        if label.is_empty() {
            return match self.peek() {
                None if address.domain.is_empty() => self.wrong("there is nothing after the @"),
                None => self.wrong("a domain does not end with a full stop"),
                Some('.') => self.wrong("a label must stand between full stops"),
                Some(_) => self.wrong("this sign is not allowed in a domain"),
            };
        }
        if label.ends_with('-') {
            self.at = self.at.saturating_sub(1);
            return self.wrong("a label of a domain ends with a letter or digit");
        }
        address.domain.push_str(&label);
        Ok(())
    }

    fn literal(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        address.literal = true;
        address.domain.extend(self.next());
        loop {
            match self.peek() {
                None => return self.wrong("the bracket is not closed"),
                Some(']') => {
                    address.domain.extend(self.next());
                    return Ok(());
                }
                Some('[' | '\n' | '\0') => return self.wrong("this sign is not allowed in brackets"),
                Some('\r') => self.fold()?,
                Some('\\') => {
                    address.header_only.push(OBSOLETE);
                    address.domain.extend(self.next());
                    let Some(letter) = self.next() else { return self.wrong("nothing follows the backslash") };
                    address.domain.push(letter);
                }
                Some(letter) => {
                    address.domain.push(letter);
                    self.at = self.at.saturating_add(1);
                }
            }
        }
    }

    /// White space, folded lines and comments, which may stand around words.
    fn space(&mut self, address: &mut Address) -> Result<(), SyntaxFault> {
        let begin = self.at;
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at = self.at.saturating_add(1),
                Some('\r') => self.fold()?,
                Some('(') => {
                    depth = depth.saturating_add(1);
                    self.at = self.at.saturating_add(1);
                }
                Some(')') if depth > 0 => {
                    depth -= 1;
                    self.at = self.at.saturating_add(1);
                }
                Some('\n' | '\0') if depth > 0 => {
                    return self.wrong("a line break or zero byte is not allowed in a comment");
                }
                Some('\\') if depth > 0 => {
                    self.at = self.at.saturating_add(1);
                    if self.next().is_none() {
                        return self.wrong("nothing follows the backslash");
                    }
                }
                Some(_) if depth > 0 => self.at = self.at.saturating_add(1),
                None if depth > 0 => return self.wrong("the comment is not closed"),
                _ => break,
            }
        }
        if self.at > begin {
            address.header_only.push(FOLDED);
        }
        Ok(())
    }

    /// A line break, which white space must follow.
    fn fold(&mut self) -> Result<(), SyntaxFault> {
        self.at = self.at.saturating_add(1);
        if self.next() != Some('\n') || !matches!(self.peek(), Some(' ' | '\t')) {
            return self.wrong("a line break is allowed only before white space");
        }
        Ok(())
    }
}

/// Signs of an atom: RFC 5322 `atext`, and what is not ASCII (RFC 6532).
fn is_atom(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || "!#$%&'*+-/=?^_`{|}~".contains(letter)
        || (!letter.is_ascii() && !letter.is_control() && !letter.is_whitespace())
}
