//! `Manifest`: an author's description of a plugin in `plugin.toml`.
//!
//! Invariants:
//! 1. A value of type `Manifest` is valid in every field and within the bounds of `limits.rs`; the
//!    operator's permissions are checked elsewhere.
//! 2. `to_published_toml` is a pure function of the manifest and the component, so publishing the
//!    same content twice yields the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use semver::Version;
use serde::{Serialize, Serializer};
use tollbridge_core::config::Grant;
use tollbridge_core::config::HostPattern;
use tollbridge_core::limits::{BODY_BYTES_MAX, COMPONENT_BYTES_MAX, GUEST_MEMORY_BYTES_MAX, GUEST_TIME_MS_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;

use super::declaration::Declaration;
use super::digest::Digest;
use super::fields::{self, FieldError, Fields, one_line};
use super::id::{Name, PluginId, excerpt, parse_version};
use super::need::{self, Declared, Need};
use crate::limits::{MANIFEST_BYTES_MAX, NAME_BYTES_MAX, OUTPUT_BYTES_MAX, TABLE_BYTES_MAX, TABLES_PER_PLUGIN_MAX};

/// Maximum number of skills of one agent; they are repeated on the public card.
const SKILLS_MAX: usize = 64;
/// Maximum number of hosts in a plugin's `allow_hosts`; a longer list suggests that the
/// plugin wants access to all hosts.
const ALLOW_HOSTS_MAX: usize = 64;
/// Maximum number of bridges, and of agents, that one plugin may list as its callees;
/// large enough for all bridges of this repository.
const CALLEES_MAX: usize = 64;
/// Maximum number of concurrent calls of one plugin, whatever its manifest says.
const PLUGIN_CONCURRENCY_MAX: u64 = 1_024;
/// Maximum storage of one plugin in its key-value buckets.
const KV_BYTES_MAX: u64 = 64 << 20;
/// Maximum size of the published list of an agent's commands.
const COMMANDS_BYTES_MAX: usize = 24 << 10;

/// The JSON Schema (draft 2020-12) of `plugin.toml`, published for editors.
pub const MANIFEST_SCHEMA: &str = include_str!("plugin.schema.json");

pub(super) const FILE: &str = "plugin.toml";
const FIELDS: [&str; 17] = [
    "name",
    "kind",
    "version",
    "publisher",
    "purpose",
    "price_gbp",
    "commands",
    "grants",
    "allow_hosts",
    "bridges",
    "agents",
    "limits",
    "skills",
    "needs",
    "declaration",
    "component",
    "tables",
];
const SKILL_FIELDS: [&str; 2] = ["id", "description"];
const FILE_FIELDS: [&str; 2] = ["sha256", "size"];

/// A valid `plugin.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Kind and name of the plugin.
    pub id: PluginId,
    /// Semantic version of the plugin, without build metadata.
    pub version: Version,
    /// Name of the publisher whose key must sign the manifest.
    pub publisher: Name,
    /// One line on what the plugin does: at most 200 characters, no control characters.
    pub purpose: String,
    /// Price of a call in whole pence; zero is free.
    pub price: Millipence,
    /// Agents only: the commands in words that the agent accepts, as Markdown. Publishing fills it
    /// in from the file `commands.md`.
    pub commands: Option<String>,
    /// Host interfaces that the plugin requests.
    pub grants: BTreeSet<Grant>,
    /// Hosts that the plugin may reach; non-empty exactly if it has the http grant.
    pub allow_hosts: BTreeSet<HostPattern>,
    /// Bridges that the plugin may call. `bridges` and `agents` are both empty without the bridges
    /// grant, and not both empty with it.
    pub bridges: BTreeSet<Name>,
    /// Agents that the plugin may give tasks to.
    pub agents: BTreeSet<Name>,
    /// Resource limits of the plugin.
    pub limits: Limits,
    /// Skills of an agent; empty for bridges.
    pub skills: Vec<Skill>,
    /// Dependencies without which the plugin cannot answer.
    pub needs: Vec<Need>,
    /// Agents only: instructions for running another agent's component.
    pub declaration: Option<Declaration>,
    /// The compiled component; written when the plugin is published, absent in an author's
    /// manifest.
    pub component: Option<Component>,
    /// The tables that the plugin ships; written when the plugin is published, absent in an
    /// author's manifest.
    pub tables: BTreeMap<Name, TableFile>,
}

