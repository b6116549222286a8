//! Risk tiers: how much a tool call may cost when it is done twice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The risk tier of a tool call, 0 to 4; written as its number in `tiers.json` and in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
pub enum Tier {
    /// Reads: logged.
    None = 0,
    /// Local writes and shell commands: logged.
    Low = 1,
    /// Messages: logged with start and outcome, and evidence for higher tiers.
    Medium = 2,
    /// Mail, schedules, publishing: checked against the journal, and leased.
    High = 3,
    /// What can't be taken back: blocked, besides, while another call holds the resource.
    Critical = 4,
}

impl Tier {
    /// Whether the call's start and outcome are both journaled, so that it can be evidence.
    #[must_use]
    pub fn is_tracked(self) -> bool {
        self >= Self::Medium
    }

    /// Whether the call is checked against the journal and takes a lease.
    #[must_use]
    pub fn is_guarded(self) -> bool {
        self >= Self::High
    }
}

impl From<Tier> for u8 {
    fn from(tier: Tier) -> Self {
        tier as Self
    }
}

impl TryFrom<u8> for Tier {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        match number {
            0 => Ok(Self::None),
            1 => Ok(Self::Low),
            2 => Ok(Self::Medium),
            3 => Ok(Self::High),
            4 => Ok(Self::Critical),
            _ => Err(format!("tier {number} does not exist: tiers are 0 to 4")),
        }
    }
}
