//! What a call is known by: its names, cut to a length, and its place among the open ones.

use std::borrow::{Borrow, Cow};
use std::hash::{Hash, Hasher};

use crate::model::text::is_short_name as is_short;
pub(super) use crate::model::text::short_name;
use crate::model::tool_call::ToolCall;

/// A call with its names cut.
pub(super) fn with_short_names(call: &ToolCall) -> Cow<'_, ToolCall> {
    let others = [&call.run, &call.call, &call.agent];
    if is_short(&call.tool)
        && is_short(&call.session)
        && others.into_iter().all(|name| name.as_deref().is_none_or(is_short))
    {
        return Cow::Borrowed(call);
    }
    let short = |name: &String| short_name(name).into_owned();
    Cow::Owned(ToolCall {
        tool: short(&call.tool),
        session: short(&call.session),
        run: call.run.as_ref().map(short),
        call: call.call.as_ref().map(short),
        agent: call.agent.as_ref().map(short),
        ..call.clone()
    })
}

/// A call as its runtime identifies it among the open ones: session, call id and run, one behind the other in one text.
/// Every call has one, and three texts would cost it more than all else that is done with them.
#[derive(Clone, Debug)]
pub(super) struct CallId {
    text: String,
    /// Where the session ends, and the call id.
    ends: (usize, usize),
    has_run: bool,
}

/// The same, borrowed: what calls are looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallRef<'a> {
    pub(super) session: &'a str,
    pub(super) run: Option<&'a str>,
    pub(super) call: &'a str,
}

impl<'a> CallRef<'a> {
    /// The identity of a call; `None` without a call id: then nothing can be told to be the same.
    pub(super) fn new(session: &'a str, run: Option<&'a str>, call: Option<&'a str>) -> Option<Self> {
        Some(Self { session, run, call: call? })
    }

    pub(super) fn to_owned(self) -> CallId {
        let Self { session, run, call } = self;
        CallId {
            text: [session, call, run.unwrap_or_default()].concat(),
            ends: (session.len(), session.len() + call.len()),
            has_run: run.is_some(),
        }
    }
}

impl ToolCall {
    /// The call among the open ones.
    pub(super) fn id(&self) -> Option<CallRef<'_>> {
        CallRef::new(&self.session, self.run.as_deref(), self.call.as_deref())
    }
}

impl CallId {
    pub(super) fn as_ref(&self) -> CallRef<'_> {
        let part = |from: usize, to: usize| self.text.get(from..to).unwrap_or_default();
        let (session, call) = self.ends;
        CallRef {
            session: part(0, session),
            call: part(session, call),
            run: self.has_run.then(|| part(call, self.text.len())),
        }
    }
}

/// What a call is looked up by, owned or borrowed: a map's way to find an owned key by a borrowed one.
pub(super) trait Identity {
    fn borrowed(&self) -> CallRef<'_>;
}

impl Identity for CallId {
    fn borrowed(&self) -> CallRef<'_> {
        self.as_ref()
    }
}

impl Identity for CallRef<'_> {
    fn borrowed(&self) -> CallRef<'_> {
        *self
    }
}

impl Hash for dyn Identity + '_ {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.borrowed().hash(state);
    }
}

impl PartialEq for dyn Identity + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.borrowed() == other.borrowed()
    }
}

impl Eq for dyn Identity + '_ {}

impl Hash for CallRef<'_> {
    /// The run tells few calls apart that session and call id do not, and every text costs.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.session.as_bytes());
        state.write(self.call.as_bytes());
    }
}

impl Hash for CallId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl PartialEq for CallId {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for CallId {}

impl<'a> Borrow<dyn Identity + 'a> for CallId {
    fn borrow(&self) -> &(dyn Identity + 'a) {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_cut_wherever_one_of_its_names_is_too_long() {
        let named = |long: usize, name: &str| {
            let name_of = |place| if place == long { name } else { "short" }.to_owned();
            ToolCall {
                tool: name_of(0),
                session: name_of(1),
                run: Some(name_of(2)),
                call: Some(name_of(3)),
                agent: Some(name_of(4)),
                ..ToolCall::default()
            }
        };
        for name in ["a".repeat(300), "é".repeat(300), "a".repeat(301), "é".repeat(301)] {
            for place in 0..6 {
                let (call, short) = (named(place, &name), named(place, &short_name(&name)));
                let cut = with_short_names(&call);
                assert_eq!(*cut, short);
                let is_long = place < 5 && name.chars().count() > 300;
                assert_eq!(matches!(cut, Cow::Owned(_)), is_long, "{place} {}", name.len());
            }
        }
    }
}
