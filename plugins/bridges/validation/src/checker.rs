//! Lets a value meet the parts of a plan, and finds what does not hold.
//!
//! Invariant: a check ends. It counts its steps and how many parts are open at
//! once, and stops at a bound; a reference that leads back to a part that is
//! open for the same value says nothing more about it, and holds.

use serde_json::Value;

use crate::{
    documents::Documents,
    finding::{Finding, Findings, token},
    limits::{MESSAGE_BYTES_MAX, OPEN_MAX, PATH_BYTES_MAX, STEPS_MAX},
    marks::Marks,
    message,
    plan::{Index, Kind, Leaf, Part, Plan, Rule},
    shown,
};

/// Why a check ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// There is no room for more findings.
    Full,
    /// It takes more steps than are allowed.
    Costly,
    /// More parts are open at once than are allowed.
    Deep,
}

/// A check ended early; [`Bounds::stopped`] says why. Without content, so that an outcome is returned in a register
/// and not by way of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Does it hold? What does not is a finding, unless the check is quiet.
pub type Outcome = Result<bool, Stopped>;

/// A step from a value to one in it.
#[derive(Debug, Clone, Copy)]
pub enum Token<'v> {
    Name(&'v str),
    Item(usize),
}

/// A check under way.
pub struct Checker<'p, 's, 'v> {
    pub plan: &'p Plan<'s>,
    documents: &'p Documents<'s>,
    pub findings: &'p mut Findings,
    /// What messages call the value.
    pub subject: &'p str,
    pub bounds: Bounds,
    /// From the output to the value, as long as findings are made.
    path: Vec<Token<'v>>,
    /// Resources that the open parts belong to, outermost first.
    pub scopes: Vec<usize>,
    /// The open parts, and from where on they are so for the same value.
    open: Vec<Index>,
    same: usize,
}

/// What was used so far of what a check may.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    steps: u64,
    /// Why the check ended early, if it did.
    pub stopped: Option<Stop>,
}

impl Bounds {
    pub fn spend(&mut self, steps: u64) -> Result<(), Stopped> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS_MAX { Err(self.stop(Stop::Costly)) } else { Ok(()) }
    }

    pub fn spend_for(&mut self, things: usize) -> Result<(), Stopped> {
        self.spend(u64::try_from(things).unwrap_or(u64::MAX))
    }

    fn stop(&mut self, why: Stop) -> Stopped {
        self.stopped = Some(why);
        Stopped
    }
}

impl<'p, 's, 'v> Checker<'p, 's, 'v> {
    /// A check that adds to `findings`.
    pub fn new(plan: &'p Plan<'s>, documents: &'p Documents<'s>, findings: &'p mut Findings) -> Self {
        Self {
            plan,
            documents,
            findings,
            subject: message::VALUE,
            bounds: Bounds::default(),
            path: Vec::new(),
            scopes: Vec::new(),
            open: Vec::new(),
            same: 0,
        }
    }

    /// One of something else than the value, within what this one may still use.
    pub fn aside<'o, 'w>(&self, findings: &'o mut Findings, subject: &'o str) -> Checker<'o, 's, 'w>
    where
        'p: 'o,
    {
        Checker {
            plan: self.plan,
            documents: self.documents,
            findings,
            subject,
            bounds: self.bounds,
            path: Vec::new(),
            scopes: self.scopes.clone(),
            open: self.open.clone(),
            same: self.open.len(),
        }
    }

    /// Does the part hold of the value? Sets the `marks` of what it looked at, if asked.
    pub fn meet(&mut self, at: Index, value: &'v Value, loud: bool, marks: Option<&mut Marks>) -> Outcome {
        self.bounds.spend(1)?;
        let Some(part) = self.plan.part(at) else { return Ok(true) };
        match part.schema {
            Value::Bool(false) if loud => self.report(at, None, value, message::nothing_allowed(self.subject)),
            Value::Bool(holds) => Ok(*holds),
            _ => self.apply_open(at, part, value, loud, marks),
        }
    }

    fn apply_open(
        &mut self,
        at: Index,
        part: &'p Part<'s>,
        value: &'v Value,
        loud: bool,
        marks: Option<&mut Marks>,
    ) -> Outcome {
        if self.open.len() >= OPEN_MAX {
            return Err(self.bounds.stop(Stop::Deep));
        }
        self.open.push(at);
        let enters = self.scopes.last() != Some(&part.resource);
        if enters {
            self.scopes.push(part.resource);
        }
        let holds = match part.left_over(value) {
            Some(count) => self.apply_marked(at, part, value, loud, marks, count)?,
            None => self.apply(at, part, value, loud, marks)?,
        };
        if enters {
            self.scopes.pop();
        }
        self.open.pop();
        Ok(holds)
    }

    /// Applies the rules of a part that asks what they left over: of that only they count.
    #[inline(never)]
    fn apply_marked(
        &mut self,
        at: Index,
        part: &'p Part<'s>,
        value: &'v Value,
        loud: bool,
        marks: Option<&mut Marks>,
        count: usize,
    ) -> Outcome {
        let mut own = Marks::new(count);
        self.bounds.spend_for(own.size())?;
        let holds = self.apply(at, part, value, loud, Some(&mut own))?;
        if let Some(marks) = marks {
            marks.set_all();
        }
        Ok(holds)
    }

    fn apply(
        &mut self,
        at: Index,
        part: &'p Part<'s>,
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let mut holds = true;
        for rule in &part.rules {
            holds &= self.rule(at, rule, value, loud, marks.as_deref_mut())?;
            if !holds && !loud {
                break;
            }
        }
        Ok(holds)
    }

