//! What is done on other machines: Paramiko, Fabric, Netmiko, and Python's own client of FTP.

use super::read::Reading;
use super::value::{Call, Given, Value, as_text};
use super::words;

/// The commands of a call.
pub(super) fn command(call: &Call, given: &Given, reading: &Reading) -> Option<Vec<Vec<String>>> {
    fabric(call, given).or_else(|| by_ssh(call, given, reading)).or_else(|| by_ftp(call, given, reading))
}

/// `Connection("web1").run("uptime")`
fn fabric(call: &Call, given: &Given) -> Option<Vec<Vec<String>>> {
    let host = call.given_to("Connection").and_then(|made| made.text(&["host"], Some(0)))?;
    match call.name() {
        "run" | "sudo" => Some(vec![words(&["ssh", &host, &given.text(&["command"], Some(0))?])]),
        "put" => Some(vec![put(given, &["remote"], &host)]),
        _ => None,
    }
}

/// `client.connect("web1")`, and then `client.exec_command("uptime")` or `client.open_sftp().put("a", "b")`.
fn by_ssh(call: &Call, given: &Given, reading: &Reading) -> Option<Vec<Vec<String>>> {
    let is_client = |name: &str| {
        matches!(name, "SSHClient" | "SFTPClient" | "Transport" | "ConnectHandler" | "open_sftp")
    };
    if !call.before().any(is_client) {
        return None;
    }
    let hosts = hosts(call, reading);
    let each = |command: &dyn Fn(&str) -> Vec<String>| Some(hosts.iter().map(|host| command(host)).collect());
    let path = |place: usize, names: &[&str]| given.text(names, Some(place)).unwrap_or_default();
    match call.name() {
        "exec_command" | "send_command" | "send_command_timing" => {
            let text = given.text(&["command", "command_string"], Some(0))?;
            each(&|host| words(&["ssh", host, &text]))
        }
        "send_config_set" => each(&|host| words(&["ssh", host, "configure terminal"])),
        "put" | "putfo" => each(&|host| put(given, &["remotepath"], host)),
        "remove" | "unlink" | "rmdir" | "mkdir" | "chmod" | "truncate" => {
            each(&|host| removed(&path(0, &["path"]), host))
        }
        "rename" | "posix_rename" => each(&|host| removed(&path(1, &["newpath"]), host)),
        "open" | "file" if path(1, &["mode"]).contains(['w', 'a', 'x', '+']) => {
            each(&|host| removed(&path(0, &["filename"]), host))
        }
        _ => None,
    }
}

/// The machines that a client was told to reach.
fn hosts(call: &Call, reading: &Reading) -> Vec<String> {
    let arguments = call.steps.iter().filter_map(|step| step.given.as_ref()).flat_map(|given| &given.placed);
    let inside = arguments.filter_map(|value| match value {
        Value::Chain(steps) => Some(steps.as_slice()),
        _ => None,
    });
    let own = std::iter::once(call.steps.as_slice()).chain(inside).flatten().filter_map(|step| {
        let given = step.given.as_ref()?;
        match step.name.as_str() {
            "Transport" => match given.placed.first()? {
                Value::List(items) => items.first().and_then(as_text),
                value => as_text(value),
            },
            "ConnectHandler" => given.text(&["host", "ip"], None),
            _ => None,
        }
    });
    let mut hosts: Vec<String> = own.collect();
    if hosts.is_empty() {
        let connects =
            reading.calls.iter().filter(|other| other.name() == "connect" && other.has("SSHClient"));
        hosts.extend(connects.filter_map(|other| other.given()?.text(&["hostname"], Some(0))));
    }
    if hosts.is_empty() {
        hosts.push("$host".to_owned());
    }
    hosts.dedup();
    hosts
}

/// `FTP("ftp.acme.example").storbinary("STOR a", …)`
fn by_ftp(call: &Call, given: &Given, reading: &Reading) -> Option<Vec<Vec<String>>> {
    let is_client = |name: &str| matches!(name, "FTP" | "FTP_TLS");
    if !call.before().any(is_client) {
        return None;
    }
    let of = |call: &Call, name: &str| call.given_to(name).and_then(|made| made.text(&["host"], Some(0)));
    let connected = || reading.calls.iter().find_map(|other| of(other, "connect"));
    let host = of(call, "FTP").or_else(|| of(call, "FTP_TLS")).or_else(connected)?;
    let first = given.text(&[], Some(0))?;
    let (verb, behind) = first.split_once(' ').unwrap_or((&first, ""));
    let path = match call.name() {
        "storbinary" | "storlines" | "sendcmd" | "voidcmd" => {
            let writes = ["STOR", "APPE", "DELE", "RMD", "MKD", "RNTO", "SITE"];
            writes.contains(&verb.to_ascii_uppercase().as_str()).then(|| behind.to_owned())?
        }
        "delete" | "rmd" | "mkd" => first,
        "rename" => given.text(&[], Some(1))?,
        _ => return None,
    };
    Some(vec![removed(&path, &host)])
}

/// A file that is put there, as lftp's command for it.
fn put(given: &Given, names: &[&str], host: &str) -> Vec<String> {
    let local = given.text(&["local", "localpath"], Some(0)).unwrap_or_else(|| "$_".to_owned());
    let path = given.text(names, Some(1)).unwrap_or_else(|| local.clone());
    let name = local.rsplit('/').next().unwrap_or(&local);
    let whole = if path.ends_with('/') { format!("{path}{name}") } else { path };
    words(&["lftp", "-e", &format!("put {name} {whole}"), host])
}

/// A file there that is removed or changed.
fn removed(path: &str, host: &str) -> Vec<String> {
    words(&["lftp", "-e", &format!("rm {path}"), host])
}
