//! Looks at what the journal says: what operators, the page and agents ask.
//!
//! A question is a function over a [`Reader`], which has all that may be looked at for it, as it is at one moment. Readers come from a
//! [`Source`]: a gate that runs, or a [`ReadOnlyView`], which leaves no trace. `questions` is the registry of those that are asked by name.
#![deny(clippy::wildcard_enum_match_arm)]

mod activity;
mod counts;
mod explain;
mod filter;
mod following;
mod head;
mod journal;
mod json_line;
mod leases;
mod limits;
mod line_filter;
mod observed;
mod open_calls;
mod overview;
mod questions;
mod read_only_view;
mod reader;
mod recent;
mod release;
mod request;
mod rules;
mod sessions;
mod simulate;
mod source;
mod standing;
mod status;
mod story;
mod timeline;
mod uncovered;
mod unfinished;
mod webhooks;

pub use self::activity::Activity;
pub use self::counts::{BucketCount, Counts, CountsRequest, RuleCount};
pub use self::explain::{ExplainRequest, ExplainResponse};
pub use self::filter::{ActionWord, Filter, Tiers, action_words};
pub use self::following::Following;
pub use self::head::HeadResponse;
pub use self::journal::JournalPage;
pub use self::leases::LeaseStatus;
pub use self::limits::{LimitStatus, to_look_at};
pub use self::observed::{ByRule, Ended as ObservedEnds, Observed};
pub use self::open_calls::OpenCall;
pub use self::overview::{ContextStatus, CoverageStatus, LostStatus, Overview};
pub use self::questions::{Answered, QUESTIONS, Question, Right, Surface, answer};
pub use self::read_only_view::ReadOnlyView;
pub use self::reader::{Live, Needs, ObservedBy, Reader, WaitingStatus, standing};
pub use self::recent::{RecentAction, RecentActions, RecentRequest};
pub use self::release::Released;
pub use self::rules::RulesInForce;
pub use self::sessions::{Over, Session};
pub use self::simulate::Simulated;
pub use self::source::Source;
pub use self::status::{JournalStatus, RulesStatus, Status};
pub use self::story::{Event, EventKind, Story};
pub use self::timeline::{Timeline, TimelineEvent, TimelineRequest};
pub use self::uncovered::{Kind, Uncovered};
pub use self::unfinished::Unfinished;
pub use self::webhooks::{WebhookState, WebhookStatus};
pub use crate::model::error::{Degraded, QueryError};
