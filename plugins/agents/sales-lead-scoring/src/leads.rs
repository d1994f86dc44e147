//! Leads out of tables and labelled lines.

use agent_common::{table::Table, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Someone who may buy.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// The person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Job title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The company.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// Its web address or domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    /// Its industry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub industry: Option<String>,
    /// Its country.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// How many work there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employees: Option<u32>,
}

impl Lead {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What to call it.
    pub fn shown(&self, index: usize) -> String {
        let known = [&self.name, &self.company, &self.email].into_iter().flatten().next();
        known.cloned().unwrap_or_else(|| format!("lead {}", index + 1))
    }

    /// Sets what a label names; false for an unknown label.
    fn set(&mut self, label: &str, value: &str) -> bool {
        let label = label.to_lowercase().replace(['-', '_'], " ");
        let slot = match label.trim() {
            "name" | "contact" | "lead" | "person" | "full name" => &mut self.name,
            "email" | "e mail" | "mail" | "email address" => &mut self.email,
            "phone" | "telephone" | "tel" => &mut self.phone,
            "title" | "job" | "job title" | "role" | "position" => &mut self.title,
            "company" | "organisation" | "organization" | "firm" | "account" => &mut self.company,
            "website" | "web" | "domain" | "url" => &mut self.website,
            "industry" | "sector" => &mut self.industry,
            "country" => &mut self.country,
            "employees" | "size" | "headcount" | "company size" => {
                self.employees = value.trim().replace(',', "").parse().ok();
                return self.employees.is_some();
            }
            _ => return false,
        };
        *slot = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        slot.is_some()
    }
}

/// One lead a row.
pub fn of_table(table: &Table) -> Vec<Lead> {
    let lead = |row: &Vec<String>| {
        let mut lead = Lead::default();
        for (column, cell) in table.columns.iter().zip(row) {
            lead.set(column, cell);
        }
        lead
    };
    table.rows.iter().map(lead).collect()
}

/// One lead a block of `Label: value` lines; without any, an e-mail address alone.
pub fn of_lines(text: &str) -> Vec<Lead> {
    let block = |block: &str| {
        let mut lead = Lead::default();
        for line in words::labelled(block) {
            lead.set(line.label, line.value);
        }
        if lead.is_empty() {
            let mut words = block.split(|c: char| c.is_whitespace() || ",;<>()".contains(c));
            lead.email = words.find(|word| word.contains('@')).map(|word| word.trim_end_matches('.').to_owned());
        }
        lead
    };
    text.split("\n\n").map(block).filter(|lead| !lead.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_read_from_tables_and_lines() {
        let table = Table::read("Name,E-mail,Size\nAnn,a@example.org,\"1,200\"\nBo,,x").unwrap();
        let leads = of_table(&table);
        assert_eq!((leads[0].email.as_deref(), leads[0].employees), (Some("a@example.org"), Some(1200)));
        assert_eq!((leads[1].email.as_deref(), leads[1].employees), (None, None));
        let leads = of_lines("Score these:\nName: Ann\nRole: CFO\n\nor write to bo@example.org.");
        assert_eq!((leads[0].title.as_deref(), leads[1].email.as_deref()), (Some("CFO"), Some("bo@example.org")));
        assert!(of_lines("nobody").is_empty());
    }
}
