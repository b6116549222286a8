//! Who asks, and for whom it may speak.

use callosum_core::decision::history::Who;
use callosum_core::model::text::one_line;

use crate::tokens::{Rights, Token};

/// What callers on the socket are called.
pub(crate) const LOCAL: &str = "local";
/// What the instances of callers begin with: nobody can speak as a gateway of this machine.
const ROOM: &str = "http";
const MAX_INSTANCE: usize = 60;

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The token's name.
    pub(crate) name: String,
    pub(crate) rights: Rights,
    /// The instances under its name that it speaks for; all when there is none.
    instances: Vec<String>,
    /// As the journal tells it.
    pub(crate) via: String,
    /// Its calls of tier 3 through the five endpoints are paused.
    pub(crate) enforce: bool,
    /// It came by the socket.
    pub(crate) is_local: bool,
    /// Of its token.
    pub(crate) hash: Option<String>,
}

impl Caller {
    /// Who has shown a token.
    pub(crate) fn with(token: Token) -> Self {
        Self {
            via: format!("token:{}", token.name),
            name: token.name,
            rights: token.rights,
            instances: token.instances,
            enforce: token.enforce,
            is_local: false,
            hash: Some(token.sha256),
        }
    }

    /// Who came by the socket: an agent's process, or somebody else of this user.
    pub(crate) fn local(is_agent: bool) -> Self {
        Self {
            name: LOCAL.to_owned(),
            rights: if is_agent { Rights::Act } else { Rights::Operate },
            instances: Vec::new(),
            via: if is_agent { "process" } else { "operator" }.to_owned(),
            enforce: false,
            is_local: true,
            hash: None,
        }
    }

    /// The instance that it speaks for when it names none: its own name, or the only one that it may speak for.
    pub(crate) fn own_instance(&self) -> Result<String, NotYours> {
        match self.instances.as_slice() {
            [] => Ok(format!("{ROOM}/{}", self.name)),
            [only] => Ok(self.full(only)),
            several => Err(NotYours::Ambiguous(several.join(", "))),
        }
    }

    /// The instance that it calls `name`.
    pub(crate) fn instance(&self, name: &str) -> Result<String, NotYours> {
        check_instance(name).map_err(NotYours::Wrong)?;
        if !self.instances.is_empty() && !self.instances.iter().any(|own| own == name) {
            return Err(NotYours::Others(self.instances.join(", ")));
        }
        Ok(self.full(name))
    }

    /// A session of the instance that it calls `name`.
    pub(crate) fn who(&self, name: &str, session: Option<&str>) -> Result<Who, NotYours> {
        Ok(Who::here(&self.instance(name)?, session.unwrap_or(name)))
    }

    fn full(&self, name: &str) -> String {
        format!("{ROOM}/{}/{name}", self.name)
    }

    /// Whether it speaks for an instance, by its full name.
    pub(crate) fn owns(&self, instance: &str) -> bool {
        let own = format!("{ROOM}/{}", self.name);
        let Some(rest) = instance.strip_prefix(&own) else { return false };
        match rest.strip_prefix('/') {
            None => rest.is_empty() && self.instances.is_empty(),
            Some(name) => self.instances.is_empty() || self.instances.iter().any(|own| own == name),
        }
    }

    /// An instance as this caller calls it: by the last part of the name if it lives under its own, else in full.
    pub(crate) fn name_of<'i>(&self, instance: &'i str) -> &'i str {
        instance
            .strip_prefix(ROOM)
            .and_then(|rest| rest.strip_prefix('/'))
            .and_then(|rest| rest.strip_prefix(self.name.as_str()))
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(instance)
    }
}

/// Why a caller can't speak for an instance.
#[derive(Debug)]
pub(crate) enum NotYours {
    /// It may speak only for these.
    Others(String),
    /// It may speak for several, and says not for which.
    Ambiguous(String),
    /// It can't be the name of one: a clause.
    Wrong(&'static str),
}

/// Whether `name` can be an instance's name below a token's.
///
/// # Errors
/// Why not: a clause.
pub(crate) fn check_instance(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("it is empty")
    } else if name.chars().count() > MAX_INSTANCE {
        Err("it has more than 60 characters")
    } else if name.contains('/') {
        Err("it has a `/`")
    } else if one_line(name, MAX_INSTANCE) != name {
        // The journal would tell it otherwise.
        Err("it has characters that can't be shown, or spaces around it")
    } else {
        Ok(())
    }
}
