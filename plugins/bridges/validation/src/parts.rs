//! Keywords that hold schemas: which parts meet the value, its members or its items.

use serde_json::{Map, Value};

use crate::{
    checker::{Checker, Outcome, Token},
    finding::Findings,
    limits::{PATH_BYTES_MAX, STEP_BYTES},
    marks::Marks,
    message,
    plan::{Contains, Index, Members, Rule},
    shown,
};

impl<'p, 's, 'v> Checker<'p, 's, 'v> {
    #[inline(never)]
    pub fn required(
        &mut self,
        at: Index,
        rule: &Rule<'s>,
        names: &[Value],
        members: &Map<String, Value>,
        value: &Value,
        loud: bool,
    ) -> Outcome {
        self.bounds.spend_for(names.len())?;
        let mut holds = true;
        for name in names.iter().filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
            if !loud {
                return Ok(false);
            }
            holds = self.report(at, Some(rule.keyword), value, message::required(name))?;
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn dependent_required(
        &mut self,
        at: Index,
        rule: &Rule<'s>,
        lists: &[(&'s str, &'s [Value])],
        members: &Map<String, Value>,
        value: &Value,
        loud: bool,
    ) -> Outcome {
        self.bounds.spend_for(lists.len())?;
        let mut holds = true;
        for (_, names) in lists.iter().filter(|(name, _)| members.contains_key(*name)) {
            holds &= self.required(at, rule, names, members, value, loud)?;
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn members(
        &mut self,
        at: Index,
        all: &Members<'s>,
        members: &'v Map<String, Value>,
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let refused = all.rest.filter(|rest| self.plan.is_false(*rest));
        let mut unexpected = Vec::new();
        let mut holds = true;
        for (index, (name, inner)) in members.iter().enumerate() {
            self.bounds.spend_for(1 + all.matching.len() * (1 + name.len() / STEP_BYTES))?;
            let named = all.named.binary_search_by(|(known, _)| (*known).cmp(name)).ok();
            let named = named.and_then(|found| all.named.get(found)).map(|(_, part)| *part);
            let mut known = named.is_some();
            if let Some(part) = named {
                holds &= self.descend(part, inner, Token::Name(name), loud)?;
            }
            for (_, part) in all.matching.iter().filter(|(pattern, _)| pattern.matches(name)) {
                known = true;
                holds &= self.descend(*part, inner, Token::Name(name), loud)?;
            }
            if let (false, Some(rest)) = (known, all.rest) {
                known = true;
                if refused.is_some() {
                    unexpected.push(name.as_str());
                    holds = false;
                } else {
                    holds &= self.descend(rest, inner, Token::Name(name), loud)?;
                }
            }
            if !holds && !loud {
                return Ok(false);
            }
            if let (true, Some(marks)) = (known, marks.as_deref_mut()) {
                marks.set(index);
            }
        }
        if unexpected.is_empty() {
            return Ok(holds);
        }
        let message = message::unexpected_members("Additional", &unexpected);
        self.report(at, Some("additionalProperties"), value, message)
    }

    /// Each name of a member meets the part; what is found is said of the object.
    #[inline(never)]
    pub fn names(&mut self, part: Index, members: &Map<String, Value>, value: &Value, loud: bool) -> Outcome {
        let mut holds = true;
        for name in members.keys() {
            let mut found = Findings::new(if loud { self.findings.room() } else { 0 });
            let subject = if loud { message::name(name) } else { String::new() };
            let text = Value::String(name.clone());
            let mut aside = self.aside(&mut found, &subject);
            let outcome = aside.meet(part, &text, loud, None);
            self.bounds = aside.bounds;
            self.findings.truncated |= found.truncated;
            for mut finding in found.list {
                finding.path = shown::cut(&self.path(), PATH_BYTES_MAX);
                finding.keyword = "propertyNames".to_owned();
                finding.actual = Some(shown::value(value));
                self.findings.add(finding);
            }
            holds &= outcome?;
            if !holds && !loud {
                return Ok(false);
            }
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn dependent(
        &mut self,
        parts: &[(&'s str, Index)],
        members: &Map<String, Value>,
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        self.bounds.spend_for(parts.len())?;
        let mut holds = true;
        for (_, part) in parts.iter().filter(|(name, _)| members.contains_key(*name)) {
            holds &= self.meet(*part, value, loud, marks.as_deref_mut())?;
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn items(
        &mut self,
        first: &[Index],
        rest: Option<Index>,
        items: &'v [Value],
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let mut holds = true;
        for (index, inner) in items.iter().enumerate() {
            let Some(part) = first.get(index).copied().or(rest) else { break };
            holds &= self.descend(part, inner, Token::Item(index), loud)?;
            if !holds && !loud {
                return Ok(false);
            }
            if let Some(marks) = marks.as_deref_mut() {
                marks.set(index);
            }
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn contains(
        &mut self,
        at: Index,
        contains: &Contains,
        items: &'v [Value],
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let mut fit = 0u64;
        for (index, inner) in items.iter().enumerate() {
            if self.descend(contains.part, inner, Token::Item(index), false)? {
                fit += 1;
                if let Some(marks) = marks.as_deref_mut() {
                    marks.set(index);
                }
            }
        }
        if fit < contains.min.unwrap_or(1) {
            let keyword = if contains.min.is_some() { "minContains" } else { "contains" };
            return self
                .unless_quiet(loud, at, keyword, value, |checker| message::too_few(contains.min, checker.subject));
        }
        match contains.max.filter(|max| fit > *max) {
            Some(max) => {
                self.unless_quiet(loud, at, "maxContains", value, |checker| message::too_many(max, checker.subject))
            }
            None => Ok(true),
        }
    }

    #[inline(never)]
    pub fn all(&mut self, parts: &[Index], value: &'v Value, loud: bool, mut marks: Option<&mut Marks>) -> Outcome {
        let mut holds = true;
        for part in parts {
            holds &= self.meet(*part, value, loud, marks.as_deref_mut())?;
            if !holds && !loud {
                break;
            }
        }
        Ok(holds)
    }

    /// Tries a part; what it looked at counts only if it holds.
    fn attempt(&mut self, part: Index, value: &'v Value, marks: Option<&mut Marks>) -> Outcome {
        let Some(marks) = marks else { return self.meet(part, value, false, None) };
        let mut own = marks.blank();
        self.bounds.spend_for(own.size())?;
        let holds = self.meet(part, value, false, Some(&mut own))?;
        if holds {
            marks.merge(&own);
        }
        Ok(holds)
    }

    #[inline(never)]
    pub fn any(
        &mut self,
        at: Index,
        keyword: &'s str,
        parts: &[Index],
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let mut holds = false;
        for part in parts {
            holds |= self.attempt(*part, value, marks.as_deref_mut())?;
            if holds && marks.is_none() {
                break;
            }
        }
        if holds {
            return Ok(true);
        }
        self.unless_quiet(loud, at, keyword, value, |checker| message::no_alternative(keyword, checker.subject))
    }

    #[inline(never)]
    pub fn one(
        &mut self,
        at: Index,
        keyword: &'s str,
        parts: &[Index],
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let mut holds = false;
        for part in parts {
            if !self.attempt(*part, value, marks.as_deref_mut())? {
                continue;
            }
            if holds {
                return self.unless_quiet(loud, at, keyword, value, |checker| message::more_than_one(checker.subject));
            }
            holds = true;
        }
        if holds {
            return Ok(true);
        }
        self.unless_quiet(loud, at, keyword, value, |checker| message::no_alternative(keyword, checker.subject))
    }

    #[inline(never)]
    pub fn not(&mut self, at: Index, keyword: &'s str, part: Index, value: &'v Value, loud: bool) -> Outcome {
        if !self.meet(part, value, false, None)? {
            return Ok(true);
        }
        self.unless_quiet(loud, at, keyword, value, |checker| {
            let schema = checker.plan.part(part).map_or(&Value::Null, |part| part.schema);
            message::not(schema, checker.subject)
        })
    }

    #[inline(never)]
    pub fn branch(
        &mut self,
        test: Index,
        then: Option<Index>,
        otherwise: Option<Index>,
        value: &'v Value,
        loud: bool,
        mut marks: Option<&mut Marks>,
    ) -> Outcome {
        let next = if self.attempt(test, value, marks.as_deref_mut())? { then } else { otherwise };
        next.map_or(Ok(true), |part| self.meet(part, value, loud, marks))
    }

    #[inline(never)]
    pub fn left_members(
        &mut self,
        at: Index,
        part: Index,
        members: &'v Map<String, Value>,
        value: &'v Value,
        loud: bool,
        marks: Option<&mut Marks>,
    ) -> Outcome {
        self.bounds.spend_for(members.len())?;
        let mut unexpected = Vec::new();
        for (index, (name, inner)) in members.iter().enumerate() {
            let looked_at = marks.as_deref().is_some_and(|marks| marks.has(index));
            if looked_at || self.descend(part, inner, Token::Name(name), false)? {
                continue;
            }
            if !loud {
                return Ok(false);
            }
            unexpected.push(name.as_str());
        }
        if unexpected.is_empty() {
            return Ok(true);
        }
        let message = message::unexpected_members("Unevaluated", &unexpected);
        self.report(at, Some("unevaluatedProperties"), value, message)
    }

    #[inline(never)]
    pub fn left_items(
        &mut self,
        at: Index,
        part: Index,
        items: &'v [Value],
        value: &'v Value,
        loud: bool,
        marks: Option<&mut Marks>,
    ) -> Outcome {
        self.bounds.spend_for(items.len())?;
        let mut unexpected = 0u64;
        for (index, inner) in items.iter().enumerate() {
            let looked_at = marks.as_deref().is_some_and(|marks| marks.has(index));
            if looked_at || self.descend(part, inner, Token::Item(index), false)? {
                continue;
            }
            if !loud {
                return Ok(false);
            }
            unexpected += 1;
        }
        if unexpected == 0 {
            return Ok(true);
        }
        self.report(at, Some("unevaluatedItems"), value, message::unexpected_items(unexpected))
    }

    /// A keyword that does not hold: a finding, unless the check is quiet. What makes its message takes no stack of
    /// what calls this.
    #[inline(never)]
    fn unless_quiet(
        &mut self,
        loud: bool,
        at: Index,
        keyword: &str,
        value: &Value,
        message: impl FnOnce(&Self) -> String,
    ) -> Outcome {
        if !loud {
            return Ok(false);
        }
        let message = message(self);
        self.report(at, Some(keyword), value, message)
    }
}
