//! HTML.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Security};

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "html.alt",
        (Defect, "medium"),
        (r"(?i)<img\b[^>]*>", r"(?i)\balt="),
        "the image has no alt text (accessibility)",
        "Give it an alt attribute.",
    )
    .in_text(),
    rule(
        "html.noopener",
        (Security, "low"),
        (r#"(?i)target=["']?_blank"#, r"(?i)noopener|noreferrer"),
        "target=_blank without rel=noopener",
        "Add rel=\"noopener\".",
    )
    .in_text(),
    rule(
        "html.http",
        (Security, "medium"),
        (r#"(?i)<(?:script|link|form|iframe)\b[^>]*(?:src|href|action)=["']http://"#, ""),
        "content over plain http (mixed content)",
        "Use https.",
    )
    .in_text(),
];
