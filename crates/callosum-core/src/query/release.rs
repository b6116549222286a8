//! Leases that were ended by hand, as they are shown. A gate ends them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::decision::history::Action as Past;

use super::leases::{LeaseStatus, leases_of};

/// What a release ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Released {
    /// The resource.
    pub key: String,
    /// The leases on it that were ended, oldest first; none when nobody held it. A call that holds several resources
    /// lets go of all of them.
    pub released: Vec<LeaseStatus>,
}

impl Released {
    /// What it was to end the leases on `key` that these actions held.
    #[must_use]
    pub fn of(key: &str, held: &[Past]) -> Self {
        Self { key: key.to_owned(), released: held.iter().flat_map(leases_of).collect() }
    }
}
