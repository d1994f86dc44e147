//! Conversions between the types of this crate and the records of the contract.

use crate::{bindings::contract, call, error::Error, guest::Description};

impl From<contract::Call> for call::Call {
    fn from(call: contract::Call) -> Self {
        let stored = |resource: contract::Stored| call::Stored {
            id: resource.id,
            content_type: resource.content_type,
            bytes: resource.bytes,
        };
        Self {
            request_id: call.request_id,
            deadline_ms: call.deadline_ms,
            now_ms: call.now_ms,
            caller: call.caller,
            resource: call.resource.map(stored),
        }
    }
}

impl From<Error> for contract::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidInput { field, message, .. } => Self::InvalidInput(contract::Invalid { field, message }),
            Error::NotFound(text) => Self::NotFound(text),
            Error::Unavailable(text) => Self::Unavailable(text),
            Error::Upstream(text) => Self::Upstream(text),
            Error::Internal(text) => Self::Internal(text),
            Error::NoProvider(text) => Self::NoProvider(text),
        }
    }
}

impl From<Description> for contract::Description {
    fn from(description: Description) -> Self {
        let example = |(input, output)| contract::Example { input, output };
        Self {
            input_schema: description.input_schema,
            output_schema: description.output_schema,
            examples: description.examples.into_iter().map(example).collect(),
        }
    }
}
