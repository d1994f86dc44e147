//! Reads schemas into a plan, beginning with the one that the output is checked by.
//!
//! Only what the output can meet is read: a definition that nothing refers to
//! is not looked at beyond its form. Not recursive, so that no chain of
//! references takes stack.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tollbridge_sdk::Error;

use crate::{
    documents::Documents,
    form,
    formats::Format,
    keywords::Step,
    leaf::steps_in,
    limits::REGEXES_BYTES_MAX,
    names::Names,
    patterns::{self, Pattern},
    plan::{Contains, Index, Kind, Leaf, Members, Origin, Part, Plan, Rule, Types, address},
    reference,
    vocabulary::Vocabularies,
};

/// Reads them; with `formats`, `format` asserts.
pub fn plan<'s>(documents: &Documents<'s>, formats: bool) -> Result<Plan<'s>, Error> {
    let names = Names::of(documents)?;
    let mut planner = Planner {
        documents,
        names,
        formats,
        words: Vocabularies::DRAFT,
        plan: Plan::default(),
        known: HashMap::new(),
        anchors: Vec::new(),
        compiled: 0,
    };
    if let Some(first) = documents.all().first() {
        planner.place(first.schema, 0, String::new(), 0);
    }
    let mut next = 0;
    loop {
        if planner.read(next)? {
            next += 1;
        } else if !planner.read_dynamic() {
            return Ok(planner.plan);
        }
    }
}

/// A plan that is being made.
struct Planner<'d, 's> {
    documents: &'d Documents<'s>,
    names: Names<'s>,
    plan: Plan<'s>,
    formats: bool,
    /// What the keywords of the part that is being read mean.
    words: Vocabularies,
    /// Parts by the address of their schema.
    known: HashMap<usize, Index>,
    /// Anchors that a `$dynamicRef` looks for.
    anchors: Vec<&'s str>,
    /// Memory of all compiled patterns.
    compiled: usize,
}

