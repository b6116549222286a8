//! Tokens: who may ask over TCP, and what. `tokens.json` in the state directory keeps their hashes, and is looked at for a request
//! unless it was in the last millisecond, so that a new token counts at once, and a revoked one no more.

pub(crate) mod command;

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use callosum_core::model::time::from_rfc3339;
pub(crate) use callosum_protocol::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::private_file;

/// The file in the state directory.
const FILE: &str = "tokens.json";
/// It is never larger than this.
const MAX_FILE: u64 = 4 << 20;
/// Bytes of a token that are looked at: one is far shorter.
const MAX_TOKEN: usize = 1_024;

/// How long what the file told holds without another look at it.
const LOOKED_LATELY: Duration = Duration::from_millis(1);

/// What a token may. `read` < `act` < `operate`; `join` stands apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Rights {
    /// To ask what sessions did.
    Read,
    /// To make calls, too.
    Act,
    /// To change what others may do next, too.
    Operate,
    /// To join a machine, and nothing else.
    Join,
}

impl Rights {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Act => "act",
            Self::Operate => "operate",
            Self::Join => "join",
        }
    }

    /// Whether who has these has `wanted` as well.
    pub(crate) fn include(self, wanted: Self) -> bool {
        let step = |rights| match rights {
            Self::Join => None,
            Self::Read => Some(0),
            Self::Act => Some(1),
            Self::Operate => Some(2),
        };
        match (step(self), step(wanted)) {
            (Some(has), Some(wanted)) => has >= wanted,
            _ => self == wanted,
        }
    }
}

/// A token as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Token {
    pub(crate) name: String,
    /// The SHA-256 of its text, in hex.
    pub(crate) sha256: String,
    pub(crate) rights: Rights,
    /// The instances that it speaks for; all under its name when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) instances: Vec<String>,
    /// Its calls of tier 3 through the five endpoints are paused, not only warned of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) enforce: bool,
    /// RFC 3339.
    pub(crate) created_at: String,
    /// RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<String>,
}

impl Token {
    pub(crate) fn is_expired(&self, wall_ms: i64) -> bool {
        // One that can't be read has passed.
        self.expires_at.as_deref().is_some_and(|end| from_rfc3339(end).is_none_or(|end| end <= wall_ms))
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    tokens: Vec<Token>,
}

/// The tokens as the file tells them.
#[derive(Debug)]
pub(crate) struct Tokens {
    path: PathBuf,
    read: Mutex<Option<Read>>,
}

/// What the file told.
#[derive(Debug)]
struct Read {
    tokens: Arc<Vec<Token>>,
    /// Of which version, and when that was last seen to be there.
    of: Facts,
    looked: Instant,
}

/// What tells one version of the file from another: it is replaced, never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Tokens {
    /// Those of a state directory.
    pub(crate) fn of(directory: &Path) -> Self {
        Self { path: directory.join(FILE), read: Mutex::default() }
    }

    /// All that are kept, as the file tells them now.
    ///
    /// # Errors
    /// When it can't be read, others may read or write it, or it is not what this program writes.
    pub(crate) fn all(&self) -> io::Result<Arc<Vec<Token>>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = &*read
            && read.looked.elapsed() < LOOKED_LATELY
        {
            return Ok(Arc::clone(&read.tokens));
        }
        let looked = Instant::now();
        let facts = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            facts => facts?,
        };
        let now =
            Facts { inode: facts.ino(), size: facts.size(), modified: (facts.mtime(), facts.mtime_nsec()) };
        if let Some(read) = &mut *read
            && read.of == now
        {
            read.looked = looked;
            return Ok(Arc::clone(&read.tokens));
        }
        let wrong = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        if !facts.is_file() || facts.size() > MAX_FILE {
            return Err(wrong("it is no regular file of at most 4 MiB"));
        }
        if facts.mode() & 0o077 != 0 {
            return Err(wrong("others may read or write it: run `chmod 600` on it"));
        }
        let mut text = String::new();
        File::open(&self.path)?.take(MAX_FILE).read_to_string(&mut text)?;
        let kept: Kept = serde_json::from_str(&text)?;
        let tokens = Arc::new(kept.tokens);
        *read = Some(Read { tokens: Arc::clone(&tokens), of: now, looked });
        Ok(tokens)
    }

    /// Whether the token of this hash is still kept, and has not expired.
    ///
    /// # Errors
    /// As [`Tokens::all`].
    pub(crate) fn has(&self, sha256: &str, wall_ms: i64) -> io::Result<bool> {
        Ok(self.all()?.iter().any(|token| token.sha256 == sha256 && !token.is_expired(wall_ms)))
    }

    /// Puts `tokens` in the place of those that are kept, in one step.
    fn replace(&self, tokens: Vec<Token>) -> io::Result<()> {
        private_file::replace(&self.path, &serde_json::to_string_pretty(&Kept { tokens })?)
    }
}

/// The one of `tokens` that has this text. Takes as long for one that is nearly right as for one that is not.
pub(crate) fn find<'t>(tokens: &'t [Token], given: &str) -> Option<&'t Token> {
    let hash = hash(given.get(..given.len().min(MAX_TOKEN)).unwrap_or_default());
    let mut found = None;
    for token in tokens {
        if bool::from(token.sha256.as_bytes().ct_eq(hash.as_bytes())) {
            found = Some(token);
        }
    }
    found
}

/// The SHA-256 of a token's text, in hex.
fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