/// The resource limits of one plugin; the operator's ceilings have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Linear memory of one call, in MiB.
    pub memory_mib: u64,
    /// Wall-clock time of one call, in milliseconds.
    pub time_ms: u64,
    /// Number of concurrent calls.
    pub concurrency: u64,
    /// Size of the largest input, in bytes.
    pub input_bytes: u64,
    /// Size of the largest output, in bytes.
    pub output_bytes: u64,
    /// Total size of the plugin's key-value buckets, in bytes.
    pub kv_bytes: u64,
}

/// A skill of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skill {
    /// Id of the skill, `[a-z0-9_:-]{1,64}`, for example `data:extraction`.
    pub id: String,
    /// One line on what the skill does; same rules as `Manifest::purpose`.
    pub description: String,
}

/// Digest and size of the component that a published manifest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Component {
    /// SHA-256 of the component's bytes.
    pub sha256: Digest,
    /// Size of the component in bytes.
    pub size: u64,
}

/// Digest and size of a table (`tables/<name>.tsv`) that a published manifest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TableFile {
    /// SHA-256 of the table's bytes.
    pub sha256: Digest,
    /// Size of the table in bytes.
    pub size: u64,
}

impl Limits {
    /// The highest limits that any manifest may set.
    pub const MAX: Self = Self {
        memory_mib: (GUEST_MEMORY_BYTES_MAX >> 20) as u64,
        time_ms: GUEST_TIME_MS_MAX,
        concurrency: PLUGIN_CONCURRENCY_MAX,
        input_bytes: BODY_BYTES_MAX as u64,
        output_bytes: OUTPUT_BYTES_MAX as u64,
        kv_bytes: KV_BYTES_MAX,
    };

    const FIELDS: [&str; 6] = ["memory_mib", "time_ms", "concurrency", "input_bytes", "output_bytes", "kv_bytes"];

    fn named(&self) -> [(&'static str, u64); 6] {
        let values =
            [self.memory_mib, self.time_ms, self.concurrency, self.input_bytes, self.output_bytes, self.kv_bytes];
        let mut named = [("", 0); 6];
        for (slot, pair) in named.iter_mut().zip(Self::FIELDS.into_iter().zip(values)) {
            *slot = pair;
        }
        named
    }

    /// Checks that every limit is within the operator's ceilings; the error names the first limit
    /// that is not.
    pub fn within(&self, ceilings: &Self) -> Result<(), FieldError> {
        let over = self.named().into_iter().zip(ceilings.named()).find(|((_, value), (_, ceiling))| value > ceiling);
        match over {
            None => Ok(()),
            Some(((field, value), (_, ceiling))) => Err(FieldError {
                file: FILE,
                field: format!("limits.{field}"),
                problem: format!("{value} is above this server's ceiling; write at most {ceiling}"),
            }),
        }
    }

    fn read(table: Option<Fields>) -> Result<Self, FieldError> {
        let mut limits = Self::default();
        let Some(mut table) = table else { return Ok(limits) };
        let slots = [
            &mut limits.memory_mib,
            &mut limits.time_ms,
            &mut limits.concurrency,
            &mut limits.input_bytes,
            &mut limits.output_bytes,
            &mut limits.kv_bytes,
        ];
        for (slot, (field, max)) in slots.into_iter().zip(Self::MAX.named()) {
            let min = u64::from(field != "kv_bytes");
            if let Some(value) = table.number(field, min, max)? {
                *slot = value;
            }
        }
        Ok(limits)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_mib: 16,
            time_ms: 1_000,
            concurrency: 32,
            input_bytes: 1 << 20,
            output_bytes: 1 << 20,
            kv_bytes: 1 << 20,
        }
    }
}

impl Manifest {
    /// Returns the plugins that this plugin may call.
    pub fn callees(&self) -> BTreeSet<(PluginKind, String)> {
        let bridges = self.bridges.iter().map(|name| (PluginKind::Bridge, name.to_string()));
        bridges.chain(self.agents.iter().map(|name| (PluginKind::Agent, name.to_string()))).collect()
    }

