//! Where a carrier runs what it carries.

use crate::carriers::Machine;
use crate::command::kind_name;
use crate::options::lists;

/// The machine that a carrier reaches, of which `all` are the words, `behind` those behind its subcommand, and `operands` those of them
/// behind its options. Several have commas between them.
pub(super) fn reached(
    machine: Machine,
    all: &[String],
    behind: &[String],
    operands: &[String],
) -> Option<String> {
    let named = match machine {
        Machine::Here | Machine::All(_) => return None,
        Machine::Pod => return pod(all, operands.first()?),
        Machine::Operand => operands.first()?.clone(),
        Machine::Option(names) => {
            let value = |(at, word): (usize, &String)| match word.split_once('=') {
                Some((name, value)) if lists(names, name) => Some(value.to_owned()),
                _ if lists(names, word) => behind.get(at + 1).cloned(),
                _ => None,
            };
            behind.iter().enumerate().find_map(value)?
        }
    };
    let bare = |host: &str| {
        let host = host.split_once("://").map_or(host, |(_, host)| host);
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        host.split([':', '/']).next().unwrap_or(host).to_owned()
    };
    let is_here = |host: &String| matches!(host.as_str(), "localhost" | "127.0.0.1" | "");
    let hosts: Vec<String> = named.split(',').map(bare).filter(|host| !is_here(host)).collect();
    (!hosts.is_empty()).then(|| hosts.join(","))
}

/// The machines that stand behind an option: `--instance-ids i-1 i-2`, `--instance-ids=i-1,i-2`.
pub(super) fn behind(option: &str, words: &[String]) -> Option<String> {
    let (at, own) = words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(option)?;
        (rest.is_empty() || rest.starts_with('=')).then(|| (at, rest.trim_start_matches('=')))
    })?;
    let more = words.get(at + 1..)?.iter().map(String::as_str).take_while(|word| !word.starts_with('-'));
    let named: Vec<&str> = std::iter::once(own).chain(more).filter(|name| !name.is_empty()).collect();
    (!named.is_empty()).then(|| named.join(","))
}

/// The pod that `kubectl exec` reaches, as its words say it: `prod/shop:deployment/web`. None in a cluster of this machine.
fn pod(words: &[String], operand: &str) -> Option<String> {
    let own = words.split(|word| word == "--").next().unwrap_or_default();
    let cluster = value(own, "--context", None);
    if cluster.is_some_and(is_here) {
        return None;
    }
    let (kind, name) = operand.split_once('/').unwrap_or(("pod", operand));
    let kind = kind.split('.').next().unwrap_or(kind).to_lowercase();
    let scope: Vec<&str> = cluster.into_iter().chain(value(own, "--namespace", Some('n'))).collect();
    let colon = if scope.is_empty() { "" } else { ":" };
    Some(format!("{}{colon}{}/{name}", scope.join("/"), kind_name(&kind).unwrap_or(&kind)))
}

/// Whether a context is a cluster of this machine, by the names that the programs give which make such clusters.
fn is_here(context: &str) -> bool {
    const NAMES: &[&str] =
        &["minikube", "docker-desktop", "rancher-desktop", "orbstack", "colima", "microk8s"];
    NAMES.contains(&context) || ["kind-", "k3d-"].iter().any(|made| context.starts_with(made))
}

/// What an option of kubectl's says: `--namespace shop`, `--namespace=shop`, `-n shop`, `-nshop`, `-itn shop`.
fn value<'w>(words: &'w [String], long: &str, letter: Option<char>) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let next = || words.get(at + 1).map(String::as_str);
        if word == long {
            return next();
        }
        if let Some(value) = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
        let letters = word.strip_prefix('-')?.trim_start_matches(['i', 't', 'q']);
        let value = letters.strip_prefix(letter?)?;
        if value.is_empty() { next() } else { Some(value.trim_start_matches('=')) }
    })
}
