//! Who asks, and what it may.

use std::ops::Deref;

use callosum_protocol::Speaker;

use crate::tokens::{Rights, Token};

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
    /// Of its token.
    pub(crate) hash: Option<String>,
}

impl Deref for Caller {
    type Target = Speaker;

    fn deref(&self) -> &Speaker {
        &self.speaker
    }
}

impl Caller {
    /// Who has shown a token.
    pub(crate) fn with(token: Token) -> Self {
        Self {
            speaker: Speaker {
                via: format!("token:{}", token.name),
                name: token.name,
                instances: token.instances,
                enforces: token.enforce,
            },
            rights: token.rights,
            is_local: false,
            hash: Some(token.sha256),
        }
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
            hash: None,
        }
    }
}