    /// Parses a manifest, with or without the `[component]` table.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        if text.len() > MANIFEST_BYTES_MAX {
            let problem = format!("the file has {} bytes; at most {MANIFEST_BYTES_MAX} are allowed", text.len());
            return Err(FieldError { file: FILE, field: "file".to_owned(), problem });
        }
        let mut top = fields::parse(FILE, text, &FIELDS)?;
        let name = top.parsed("name", "name = \"my_plugin\"", str::parse::<Name>)?;
        let kind = top.parsed("kind", "kind = \"bridge\" or kind = \"agent\"", str::parse::<PluginKind>)?;
        let version = top.parsed("version", "version = \"1.0.0\"", parse_version)?;
        let publisher = top.parsed("publisher", "the name of your publisher key", str::parse::<Name>)?;
        let purpose = top.parsed("purpose", "purpose = \"What it does\", one line", one_line)?;
        let price = top.parsed("price_gbp", "price_gbp = \"0.30\", with the quotes", str::parse::<Millipence>)?;
        let commands = read_commands(&mut top, kind)?;
        let grants = read_grants(&mut top)?;
        let allow_hosts = read_hosts(&mut top, &grants)?;
        let (bridges, agents) = read_callees(&mut top, &grants)?;
        let limits = Limits::read(top.table("limits", &Limits::FIELDS)?)?;
        let skills = read_skills(&mut top, kind)?;
        let needs = need::read(&mut top, &Declared { grants: &grants, bridges: &bridges, agents: &agents })?;
        let declaration = Declaration::read(&mut top, kind)?;
        let component = read_component(&mut top)?;
        let tables = read_tables(&mut top, &grants)?;
        let id = PluginId { kind, name };
        Ok(Self {
            id,
            version,
            publisher,
            purpose,
            price,
            commands,
            grants,
            allow_hosts,
            bridges,
            agents,
            limits,
            skills,
            needs,
            declaration,
            component,
            tables,
        })
    }

    /// Returns the exact text that is signed and published for this component and these tables.
    /// Every limit is written out, so that a later change of a default does not affect published
    /// versions.
    pub fn to_published_toml(&self, component: Component, tables: &BTreeMap<Name, TableFile>) -> String {
        let published = Published {
            name: &self.id.name,
            kind: self.id.kind,
            version: &self.version,
            publisher: &self.publisher,
            purpose: &self.purpose,
            price_gbp: self.price.pounds(),
            commands: self.commands.as_deref(),
            grants: &self.grants,
            allow_hosts: &self.allow_hosts,
            bridges: &self.bridges,
            agents: &self.agents,
            limits: self.limits,
            skills: &self.skills,
            needs: &self.needs,
            declaration: self.declaration.as_ref(),
            component,
            tables,
        };
        // Strings, small integers and tables in the order that TOML requires cannot fail to
        // serialize.
        toml::to_string(&published).unwrap_or_default()
    }
}

/// The members of a published `plugin.toml`, in their order.
#[derive(Serialize)]
struct Published<'a> {
    name: &'a Name,
    kind: PluginKind,
    #[serde(serialize_with = "as_text")]
    version: &'a Version,
    publisher: &'a Name,
    purpose: &'a str,
    price_gbp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a str>,
    grants: &'a BTreeSet<Grant>,
    allow_hosts: &'a BTreeSet<HostPattern>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    bridges: &'a BTreeSet<Name>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    agents: &'a BTreeSet<Name>,
    limits: Limits,
    #[serde(skip_serializing_if = "<[Skill]>::is_empty")]
    skills: &'a [Skill],
    #[serde(skip_serializing_if = "<[Need]>::is_empty")]
    needs: &'a [Need],
    #[serde(skip_serializing_if = "Option::is_none")]
    declaration: Option<&'a Declaration>,
    component: Component,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tables: &'a BTreeMap<Name, TableFile>,
}

fn as_text<S: Serializer>(version: &&Version, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(version)
}

fn read_commands(top: &mut Fields, kind: PluginKind) -> Result<Option<String>, FieldError> {
    let Some(text) = top.text("commands", "the list of commands as Markdown text")? else { return Ok(None) };
    let fault = if kind == PluginKind::Bridge {
        Some("only agents take commands in words; leave it out".to_owned())
    } else if text.trim().is_empty() {
        Some("is empty; list the commands, or leave it out".to_owned())
    } else if text.len() > COMMANDS_BYTES_MAX {
        Some(format!("has {} bytes; at most {COMMANDS_BYTES_MAX} are allowed", text.len()))
    } else {
        fields::plain_text(&text).err()
    };
    fault.map_or(Ok(Some(text)), |problem| Err(top.error("commands", problem)))
}

fn read_grants(top: &mut Fields) -> Result<BTreeSet<Grant>, FieldError> {
    let texts = top.texts("grants", Grant::ALL.len(), "grants = [\"logging\"], or leave it out")?;
    let mut grants = BTreeSet::new();
    for text in texts {
        let grant = text.parse().map_err(|error| top.error("grants", error))?;
        if !grants.insert(grant) {
            return Err(top.error("grants", format!("{grant} is listed twice; list it once")));
        }
    }
    Ok(grants)
}

