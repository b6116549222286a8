//! Who asks, and what it may.

use std::collections::HashMap;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use callosum_protocol::Speaker;

use crate::tokens::{Rights, Token, Tokens, find};

/// What callers on the socket are called.
pub(crate) const LOCAL: &str = "local";

/// Who asks: a speaker, and what it may.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// For whom it speaks.
    pub(crate) speaker: Speaker,
    pub(crate) rights: Rights,
    /// It came by the socket.
    pub(crate) is_local: bool,
    /// What it has shown.
    token: Option<Token>,
}

/// Who the tokens are that were shown. Each is hashed once for a version of the file: that takes longer than all else that tells who
/// asks.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Which version of the file.
    tokens: Arc<Vec<Token>>,
    /// By their tokens' texts: no more than there are tokens. A text that is nearly right is not nearly found.
    callers: HashMap<String, Arc<Caller>>,
}

impl Callers {
    /// Who shows this token, unless it has expired.
    ///
    /// # Errors
    /// As [`Tokens::all`].
    pub(crate) fn find(&self, tokens: &Tokens, given: &str, wall_ms: i64) -> io::Result<Option<Arc<Caller>>> {
        let tokens = tokens.all()?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&known.tokens, &tokens) {
            *known = Known { tokens, callers: HashMap::new() };
        }
        let Known { tokens, callers } = &mut *known;
        let caller = match callers.get(given) {
            Some(caller) => Arc::clone(caller),
            None => {
                let Some(token) = find(tokens, given) else { return Ok(None) };
                let caller = Arc::new(Caller::with(token.clone()));
                callers.insert(given.to_owned(), Arc::clone(&caller));
                caller
            }
        };
        Ok(Some(caller).filter(|caller| !caller.is_expired(wall_ms)))
    }
}

impl Deref for Caller {
    type Target = Speaker;

    fn deref(&self) -> &Speaker {
        &self.speaker
    }
}

impl Caller {
    /// Who has shown a token.
    fn with(token: Token) -> Self {
        Self {
            speaker: Speaker {
                via: format!("token:{}", token.name),
                name: token.name.clone(),
                instances: token.instances.clone(),
                enforces: token.enforce,
            },
            rights: token.rights,
            is_local: false,
            token: Some(token),
        }
    }

    fn is_expired(&self, wall_ms: i64) -> bool {
        self.token.as_ref().is_some_and(|token| token.is_expired(wall_ms))
    }

    /// Whether what it showed still counts.
    pub(crate) fn still_counts(&self, tokens: &Tokens, wall_ms: i64) -> bool {
        self.token.as_ref().is_none_or(|token| tokens.has(&token.sha256, wall_ms).unwrap_or(false))
    }

    /// Who came by the socket: an agent's process, or somebody else of this user.
    pub(crate) fn local(is_agent: bool) -> Self {
        Self {
            speaker: Speaker {
                name: LOCAL.to_owned(),
                instances: Vec::new(),
                via: if is_agent { "process" } else { "operator" }.to_owned(),
                enforces: false,
            },
            rights: if is_agent { Rights::Act } else { Rights::Operate },
            is_local: true,
            token: None,
        }
    }
}
