//! Placeholders for the server that a client of databases or queues talks to.

use callosum_shell::command::{self, Server, stage};

use super::site::Site;

/// The database, as far as anything says which, else the folder whose settings do, with the environment that is named.
pub(super) fn database(site: Site<'_, '_>) -> Option<String> {
    let variable = |name: &str| site.variable(name);
    match told(site)? {
        Server::Elsewhere { host, database } if host.is_empty() => Some(database),
        Server::Elsewhere { host, database } if database.is_empty() => Some(host),
        Server::Elsewhere { host, database } => Some(format!("{host}/{database}")),
        Server::Untold | Server::Here { .. } => {
            let stage = site.fit.and_then(|fit| stage(fit.command, &variable));
            Some(stage.map_or_else(|| site.folder(), |stage| format!("{}@{stage}", site.folder())))
        }
    }
}

/// The host of the server, or the name of the connection to it.
pub(super) fn server(site: Site<'_, '_>) -> Option<String> {
    match told(site)? {
        Server::Elsewhere { host, database } => {
            Some(if host.is_empty() { database } else { host }).filter(|name| !name.is_empty())
        }
        Server::Untold | Server::Here { .. } => None,
    }
}

fn told(site: Site<'_, '_>) -> Option<Server> {
    Some(command::server(site.fit?.command, &|name| site.variable(name)))
}
