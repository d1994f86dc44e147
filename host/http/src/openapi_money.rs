//! The routes of money in the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::error::Code;
use crate::openapi::{Body, HTML, JSON, Operation, keyed, read};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        method: "post",
        path: "/v1/payments/{intent}/credit",
        id: "intentToCredit",
        summary: "What remains of a payment intent becomes prepaid credit of the account that owns it",
        key: true,
        success: (200, JSON),
        errors: &[Code::NotFound, Code::InProgress],
        body: None,
        also: &[],
    },
    Operation {
        method: "post",
        path: "/api/v1/checkout/session",
        id: "openCheckout",
        summary: "Buy prepaid credit, credit for calls of an agent, or a tier",
        key: true,
        success: (201, JSON),
        errors: &[Code::Invalid, Code::ContentType, Code::ProcessorUnset, Code::ProcessorUnclear],
        body: Some(Body::Json("Checkout")),
        also: &[],
    },
    Operation {
        method: "post",
        path: "/v1/withdraw",
        id: "withdraw",
        summary: "Withdraw all whole pence that are available to the connected payout account; 202 while the \
                  processor has not confirmed it",
        key: true,
        success: (200, JSON),
        errors: &[
            Code::BelowMinimum,
            Code::NotConnected,
            Code::ProcessorUnset,
            Code::ProcessorUnclear,
            Code::Blocked,
            Code::AlreadySealed,
            Code::IdempotencyReused,
            Code::InProgress,
            Code::LacksScope,
            Code::ContentType,
        ],
        body: None,
        also: &[],
    },
    keyed(read("/v1/withdrawals", "listWithdrawals", "Withdrawals of the account, newest first", &[])),
    keyed(read(
        "/v1/transactions",
        "listTransactions",
        "Sealed records that concern the account, newest first; a page may be short and not be the last",
        &[],
    )),
    Operation {
        method: "get",
        path: "/account/connect",
        id: "connect",
        summary: "To the payment processor, to connect the account that withdrawals go to",
        key: true,
        success: (303, ""),
        errors: &[Code::ProcessorUnset, Code::LacksScope],
        body: None,
        also: &[],
    },
    Operation {
        method: "get",
        path: "/account/connect/callback",
        id: "connected",
        summary: "Back from the payment processor, with `state` and `code`",
        key: false,
        success: (200, HTML),
        errors: &[Code::Invalid, Code::NotConnected, Code::ProcessorUnset, Code::ProcessorUnclear],
        body: None,
        also: &[],
    },
    Operation {
        method: "get",
        path: "/sandbox/connect",
        id: "sandboxConnect",
        summary: "The sandbox's page for connecting a test account",
        key: false,
        success: (200, HTML),
        errors: &[Code::NotFound],
        body: None,
        also: &[],
    },
    Operation {
        method: "post",
        path: "/v1/payments/stripe/events",
        id: "stripeEvent",
        summary: "Events from Stripe, signed with payments.stripe.webhook_secret",
        key: false,
        success: (200, JSON),
        errors: &[Code::EventSignature, Code::ProcessorUnclear],
        body: Some(Body::Bytes),
        also: &[],
    },
];

pub(super) fn schemas() -> Map<String, Value> {
    let checkout = json!({
        "type": "object",
        "required": ["product"],
        "additionalProperties": false,
        "properties": {
            "product": { "type": "string", "description": "`credit`, `tier:pro` or `agent:<slug>`" },
            "quantity": {
                "type": ["integer", "null"], "minimum": 1, "maximum": 100_000,
                "description": "Pounds of credit, or calls of the agent; 1 unless given",
            },
        },
    });
    Map::from_iter([("Checkout".to_owned(), checkout)])
}
