//! Documentation pages, for models that need to know how something works here.

/// A documentation page.
pub(crate) struct Guide {
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

macro_rules! guide {
    ($name:literal, $about:literal) => {
        Guide { name: $name, about: $about, text: include_str!(concat!("../../../../docs/", $name, ".md")) }
    };
}

/// All pages, in alphabetical order.
pub(crate) const GUIDES: [Guide; 10] = [
    guide!("a2a", "Agent to agent: cards, messages, tasks"),
    guide!("accounts", "Keys, limits, credit"),
    guide!("agents", "Giving agents tasks, at once and for later"),
    guide!("bridges", "Inputs and answers of every bridge"),
    guide!("earning", "Earning with bridges, agents and tasks"),
    guide!("errors", "Every error code and what to do about it"),
    guide!("inference", "Asking models through the gateway"),
    guide!("mcp", "This protocol here"),
    guide!("proofs", "Verifying the proof of an answer"),
    guide!("webhooks", "Receiving events"),
];

impl Guide {
    /// Finds a page by name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        GUIDES.iter().find(|guide| guide.name == name)
    }

    /// Returns the title of the page.
    pub(crate) fn title(&self) -> &'static str {
        self.text.lines().next().map_or(self.name, |line| line.trim_start_matches("# "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_has_a_title_and_its_place() {
        for guide in &GUIDES {
            assert!(guide.text.starts_with("# ") && !guide.title().is_empty(), "{}", guide.name);
        }
        assert!(GUIDES.is_sorted_by_key(|guide| guide.name));
    }
}
