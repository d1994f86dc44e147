//! One right and one wrong answer of each agent.

use serde_json::Value;

use super::{AGENTS, mistake};

/// Agent, expected facts, right answer, wrong answer.
const ANSWERS: &str = r#"[
["analytics:anomaly-detection", {"at": ["Fig|figs", 2], "level_change": 7},
 {"anomalies": [{"index": 5, "label": "Figs"}, {"index": 2}], "level_changes": [{"at": 7}]},
 {"anomalies": [{"index": 5, "label": "Figs"}, {"index": 2}, {"index": 3}], "level_changes": [{"at": 7}]}],
["analytics:forecast", {"steps": 2, "values": [[9, 11]], "period": "year|yearly", "labels": ["2024"],
  "direction": "up"},
 {"forecast": [{"value": 10.5, "label": "2024"}, {"value": 11}], "period": 1, "frequency": "year", "last_value": 10},
 {"forecast": [{"value": 10.5, "label": "2024"}, {"value": 10.1}], "frequency": "year", "last_value": 10}],
["classification", {"labels": ["spam", "Überweisung"]},
 {"texts": [{"label": "SPAM"}, {"label": "uberweisung"}]}, {"texts": [{"label": "spam"}]}],
["code:review", {"defects": [{"line": 3, "contains": ["off by one", "boundary"]}], "not": ["unused"]},
 {"remarks": [{"line": 4, "message": "off-by-one"}]}, {"remarks": [{"line": 5, "message": "off-by-one"}]}],
["coding", {"language": "python", "function": "f"},
 {"language": "Python", "code": "def f(x): pass", "parses": true},
 {"language": "Python", "code": "def of(x): pass", "parses": true}],
["compliance:audit", {"findings": [{"item": "law", "present": true, "evidence": "Swiss law"}]},
 {"items": [{"name": "Governing law", "evidence": ["… Swiss law …"]}]},
 {"items": [{"name": "Governing law", "present": false, "evidence": ["Swiss law"]}]}],
["data:aggregation", {"numbers": {"sum": 1234.5}, "groups": {"North 2024": [10, 20]}, "columns": ["Region"]},
 {"summary": "In all 1’234.50.", "groups": [{"of": {"a": 2024, "b": "north"}, "sums": {"x": 10, "y": 20}}],
  "columns": [{"name": "region"}]},
 {"summary": "In all 1’234.50.", "groups": [{"of": {"b": "north"}, "sums": {"x": 10, "y": 20}}],
  "columns": [{"name": "region"}]}],
["data:extraction", {"fields": {"invoice number": "INV 1", "total": 1234.5, "date": null}},
 {"values": {"Invoice-Number": "INV1", "total": "EUR 1.234,50"}},
 {"values": {"Invoice-Number": "INV1", "total": "EUR 1.234,60"}}],
["data:validation", {"problems": [{"row": 3, "field": "email", "kind": "format|type"}], "clean_rows": [1]},
 {"problems": [{"rows": [3], "place": "column email", "kind": "format"}]},
 {"problems": [{"rows": [3, 1], "place": "column email", "kind": "format"}]}],
["general", {"skill": "sentiment", "facts": {"labels": ["positive"]}},
 {"skill": "sentiment", "answer": {"label": "positive"}}, {"skill": "sentiment", "answer": {"label": "negative"}}],
["pricing:optimization", {"decision": "raise|keep", "price": [9, 11], "elasticity": [-2, -1], "compare": "B|9"},
 {"decision": "change", "price": 10, "current_price": 9, "elasticity": {"estimate": -1.5}, "best_in_data": 9.01},
 {"decision": "change", "price": 10, "current_price": 11, "elasticity": {"estimate": -1.5}, "best_in_data": 9.01}],
["research:citation", {"claims": [{"claim": "rail", "finding": "supported"}],
  "references": [{"contains": "10.1000/1", "valid": true}], "formatted": ["Doe, J."]},
 {"claims": [{"claim": "Rail grew.", "finding": "supported"}],
  "references": [{"doi": "10.1000/1", "ok": true, "formatted": "Doe, J. (2001)"}]},
 {"claims": [{"claim": "Rail grew.", "finding": "supported"}],
  "references": [{"doi": "10.1000/1", "ok": false, "formatted": "Doe, J. (2001)"}]}],
["sales:lead-scoring", {"order": ["Ann", "Bob"], "higher": [["Ann", "Bob"]], "merged": [["Ann", "A. B."]], "count": 2},
 {"ranking": [{"lead": "Ann B", "score": 2, "merged": ["Ann", "A. B."]}, {"lead": "Bob", "score": 1}]},
 {"ranking": [{"lead": "Ann B", "score": 1, "merged": ["Ann", "A. B."]}, {"lead": "Bob", "score": 1}]}],
["sentiment", {"labels": ["mixed"], "aspects": {"battery": "positive"}},
 {"label": "mixed", "aspects": [{"name": "the battery", "score": 0.5}]},
 {"label": "mixed", "aspects": [{"name": "the battery", "score": 0.05}]}],
["summarization", {"must": [["12 April", "April 12"]], "must_not": ["May"], "bullets": 2, "sentences_max": 2},
 {"summary": "- It opens on April 12.\n1) Perhaps."}, {"summary": "It opens on April 12. It may close."}],
["translation", {"translations": [["un", "une"]], "keep": ["{name}"]},
 {"items": [{"translation": "Une, {name}"}]}, {"translation": "Une, {nom}"}],
["video:evaluation", {"findings": [{"contains": ["too fast"], "cue": "2|3"}], "facts": {"pace": 150},
  "verdict": "poor"},
 {"findings": [{"kind": "too_fast", "cues": [1, 3]}], "summary": "150.5 words a minute", "score": 69},
 {"findings": [{"kind": "too_fast", "cues": [1, 4]}], "summary": "150.5 words a minute", "score": 69}]
]"#;

#[test]
fn right_and_wrong_answers_are_distinguished() {
    let answers: Vec<(String, Value, Value, Value)> = serde_json::from_str(ANSWERS).unwrap();
    assert_eq!(answers.iter().map(|(agent, ..)| agent.as_str()).collect::<Vec<_>>(), AGENTS);
    for (agent, expect, right, wrong) in &answers {
        assert_eq!(mistake(agent, right, expect), None, "{agent}");
        assert_ne!(mistake(agent, wrong, expect), None, "{agent}");
        assert_ne!(mistake(agent, &Value::Null, expect), None, "{agent}");
    }
}

#[test]
fn an_answer_to_what_cannot_be_answered_is_wrong() {
    assert!(mistake("sentiment", &serde_json::json!({}), &serde_json::json!({"ask": ["which"]})).is_some());
    assert!(mistake("unknown", &serde_json::json!({}), &serde_json::json!({})).is_some());
}
