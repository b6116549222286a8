//! The identity of a repository, from any of the addresses it has.

use std::path::Path;

use percent_encoding::percent_decode_str;

use crate::place::path_from;

/// Who a repository is: `github.com/acme/app` for `git@github.com:acme/app.git`, `https://github.com/Acme/app` and
/// `ssh://git@ssh.github.com:443/acme/app/`; a path for one of this machine. `host_of` is what SSH makes of a host's name,
/// `base` where a path without a start begins. `None` for what is no address.
#[must_use]
pub(super) fn identity(
    address: &str,
    base: &Path,
    home: Option<&Path>,
    host_of: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let address = address.trim();
    if address.is_empty() || address.chars().any(char::is_control) {
        return None;
    }
    let Some((scheme, rest)) = address.split_once("://") else {
        return match scp_like(address) {
            Some((host, path)) => remote(Scheme::Ssh, host, path, host_of),
            // `ext::`, `gcrypt::` and the like: a helper's own business.
            None if address.contains("::") => None,
            None => Some(local(&path_from(base, address, home))),
        };
    };
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "ssh" | "git+ssh" | "ssh+git" => Scheme::Ssh,
        "https" | "http" => Scheme::Web,
        "git" => Scheme::Git,
        "file" => {
            let path = rest.strip_prefix("localhost").unwrap_or(rest);
            return path.starts_with('/').then(|| local(&path_from(base, path, None)));
        }
        _ => return None,
    };
    let (authority, path) = rest.split_once('/')?;
    remote(scheme, authority, path.split(['?', '#']).next().unwrap_or(path), host_of)
}

/// The identity of a repository on another machine, by its address alone: where nothing may be read of what the user calls it otherwise.
/// `None` for a path or the name of a remote.
#[must_use]
pub fn plain_identity(address: &str) -> Option<String> {
    let is_elsewhere = address.contains("://") || scp_like(address.trim()).is_some();
    let identity = identity(address, Path::new("/"), None, &|_| None).filter(|_| is_elsewhere)?;
    (!identity.starts_with('/')).then_some(identity)
}

#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    Ssh,
    Web,
    Git,
}

/// `host:path` of `[user@]host:path`. A slash before the colon makes a path of it.
fn scp_like(address: &str) -> Option<(&str, &str)> {
    let (host, path) = match address.rfind(']').filter(|_| address.contains('[')) {
        Some(end) => {
            let (host, rest) = address.split_at_checked(end + 1)?;
            (host, rest.strip_prefix(':')?)
        }
        None => address.split_once(':')?,
    };
    let is_host = !host.is_empty() && !host.contains('/') && !path.starts_with(':');
    is_host.then_some((host, path))
}

fn remote(
    scheme: Scheme,
    authority: &str,
    path: &str,
    host_of: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, port)) => (name, port.strip_prefix(':')),
        None => host.split_once(':').map_or((host.as_str(), None), |(name, port)| (name, Some(port))),
    };
    let real = if scheme == Scheme::Ssh { host_of(name) } else { None };
    let name = real.as_deref().unwrap_or(name);
    let name = match name.strip_suffix('.').unwrap_or(name) {
        "ssh.github.com" | "www.github.com" => "github.com",
        "altssh.gitlab.com" | "www.gitlab.com" => "gitlab.com",
        "altssh.bitbucket.org" | "www.bitbucket.org" => "bitbucket.org",
        "ssh.dev.azure.com" | "vs-ssh.visualstudio.com" => "dev.azure.com",
        name => name,
    };
    // The port of SSH says nothing: what it leads to has another one for the web, or none.
    let port = port.filter(|port| scheme == Scheme::Web && !matches!(*port, "" | "443" | "80"));
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let mut steps: Vec<&str> = decoded.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    let mut name = name.to_owned();
    if name == "dev.azure.com" {
        steps.retain(|step| !matches!(*step, "_git" | "v3"));
    } else if let Some(organisation) = name.strip_suffix(".visualstudio.com").map(str::to_owned) {
        steps.retain(|step| !matches!(*step, "_git" | "DefaultCollection"));
        let path = format!("dev.azure.com/{organisation}/{}", steps.join("/"));
        return (!steps.is_empty()).then(|| path.to_lowercase());
    }
    let last = steps.pop()?;
    let last = last.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(last);
    steps.push(last);
    let path = steps.join("/");
    // These take `Acme/App` and `acme/app` for one.
    const FOLDED: [&str; 5] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com"];
    let path = if FOLDED.contains(&name.as_str()) { path.to_lowercase() } else { path };
    if let Some(port) = port {
        name = format!("{name}:{port}");
    }
    (!name.is_empty()).then(|| format!("{name}/{path}"))
}

/// A repository of this machine: where it lies, links followed where it is there.
fn local(path: &Path) -> String {
    let real = std::fs::canonicalize(path);
    let bare = || std::fs::canonicalize(path.with_extension("git"));
    let real = real.or_else(|_| bare()).unwrap_or_else(|_| path.to_owned());
    let real = if real.ends_with(".git") { real.parent().unwrap_or(&real) } else { &real };
    let text = real.to_string_lossy();
    text.strip_suffix(".git").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Option<String> {
        let aliases = |host: &str| (host == "work").then(|| "github.com".to_owned());
        identity(address, Path::new("/srv/app"), Some(Path::new("/home/me")), &aliases)
    }

    #[test]
    fn all_addresses_of_a_repository_are_one() {
        for address in [
            "git@github.com:acme/app.git",
            "github.com:acme/app",
            "https://github.com/Acme/App",
            "https://me:token@github.com:443/acme/app.git/",
            "ssh://git@ssh.github.com:443/acme/app.git",
            "git://github.com/acme//app",
            "work:acme/app",
            "https://www.github.com/acme/app?x=1",
        ] {
            assert_eq!(of(address).as_deref(), Some("github.com/acme/app"), "{address}");
        }
        for address in [
            "git@ssh.dev.azure.com:v3/Org/Project/repo",
            "https://org@dev.azure.com/org/project/_git/repo",
            "https://org.visualstudio.com/project/_git/repo",
        ] {
            assert_eq!(of(address).as_deref(), Some("dev.azure.com/org/project/repo"), "{address}");
        }
    }

    #[test]
    fn other_repositories_are_others() {
        let told = |address| of(address).unwrap_or_default();
        assert_eq!(told("https://git.example:3000/Acme/App.git"), "git.example:3000/Acme/App");
        assert_eq!(told("ssh://git@git.example:2222/acme/app"), "git.example/acme/app");
        assert_eq!(told("../other.git"), "/srv/other");
        assert_eq!(told("file:///srv/git/a%20b.git"), "/srv/git/a%20b");
        assert_eq!(told("~/x"), "/home/me/x");
        assert_eq!(told("/srv/x/.git"), "/srv/x");
        assert_eq!(told("git@[::1]:acme/app"), "::1/acme/app");
        assert_eq!(of("ext::ssh -l x %S"), None);
        assert_eq!(of("gcrypt::rsync://x/y"), None);
        assert_eq!(of(""), None);
        assert_eq!(of("https://github.com"), None);
    }

    #[test]
    fn an_address_names_a_repository_elsewhere_by_itself() {
        for address in
            ["git@github.com:acme/app.git", "https://github.com/Acme/App", "ssh://git@github.com/acme/app"]
        {
            assert_eq!(plain_identity(address).as_deref(), Some("github.com/acme/app"), "{address}");
        }
        for name in ["origin", "../app", "/srv/app.git", "file:///srv/app.git", "ext::x", ""] {
            assert_eq!(plain_identity(name), None, "{name}");
        }
    }
}