impl<'s> Planner<'_, 's> {
    /// The part of a schema at a place of a document.
    fn place(&mut self, schema: &'s Value, document: usize, pointer: String, resource: usize) -> Index {
        self.intern(schema, resource, || Origin::Place { document, pointer })
    }

    fn intern(&mut self, schema: &'s Value, resource: usize, origin: impl FnOnce() -> Origin<'s>) -> Index {
        let new = self.plan.parts.len();
        let at = *self.known.entry(address(schema)).or_insert(new);
        if at == new {
            self.plan.parts.push(Part { schema, origin: origin(), resource, rules: Vec::new() });
        }
        at
    }

    /// The part of a schema that another holds.
    fn below(&mut self, part: Index, keyword: &'s str, step: Step<'s>, schema: &'s Value) -> Index {
        let around = self.plan.part(part).map_or(0, |part| part.resource);
        let own = schema.get("$id").and_then(|_| self.names.rooted(schema));
        self.intern(schema, own.unwrap_or(around), || Origin::Below { part, keyword, step })
    }

    fn list(&mut self, part: Index, keyword: &'s str, schemas: &'s Value) -> Vec<Index> {
        let items = schemas.as_array().into_iter().flatten().enumerate();
        items.map(|(index, schema)| self.below(part, keyword, Step::Item(index), schema)).collect()
    }

    /// Reads the next part; false if there is none.
    fn read(&mut self, at: Index) -> Result<bool, Error> {
        let Some(part) = self.plan.part(at) else { return Ok(false) };
        let Value::Object(members) = part.schema else { return Ok(true) };
        let words = self.vocabularies(at, part)?;
        self.words = words;
        let mut rules = Vec::with_capacity(members.len());
        for (keyword, value) in members.iter().filter(|(keyword, _)| words.know(keyword)) {
            if let Some(kind) = self.kind(at, keyword, value, members)? {
                rules.push(Rule { keyword, kind });
            }
        }
        rules.sort_by_key(|rule| rule.kind.rank());
        if let Some(part) = self.plan.parts.get_mut(at) {
            part.rules = rules;
        }
        Ok(true)
    }

    /// What the keywords of a part mean: by the `$schema` of its resource, else of its document.
    fn vocabularies(&self, at: Index, part: &Part<'s>) -> Result<Vocabularies, Error> {
        let Some(resource) = self.names.resources.get(part.resource) else { return Ok(Vocabularies::DRAFT) };
        let around = self.documents.all().get(resource.document).map(|document| document.schema);
        let own = Some(resource.root).filter(|root| root.get("$schema").is_some());
        let Some(schema) = own.or(around) else { return Ok(Vocabularies::DRAFT) };
        self.documents.vocabularies(schema, || place_of(self.documents, &self.plan, at))
    }

    /// What a keyword means; nothing if it says nothing about a value, or if another that is there says it.
    fn kind(
        &mut self,
        at: Index,
        keyword: &'s str,
        value: &'s Value,
        members: &'s Map<String, Value>,
    ) -> Result<Option<Kind<'s>>, Error> {
        let one = |planner: &mut Self| planner.below(at, keyword, Step::Value, value);
        Ok(Some(match keyword {
            "required" => Kind::Required(value.as_array().map_or(&[], Vec::as_slice)),
            "dependentRequired" => Kind::DependentRequired(lists(value)),
            "dependencies" if value.as_object().is_some_and(|all| all.values().all(Value::is_array)) => {
                Kind::DependentRequired(lists(value))
            }
            "dependencies" | "dependentSchemas" => Kind::DependentSchemas(self.members(at, keyword, value)),
            "properties" => return self.members_of(at, members).map(Some),
            "patternProperties" if !members.contains_key("properties") => {
                return self.members_of(at, members).map(Some);
            }
            "additionalProperties"
                if !members.contains_key("properties") && !members.contains_key("patternProperties") =>
            {
                return self.members_of(at, members).map(Some);
            }
            "propertyNames" => Kind::Names(one(self)),
            "prefixItems" => {
                let rest = members.get("items");
                let rest = rest.map(|schema| self.below(at, "items", Step::Value, schema));
                Kind::Items { first: self.list(at, keyword, value), rest }
            }
            "items" if !members.contains_key("prefixItems") => Kind::Items { first: Vec::new(), rest: Some(one(self)) },
            "contains" => Kind::Contains(Contains {
                part: one(self),
                min: members.get("minContains").filter(|_| self.words.validation).and_then(count),
                max: members.get("maxContains").filter(|_| self.words.validation).and_then(count),
            }),
            "$ref" => Kind::Reference(self.follow(at, keyword, value)?.0),
            "$dynamicRef" => {
                let (target, anchor) = self.follow(at, keyword, value)?;
                self.anchors.extend(anchor.filter(|anchor| !self.anchors.contains(anchor)));
                Kind::Dynamic { target, anchor }
            }
            "allOf" => Kind::All(self.list(at, keyword, value)),
            "anyOf" => Kind::Any(self.list(at, keyword, value)),
            "oneOf" => Kind::One(self.list(at, keyword, value)),
            "not" => Kind::Not(one(self)),
            "if" => {
                let mut branch = |keyword| {
                    let schema: Option<&'s Value> = members.get(keyword);
                    schema.map(|schema| self.below(at, keyword, Step::Value, schema))
                };
                let (then, otherwise) = (branch("then"), branch("else"));
                Kind::If { test: self.below(at, keyword, Step::Value, value), then, otherwise }
            }
            "unevaluatedProperties" => Kind::LeftMembers(one(self)),
            "unevaluatedItems" => Kind::LeftItems(one(self)),
            _ => return Ok(self.leaf(at, keyword, value)?.map(Kind::Leaf)),
        }))
    }

    fn leaf(&mut self, at: Index, keyword: &str, value: &'s Value) -> Result<Option<Leaf<'s>>, Error> {
        let number = || value.as_number();
        let bound = || count(value);
        Ok(match keyword {
            "type" => Some(Leaf::Type(Types::of(value))),
            "const" => Some(Leaf::Const(value, steps_in(value))),
            "enum" => value.as_array().map(|options| Leaf::Enum(options, steps_in(value))),
            "minimum" => number().map(Leaf::Minimum),
            "maximum" => number().map(Leaf::Maximum),
            "exclusiveMinimum" => number().map(Leaf::ExclusiveMinimum),
            "exclusiveMaximum" => number().map(Leaf::ExclusiveMaximum),
            "multipleOf" => number().map(Leaf::MultipleOf),
            "minLength" => bound().map(Leaf::MinLength),
            "maxLength" => bound().map(Leaf::MaxLength),
            "minItems" => bound().map(Leaf::MinItems),
            "maxItems" => bound().map(Leaf::MaxItems),
            "minProperties" => bound().map(Leaf::MinProperties),
            "maxProperties" => bound().map(Leaf::MaxProperties),
            "uniqueItems" => (*value == Value::Bool(true)).then_some(Leaf::UniqueItems),
            "format" if self.formats || self.words.asserts => value.as_str().and_then(Format::named).map(Leaf::Format),
            "pattern" => {
                let pattern = self.compile(value.as_str().unwrap_or_default());
                Some(Leaf::Pattern(pattern.map(Box::new).ok_or_else(|| {
                    form::refusal(&format!("{}/pattern", place_of(self.documents, &self.plan, at)), patterns::REFUSED)
                })?))
            }
            _ => None,
        })
    }

    /// A pattern, if it and those before it are small enough.
    fn compile(&mut self, pattern: &str) -> Option<Pattern> {
        let pattern = Pattern::new(pattern)?;
        self.compiled = self.compiled.saturating_add(pattern.memory());
        (self.compiled <= REGEXES_BYTES_MAX).then_some(pattern)
    }

    /// The part that a reference leads to, and the name by which it is a dynamic anchor.
    fn follow(&mut self, at: Index, keyword: &str, text: &Value) -> Result<(Index, Option<&'s str>), Error> {
        let Self { documents, names, plan, .. } = self;
        let own = plan.part(at).map_or(0, |part| part.resource);
        let place = || format!("{}/{keyword}", place_of(documents, plan, at));
        let target = reference::follow(names, documents, own, text.as_str().unwrap_or_default(), place)?;
        let part = self.place(target.schema, target.document, target.pointer, target.resource);
        Ok((part, target.dynamic))
    }

    /// The keyword's members that are schemas, in the order of their names.
    fn members(&mut self, at: Index, keyword: &'s str, value: &'s Value) -> Vec<(&'s str, Index)> {
        let schemas = value.as_object().into_iter().flatten().filter(|(_, schema)| !schema.is_array());
        let mut named: Vec<_> = schemas
            .map(|(name, schema)| (name.as_str(), self.below(at, keyword, Step::Member(name), schema)))
            .collect();
        named.sort_unstable();
        named
    }

    fn members_of(&mut self, at: Index, members: &'s Map<String, Value>) -> Result<Kind<'s>, Error> {
        let mut all = Members::default();
        if let Some(named) = members.get("properties") {
            all.named = self.members(at, "properties", named);
        }
        for (pattern, schema) in members.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
            let part = self.below(at, "patternProperties", Step::Member(pattern), schema);
            let compiled = self.compile(pattern);
            all.matching.push((
                compiled
                    .ok_or_else(|| form::refusal(&place_of(self.documents, &self.plan, part), patterns::REFUSED))?,
                part,
            ));
        }
        let rest: Option<&'s Value> = members.get("additionalProperties");
        all.rest = rest.map(|schema| self.below(at, "additionalProperties", Step::Value, schema));
        Ok(Kind::Members(Box::new(all)))
    }

    /// Adds what each anchor looked for means in each resource; false if nothing is new.
    fn read_dynamic(&mut self) -> bool {
        let before = self.plan.parts.len();
        for anchor in self.anchors.clone() {
            for resource in 0..self.names.resources.len() {
                let found = self.names.anchor(resource, anchor).filter(|found| found.dynamic);
                let Some((schema, pointer)) = found.map(|found| (found.schema, found.pointer.clone())) else {
                    continue;
                };
                let document = self.names.resources.get(resource).map_or(0, |resource| resource.document);
                let part = self.place(schema, document, pointer, resource);
                self.plan.dynamic.insert((anchor, resource), part);
            }
        }
        self.plan.parts.len() > before
    }
}

