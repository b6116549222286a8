//! `/lock`, taken and given back.

use callosum_core::decision::history::Who;
use callosum_core::gate::{Gate, Lease, NotAdmitted};
use callosum_core::model::text::one_line;
use callosum_core::model::tier::Tier;
use callosum_core::model::time::{Stamp, to_rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Evidence, Refused, Speaker, check_name};

/// Characters of a session's name that an answer tells.
const SESSION_CHARS: usize = 80;

/// A lease that is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockRequest {
    /// For whom.
    instance: String,
    /// Of which resource.
    context_key: String,
    /// The tier of what is to be done, 0 to 4; 3 if nothing is said.
    tier: Option<u8>,
    /// The session within the instance. Its own calls go through while it holds the lease; others' are stopped.
    session: Option<String>,
}

/// Whether it was taken.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LockAnswer {
    acquired: bool,
    /// Who holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<Evidence>,
    /// When it ends: RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// For whom a lease is given back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct UnlockRequest {
    /// Who holds it.
    instance: Option<String>,
    /// The session that took it, if one was named. Then its calls keep their leases.
    session: Option<String>,
}

/// Whether it was given back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnlockAnswer {
    ok: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A lease that is to be taken.
#[derive(Clone, Debug)]
pub struct Taking {
    who: Who,
    key: String,
    tier: Tier,
    via: String,
}

impl LockRequest {
    /// What is to be taken for `speaker`.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn taking(self, speaker: &Speaker) -> Result<Taking, Refused> {
        self.session.as_deref().map_or(Ok(()), |session| check_name("session", session))?;
        let who = speaker.who(&self.instance, self.session.as_deref())?;
        let key = key(self.context_key)?;
        let tier = Tier::try_from(self.tier.unwrap_or(3))
            .map_err(|_| Refused::field("tier", "expected a whole number from 0 to 4"))?;
        Ok(Taking { who, key, tier, via: speaker.via.clone() })
    }
}

impl Taking {
    /// Takes it, unless another instance holds it.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn take(&self, gate: &Gate, now: &Stamp) -> Result<Lease, NotAdmitted> {
        gate.take_lease((&self.who, &self.key), self.tier, &self.via, now)
    }
}

impl LockAnswer {
    /// What `speaker` is told of what became of it.
    #[must_use]
    pub fn of(speaker: &Speaker, lease: &Lease) -> Self {
        let none = Self { acquired: false, conflict: None, expires_at: None };
        match lease {
            Lease::Until(end) => Self { acquired: true, expires_at: Some(to_rfc3339(*end)), ..none },
            Lease::HeldBy(others) => {
                let name = |instance: &str| speaker.name_of(instance).to_owned();
                Self { conflict: others.first().map(|fact| Evidence::of(fact, name)), ..none }
            }
            Lease::Free => none,
        }
    }
}

/// What is to be given back.
#[derive(Clone, Debug)]
pub struct Giving {
    who: Who,
    with_calls: bool,
    key: String,
    via: String,
}

impl UnlockRequest {
    /// What of the resource `held` is to be given back for `speaker`. Not every client can send a body with DELETE, so instance and
    /// session may stand in the address as well.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn giving(
        self,
        speaker: &Speaker,
        held: String,
        in_address: [Option<String>; 2],
    ) -> Result<Giving, Refused> {
        let [instance, session] = in_address;
        let session = self.session.or(session);
        let instance = self.instance.or(instance).ok_or_else(|| {
            Refused::field(
                "instance",
                "it is missing; expected it in the body, or as `?instance=` in the address",
            )
        })?;
        session.as_deref().map_or(Ok(()), |session| check_name("session", session))?;
        let who = speaker.who(&instance, session.as_deref())?;
        Ok(Giving { who, with_calls: session.is_none(), key: key(held)?, via: speaker.via.clone() })
    }
}

impl Giving {
    /// Gives it back.
    ///
    /// # Errors
    /// When the state can't be used.
    pub fn give_back(&self, gate: &Gate, now: &Stamp) -> Result<Lease, NotAdmitted> {
        gate.give_back((&self.who, &self.key), self.with_calls, &self.via, now)
    }

    /// What `speaker` is told of what became of it.
    #[must_use]
    pub fn answer(&self, speaker: &Speaker, lease: &Lease) -> UnlockAnswer {
        match lease {
            Lease::HeldBy(others) => {
                let holder = others.first().map_or_else(
                    || "another instance".to_owned(),
                    |fact| match speaker.name_of(&fact.who.instance) {
                        own if fact.who.is_of(&self.who.instance) => {
                            format!("session {} of {own}", one_line(&fact.who.session, SESSION_CHARS))
                        }
                        other => other.to_owned(),
                    },
                );
                let error =
                    format!("`{}` is held by {holder}, and only its holder can give it back", self.key);
                UnlockAnswer { ok: false, error: Some(error) }
            }
            Lease::Free | Lease::Until(_) => UnlockAnswer { ok: true, error: None },
        }
    }
}

fn key(key: String) -> Result<String, Refused> {
    if key.trim().is_empty() {
        return Err(Refused::field("contextKey", "it is empty; expected the name of a resource"));
    }
    Ok(key)
}