fn read_hosts(top: &mut Fields, grants: &BTreeSet<Grant>) -> Result<BTreeSet<HostPattern>, FieldError> {
    let texts = top.texts("allow_hosts", ALLOW_HOSTS_MAX, "allow_hosts = [\"api.example.com\"]")?;
    let mut hosts = BTreeSet::new();
    for text in texts {
        hosts.insert(text.parse().map_err(|error| top.error("allow_hosts", error))?);
    }
    match (grants.contains(&Grant::Http), hosts.is_empty()) {
        (true, true) => {
            Err(top.error("allow_hosts", "the http grant reaches nothing without hosts; list them or drop the grant"))
        }
        (false, false) => Err(top.error("allow_hosts", "hosts need the http grant; add \"http\" to `grants`")),
        _ => Ok(hosts),
    }
}

/// Reads the bridges and the agents that the plugin may call.
fn read_callees(top: &mut Fields, grants: &BTreeSet<Grant>) -> Result<(BTreeSet<Name>, BTreeSet<Name>), FieldError> {
    let bridges = read_names(top, "bridges", "bridges = [\"validation\"]")?;
    let agents = read_names(top, "agents", "agents = [\"summarizer\"]")?;
    match (grants.contains(&Grant::Bridges), bridges.is_empty() && agents.is_empty()) {
        (true, true) => Err(top.error(
            "bridges",
            "the bridges grant reaches nothing without names; list them in `bridges` or `agents`, or drop the grant",
        )),
        (false, false) => {
            let field = if bridges.is_empty() { "agents" } else { "bridges" };
            Err(top.error(field, "calling other plugins needs the bridges grant; add \"bridges\" to `grants`"))
        }
        _ => Ok((bridges, agents)),
    }
}

fn read_names(top: &mut Fields, key: &str, want: &str) -> Result<BTreeSet<Name>, FieldError> {
    let mut names = BTreeSet::new();
    for text in top.texts(key, CALLEES_MAX, want)? {
        let name: Name = text.parse().map_err(|error| top.error(key, error))?;
        if !names.insert(name) {
            return Err(top.error(key, format!("{text:?} is listed twice; list it once")));
        }
    }
    Ok(names)
}

fn read_skills(top: &mut Fields, kind: PluginKind) -> Result<Vec<Skill>, FieldError> {
    let tables = top.tables("skills", SKILLS_MAX, &SKILL_FIELDS)?;
    if kind == PluginKind::Bridge && !tables.is_empty() {
        return Err(top.error("skills", "only agents have skills; drop the [[skills]] tables or make it an agent"));
    }
    let mut skills: Vec<Skill> = Vec::new();
    for mut table in tables {
        let id = table.parsed("id", "id = \"data:extraction\"", skill_id)?;
        let description = table.parsed("description", "description = \"What it does\", one line", one_line)?;
        if skills.iter().any(|skill| skill.id == id) {
            return Err(table.error("id", format!("{id:?} is listed twice; list it once")));
        }
        skills.push(Skill { id, description });
    }
    Ok(skills)
}

fn read_component(top: &mut Fields) -> Result<Option<Component>, FieldError> {
    let Some(table) = top.table("component", &FILE_FIELDS)? else { return Ok(None) };
    let (sha256, size) = read_file(table, COMPONENT_BYTES_MAX)?;
    Ok(Some(Component { sha256, size }))
}

fn read_tables(top: &mut Fields, grants: &BTreeSet<Grant>) -> Result<BTreeMap<Name, TableFile>, FieldError> {
    let mut tables = BTreeMap::new();
    for (key, table) in top.named_tables("tables", TABLES_PER_PLUGIN_MAX, &FILE_FIELDS)? {
        let name = key.parse::<Name>().map_err(|error| top.error("tables", error))?;
        let (sha256, size) = read_file(table, TABLE_BYTES_MAX)?;
        tables.insert(name, TableFile { sha256, size });
    }
    match tables.is_empty() || grants.contains(&Grant::Tables) {
        true => Ok(tables),
        false => Err(top.error("tables", "a plugin that ships tables needs their grant; add \"tables\" to `grants`")),
    }
}

/// Reads the digest and the size of a file that is published next to the manifest.
fn read_file(mut table: Fields, max: usize) -> Result<(Digest, u64), FieldError> {
    let sha256 = table.parsed("sha256", "nothing here yourself; publishing fills it in", str::parse::<Digest>)?;
    let size = table.number("size", 1, max as u64)?;
    Ok((sha256, size.ok_or_else(|| table.error("size", "is missing; publishing fills it in"))?))
}

fn skill_id(text: &str) -> Result<String, String> {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b':');
    if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(allowed) {
        let text = excerpt(text);
        return Err(format!("{text:?} is not a skill id; use 1 to 64 of the characters a-z, 0-9, `_`, `-` and `:`"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