    fn rule(
        &mut self,
        at: Index,
        rule: &'p Rule<'s>,
        value: &'v Value,
        loud: bool,
        marks: Option<&mut Marks>,
    ) -> Outcome {
        match (&rule.kind, value) {
            (Kind::Leaf(leaf), _) => self.leaf(at, rule, leaf, value, loud),
            (Kind::Required(names), Value::Object(members)) => self.required(at, rule, names, members, value, loud),
            (Kind::DependentRequired(lists), Value::Object(members)) => {
                self.dependent_required(at, rule, lists, members, value, loud)
            }
            (Kind::Members(all), Value::Object(members)) => self.members(at, all, members, value, loud, marks),
            (Kind::Names(part), Value::Object(members)) => self.names(*part, members, value, loud),
            (Kind::DependentSchemas(parts), Value::Object(members)) => {
                self.dependent(parts, members, value, loud, marks)
            }
            (Kind::Items { first, rest }, Value::Array(items)) => self.items(first, *rest, items, loud, marks),
            (Kind::Contains(contains), Value::Array(items)) => self.contains(at, contains, items, value, loud, marks),
            (Kind::Reference(target), _) => self.refer(*target, value, loud, marks),
            (Kind::Dynamic { target, anchor }, _) => {
                let target = self.dynamic(*target, *anchor);
                self.refer(target, value, loud, marks)
            }
            (Kind::All(parts), _) => self.all(parts, value, loud, marks),
            (Kind::Any(parts), _) => self.any(at, rule.keyword, parts, value, loud, marks),
            (Kind::One(parts), _) => self.one(at, rule.keyword, parts, value, loud, marks),
            (Kind::Not(part), _) => self.not(at, rule.keyword, *part, value, loud),
            (Kind::If { test, then, otherwise }, _) => self.branch(*test, *then, *otherwise, value, loud, marks),
            (Kind::LeftMembers(part), Value::Object(members)) => {
                self.left_members(at, *part, members, value, loud, marks)
            }
            (Kind::LeftItems(part), Value::Array(items)) => self.left_items(at, *part, items, value, loud, marks),
            _ => Ok(true),
        }
    }

    #[inline(never)]
    fn leaf(&mut self, at: Index, rule: &Rule<'s>, leaf: &Leaf<'s>, value: &Value, loud: bool) -> Outcome {
        self.bounds.spend(leaf.steps(value))?;
        if leaf.holds(value) {
            return Ok(true);
        }
        if !loud {
            return Ok(false);
        }
        let keyword = self.plan.part(at).and_then(|part| part.schema.get(rule.keyword));
        let message = message::leaf(leaf, keyword.unwrap_or(&Value::Null), self.subject);
        self.report(at, Some(rule.keyword), value, message)
    }

    /// Goes on at the part that a reference leads to.
    #[inline(never)]
    fn refer(&mut self, target: Index, value: &'v Value, loud: bool, marks: Option<&mut Marks>) -> Outcome {
        if self.open.iter().skip(self.same).any(|open| *open == target) {
            return Ok(true);
        }
        self.meet(target, value, loud, marks)
    }

    /// What a dynamic reference leads to: if its target has an anchor for that, the one of the outermost of the open
    /// resources that has one.
    #[inline(never)]
    fn dynamic(&self, target: Index, anchor: Option<&str>) -> Index {
        let Some(anchor) = anchor else { return target };
        let found = self.scopes.iter().find_map(|resource| self.plan.dynamic.get(&(anchor, *resource)));
        found.copied().unwrap_or(target)
    }

    /// Goes on with a value in the value.
    pub fn descend(&mut self, at: Index, inner: &'v Value, token: Token<'v>, loud: bool) -> Outcome {
        let same = std::mem::replace(&mut self.same, self.open.len());
        if loud {
            self.path.push(token);
        }
        let holds = self.meet(at, inner, loud, None)?;
        if loud {
            self.path.pop();
        }
        self.same = same;
        Ok(holds)
    }

    /// Adds a finding: the keyword does not hold of the value, or without one the part allows nothing.
    #[inline(never)]
    pub fn report(&mut self, at: Index, keyword: Option<&str>, value: &Value, message: String) -> Outcome {
        let (document, mut pointer) = self.plan.place(at);
        let mut expected = self.plan.part(at).map(|part| part.schema);
        if let Some(keyword) = keyword {
            pointer = format!("{pointer}/{}", token(keyword));
            expected = expected.and_then(|schema| schema.get(keyword));
        }
        let finding = Finding {
            path: shown::cut(&self.path(), PATH_BYTES_MAX),
            schema_uri: self.documents.uri(document).map(|uri| shown::cut(uri, PATH_BYTES_MAX)),
            schema_path: Some(shown::cut(&pointer, PATH_BYTES_MAX)),
            assertion: None,
            keyword: keyword.unwrap_or("falseSchema").to_owned(),
            message: shown::cut(&message, MESSAGE_BYTES_MAX),
            expected: expected.map(shown::value),
            actual: Some(shown::value(value)),
        };
        if self.findings.add(finding) { Ok(false) } else { Err(self.bounds.stop(Stop::Full)) }
    }

    /// The JSON pointer of the value in the output.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            path.push('/');
            match step {
                Token::Name(name) => path.push_str(&token(name)),
                Token::Item(index) => path.push_str(&index.to_string()),
            }
        }
        path
    }
}

impl Part<'_> {
    /// How many members or items the value has, if the part asks which of them its rules left over.
    fn left_over(&self, value: &Value) -> Option<usize> {
        let mut last = self.rules.iter().rev().take(2);
        match value {
            Value::Object(members) => {
                last.any(|rule| matches!(rule.kind, Kind::LeftMembers(_))).then_some(members.len())
            }
            Value::Array(items) => last.any(|rule| matches!(rule.kind, Kind::LeftItems(_))).then_some(items.len()),
            _ => None,
        }
    }
}
