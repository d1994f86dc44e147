//! `GET /v1/platform rules`: the revenue split, as sealed.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use tollbridge_api::operation::Operation;
use tollbridge_core::money::Share;
use tollbridge_web::{AppState, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    // The specification writes the path with a space; clients send it as %20.
    let operation = Operation::new("platformRules", "Revenue split", "The revenue split, as sealed in the ledger.")
        .alias("/v1/platform rules")
        .alias("/v1/platform%20rules")
        .answer::<PlatformRules>(200, "The split");
    Routes::new("ledger").get("/v1/platform-rules", rules, operation)
}

/// The revenue split, as sealed in the ledger.
#[derive(Serialize, JsonSchema)]
struct PlatformRules {
    #[schemars(extend("const" = "platform"))]
    layer: &'static str,
    earnings_floor_pct: Number,
    platform_fee_pct: Number,
    description: String,
    worm_sealed: bool,
    immutable: bool,
    worm_seal: String,
    split: SplitPercentages,
}

/// Shares of the margin of a paid call.
#[derive(Serialize, JsonSchema)]
struct SplitPercentages {
    developer_pct: Number,
    platform_pct: Number,
    treasury_pct: Number,
}

async fn rules(State(app): State<Arc<AppState>>) -> Json<PlatformRules> {
    let split = app.notary.policy();
    Json(PlatformRules {
        layer: "platform",
        earnings_floor_pct: percent(split.floor_tenths()),
        platform_fee_pct: percent(split.tenths(Share::Treasury)),
        description: format!(
            "The developer receives {}% of the margin of every paid call, the platform {}% and the treasury {}%. \
             The developer's share never falls below {}%; no request can change it.",
            percent(split.tenths(Share::Developer)),
            percent(split.tenths(Share::Platform)),
            percent(split.tenths(Share::Treasury)),
            percent(split.floor_tenths()),
        ),
        worm_sealed: true,
        immutable: true,
        worm_seal: hex::encode(app.notary.policy_seal()),
        split: SplitPercentages {
            developer_pct: percent(split.tenths(Share::Developer)),
            platform_pct: percent(split.tenths(Share::Platform)),
            treasury_pct: percent(split.tenths(Share::Treasury)),
        },
    })
}

/// Tenths of a percent as a JSON number: 800 is 80, 175 is 17.5.
fn percent(tenths: u16) -> Number {
    let text =
        if tenths.is_multiple_of(10) { format!("{}", tenths / 10) } else { format!("{}.{}", tenths / 10, tenths % 10) };
    text.parse().unwrap_or_else(|_| Number::from(0))
}
