//! How far each webhook has come, kept in `webhooks.json`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use callosum_core::store::webhooks_file::{FILE, Webhook as State, WebhooksFile};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::failure::Failure;
use crate::private_file;
use crate::service::Service;

use super::settings::Webhook;

/// What changes within this is written together: after a kill, so much may be delivered once more.
const REST: Duration = Duration::from_secs(1);

/// How far each webhook has come.
#[derive(Debug)]
pub(super) struct States {
    path: PathBuf,
    known: Mutex<BTreeMap<String, State>>,
    changed: Notify,
    /// Held while the file is written: at the end, that may be begun twice.
    writing: Mutex<()>,
}

impl States {
    /// Those of `webhooks`, as the file tells them. Others go, and what was given up begins anew.
    pub(super) fn open(directory: &Path, webhooks: &[Webhook]) -> Result<Self, Failure> {
        let path = directory.join(FILE);
        let failed = |why: String, remedy: &str| {
            Failure::new(format!("`{}` {why}", path.display()), remedy.to_owned())
        };
        let file = WebhooksFile::read(directory).map_err(|why| {
            failed(why, "correct it, or move it away: then webhooks begin with what comes from now on")
        })?;
        let had = file.webhooks;
        let mut known = had.clone();
        known.retain(|name, _| webhooks.iter().any(|webhook| webhook.name == *name));
        for webhook in webhooks {
            if let Some(state) = known.get_mut(&webhook.name) {
                state.target = webhook.url.origin();
                state.failing = None;
            }
        }
        let states = Self {
            path: path.clone(),
            known: Mutex::new(known),
            changed: Notify::new(),
            writing: Mutex::default(),
        };
        if *states.lock() != had {
            states.write().map_err(|error| {
                failed(format!("can't be written: {error}"), "check the permissions and the room on the disk")
            })?;
        }
        Ok(states)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, State>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far a webhook has come; none if it is new.
    pub(super) fn get(&self, name: &str) -> Option<State> {
        self.lock().get(name).cloned()
    }

    /// Changes what is known of a webhook. It is written soon.
    pub(super) fn put(&self, name: &str, state: &State) {
        self.lock().insert(name.to_owned(), state.clone());
        self.changed.notify_one();
    }

    /// Writes it all.
    fn write(&self) -> io::Result<()> {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = WebhooksFile { webhooks: self.lock().clone() };
        private_file::replace(&self.path, &serde_json::to_string_pretty(&file)?)
    }

    /// Writes what changes, again and again.
    pub(super) async fn keep(self: Arc<Self>, service: Arc<Service>) {
        let mut is_well = true;
        loop {
            self.changed.notified().await;
            let states = Arc::clone(&self);
            let written =
                spawn_blocking(move || states.write()).await.unwrap_or_else(|error| Err(error.into()));
            match written {
                Ok(()) => is_well = true,
                Err(error) => {
                    if std::mem::take(&mut is_well) {
                        service.log.note(&format!(
                            "warning: `{}` can't be written: {error}; what webhooks deliver now, they deliver again after a restart",
                            self.path.display()
                        ));
                    }
                    self.changed.notify_one();
                }
            }
            sleep(REST).await;
        }
    }

    /// Writes it all for the last time.
    pub(super) fn close(&self) {
        if !self.lock().is_empty() {
            // What it does not tell is delivered once more.
            let _ = self.write();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn of_two_that_write_at_once_each_leaves_a_whole_file() {
        let directory = tempfile::tempdir().unwrap();
        let states = States::open(directory.path(), &[]).unwrap();
        std::thread::scope(|scope| {
            for begin in [0, 1_000] {
                let states = &states;
                scope.spawn(move || {
                    for length in begin..begin + 50 {
                        let target = "x".repeat(length);
                        states.put("ci", &State { target, ..State::default() });
                        states.write().unwrap();
                    }
                });
            }
        });
        let kept = WebhooksFile::read(directory.path()).unwrap().webhooks;
        assert_eq!(kept, *states.lock());
    }
}