impl Kind<'_> {
    /// When it is applied: what is found quickly first, what is left over last.
    fn rank(&self) -> u8 {
        match self {
            Self::Leaf(leaf) => leaf.rank(),
            Self::Required(_) | Self::DependentRequired(_) => 8,
            Self::Members(_) | Self::Names(_) | Self::DependentSchemas(_) | Self::Items { .. } | Self::Contains(_) => 9,
            Self::Reference(_) | Self::Dynamic { .. } => 10,
            Self::All(_) | Self::Any(_) | Self::One(_) | Self::Not(_) | Self::If { .. } => 11,
            Self::LeftMembers(_) | Self::LeftItems(_) => 12,
        }
    }
}

impl Leaf<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::Type(_) => 0,
            Self::Const(..) | Self::Enum(..) => 1,
            Self::Minimum(_) | Self::MinLength(_) | Self::MinItems(_) | Self::MinProperties(_) => 2,
            Self::Maximum(_) | Self::MaxLength(_) | Self::MaxItems(_) | Self::MaxProperties(_) => 3,
            Self::ExclusiveMinimum(_) => 4,
            Self::ExclusiveMaximum(_) => 5,
            Self::MultipleOf(_) | Self::Pattern(_) | Self::UniqueItems => 6,
            Self::Format(_) => 7,
        }
    }
}

/// A number of things: whole, and at least 0.
fn count(value: &Value) -> Option<u64> {
    let double = || value.as_f64().filter(|double| *double >= 0.0 && double.fract() == 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative, and beyond the largest it is that"
    )]
    value.as_u64().or_else(|| double().map(|double| double as u64))
}

/// The members of a keyword's value that are lists.
fn lists(value: &Value) -> Vec<(&str, &[Value])> {
    let members = value.as_object().into_iter().flatten();
    members.filter_map(|(name, list)| Some((name.as_str(), list.as_array()?.as_slice()))).collect()
}

/// Where a part is in the input.
fn place_of(documents: &Documents<'_>, plan: &Plan<'_>, at: Index) -> String {
    let (document, pointer) = plan.place(at);
    format!("{}{pointer}", documents.place(document))
}
