//! Who asks, and for which instances it may speak.

use callosum_core::decision::history::Who;
use callosum_core::model::text::one_line;

/// What the instances of callers begin with: nobody can speak as a gateway of this machine.
const ROOM: &str = "http";
const MAX_INSTANCE: usize = 60;

/// Who asks.
#[derive(Clone, Debug)]
pub struct Speaker {
    /// Under which its instances live.
    pub name: String,
    /// The instances under its name that it speaks for; all when there is none.
    pub instances: Vec<String>,
    /// By what right it asks, as the journal tells it.
    pub via: String,
    /// Its calls of tier 3 are paused, not only warned of.
    pub enforces: bool,
}

impl Speaker {
    /// Whoever asks a gateway: what it knows them by binds nobody to an instance.
    #[must_use]
    pub fn of_gateway() -> Self {
        let name = Self::GATEWAY.to_owned();
        Self { via: name.clone(), name, instances: Vec::new(), enforces: false }
    }

    /// The name of those who ask a gateway; no token has it.
    pub const GATEWAY: &str = "gateway";

    /// The instance that it speaks for when it names none: its own name, or the only one that it may speak for.
    ///
    /// # Errors
    /// When it speaks for several.
    pub fn own_instance(&self) -> Result<String, NotYours> {
        match self.instances.as_slice() {
            [] => Ok(format!("{ROOM}/{}", self.name)),
            [only] => Ok(self.full(only)),
            several => Err(NotYours::Ambiguous(several.join(", "))),
        }
    }

    /// The instance that it calls `name`.
    ///
    /// # Errors
    /// When it may not speak for that, or there can't be one of this name.
    pub fn instance(&self, name: &str) -> Result<String, NotYours> {
        check_instance(name).map_err(NotYours::Wrong)?;
        if !self.instances.is_empty() && !self.instances.iter().any(|own| own == name) {
            return Err(NotYours::Others(self.instances.join(", ")));
        }
        Ok(self.full(name))
    }

    /// A session of the instance that it calls `name`.
    ///
    /// # Errors
    /// As [`Speaker::instance`].
    pub fn who(&self, name: &str, session: Option<&str>) -> Result<Who, NotYours> {
        Ok(Who::here(&self.instance(name)?, session.unwrap_or(name)))
    }

    fn full(&self, name: &str) -> String {
        format!("{ROOM}/{}/{name}", self.name)
    }

    /// Whether it speaks for an instance, by its full name.
    #[must_use]
    pub fn owns(&self, instance: &str) -> bool {
        let own = format!("{ROOM}/{}", self.name);
        let Some(rest) = instance.strip_prefix(&own) else { return false };
        match rest.strip_prefix('/') {
            None => rest.is_empty() && self.instances.is_empty(),
            Some(name) => self.instances.is_empty() || self.instances.iter().any(|own| own == name),
        }
    }

    /// An instance as this caller calls it: by the last part of the name if it lives under its own, else in full.
    #[must_use]
    pub fn name_of<'i>(&self, instance: &'i str) -> &'i str {
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
pub enum NotYours {
    /// It may speak only for these.
    Others(String),
    /// It may speak for several, and says not for which.
    Ambiguous(String),
    /// It can't be the name of one: a clause.
    Wrong(&'static str),
}

/// Whether `name` can be an instance's name below a caller's.
///
/// # Errors
/// Why not: a clause.
pub fn check_instance(name: &str) -> Result<(), &'static str> {
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
