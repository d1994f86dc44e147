//! Endpoints that hand out a record by its id without asking whose it is.

use crate::language::Language;
use crate::remark::Kind::Security;
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    let known = matches!(
        source.language,
        Language::Python | Language::Javascript | Language::Typescript | Language::Php | Language::Ruby
    );
    if !known {
        return;
    }
    for at in 0..source.lines.len() {
        let route = groups(
            r#"(?:@\w+\.(?:route|get|post|put|delete|patch)\(|\b(?:app|router)\.(?:get|post|put|delete|patch)\()\s*["'][^"']*(?:<(?:\w+:)?(\w+)>|:(\w+)|\{(\w+)\})"#,
            source.text(at),
        );
        let Some(name) = route.iter().skip(1).find(|name| !name.is_empty()) else { continue };
        if !name.to_lowercase().ends_with("id") {
            continue;
        }
        let head = (at..(at + 6).min(source.lines.len()))
            .find(|line| is_match(r"\bdef\b|=>|\bfunction\b", source.code(*line)));
        let Some(head) = head else { continue };
        let end = source.block_end(head);
        let body = source.joined(at, end);
        let fetch = (head..end).find(|line| {
            is_match(
                r"\.(?:get_or_404|get|find|findOne|findById|findByPk|filter_by|first|findUnique|get_object_or_404)\(",
                source.code(*line),
            ) && is_match(&format!(r"\b{name}\b"), source.code(*line))
        });
        let signed_in = is_match(
            r"login_required|jwt_required|requireAuth|authenticate|isAuthenticated|auth\b|requireLogin",
            &body,
        );
        let asks = is_match(
            r"current_user|req\.user|request\.user|g\.user|session|owner|user_id|userId|abort\(403|permission|get_jwt_identity|authorize",
            &body,
        );
        if let Some(line) = fetch.filter(|_| signed_in && !asks) {
            let message = format!(
                "no check that the record belongs to the signed-in user: any user can read those of other users by changing `{name}` (IDOR, missing access control)"
            );
            found.push(Remark::new(
                source,
                line,
                (Security, "high"),
                "missing-owner-check",
                message,
                "Compare its owner with the current user, or query only own records.",
            ));
        }
    }
}
