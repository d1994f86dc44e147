//! Leads out of tables and labelled lines.

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

/// Names of members, and how people call them.
const LABELS: [(&str, &[&str]); 8] = [
    (
        "name",
        &[
            "name",
            "contact",
            "contact name",
            "lead",
            "lead name",
            "person",
            "full name",
            "ansprechpartner",
            "nom",
            "nombre",
            "nome",
            "kontakt",
            "prospect",
            "customer",
            "client",
            "user",
            "org",
            "enquiry",
        ],
    ),
    (
        "email",
        &[
            "email",
            "e mail",
            "mail",
            "email address",
            "e mail address",
            "contact email",
            "work email",
            "courriel",
            "correo",
        ],
    ),
    ("phone", &["phone", "telephone", "tel", "mobile", "telefon"]),
    ("title", &["title", "job title", "job", "role", "position", "funktion", "fonction", "cargo", "poste", "jobtitle"]),
    (
        "company",
        &[
            "company",
            "company name",
            "organisation",
            "organization",
            "firm",
            "account",
            "firma",
            "unternehmen",
            "entreprise",
            "société",
            "empresa",
            "azienda",
        ],
    ),
    ("industry", &["industry", "sector", "branche", "secteur"]),
    ("country", &["country", "land", "pays", "país"]),
    (
        "employees",
        &[
            "employees",
            "size",
            "headcount",
            "company size",
            "mitarbeiter",
            "staff",
            "no of employees",
            "number of employees",
            "salariés",
            "empleados",
            "funcionários",
        ],
    ),
];
/// Other columns of lists of leads.
const OTHERS: [&str; 14] = [
    "budget",
    "demo",
    "stage",
    "status",
    "source",
    "interest",
    "timeline",
    "website",
    "notes",
    "last activity",
    "visits",
    "engagement",
    "requested demo",
    "demo requested",
];

fn plain(label: &str) -> String {
    label.trim().to_lowercase().replace(['-', '_', '.'], " ").trim().to_owned()
}

impl Lead {
    /// Sets what a label in words names.
    pub fn learn(&mut self, label: &str, value: &str) {
        let label = plain(label);
        match LABELS.iter().find(|(_, names)| names.contains(&label.as_str())) {
            Some(("employees", _)) => {
                let count =
                    agent_common::quantity::read(value, None).map(|q| q.value).filter(|n| (0.0..1e9).contains(n));
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "checked to be a small number"
                )]
                let count = count.map(|n| n as u32);
                self.employees = count.or(self.employees);
            }
            Some((name, _)) => {
                self.set(name, value);
            }
            None => {
                self.set(&label, value);
            }
        }
    }

    /// Whether a label is one of a lead.
    pub fn knows(label: &str) -> bool {
        let label = plain(label);
        LABELS.iter().any(|(_, names)| names.contains(&label.as_str()))
            || OTHERS.iter().any(|other| label.contains(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_words() {
        let mut lead = Lead::default();
        for (label, value) in
            [("Contact", "Ann"), ("E-Mail", "a@example.org"), ("Company_Size", "1,200"), ("Funktion", "GF")]
        {
            assert!(Lead::knows(label), "{label}");
            lead.learn(label, value);
        }
        assert_eq!(
            (lead.name.as_deref(), lead.email.as_deref(), lead.employees, lead.title.as_deref()),
            (Some("Ann"), Some("a@example.org"), Some(1200), Some("GF"))
        );
        assert!(!Lead::knows("flavour"));
    }
}
