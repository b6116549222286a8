//! Names of hosts that the user's SSH configuration gives to others.

use crate::files::Parse;

/// The aliases of a `~/.ssh/config`: `Host` lines with a plain name, and the `HostName` under them. Patterns, `Match` and
/// `Include` are not followed: an address that goes by them keeps the name it is written with.
#[derive(Debug, Default)]
pub(super) struct SshConfig {
    aliases: Vec<(String, String)>,
}

impl SshConfig {
    /// What a host is called in truth.
    pub(super) fn host_of(&self, alias: &str) -> Option<String> {
        self.aliases.iter().find(|(name, _)| name == alias).map(|(_, host)| host.clone())
    }
}

impl Parse for SshConfig {
    fn parse(text: &str) -> Option<Self> {
        let mut config = Self::default();
        let mut names: Vec<String> = Vec::new();
        for line in text.lines() {
            let line = line.trim();
            let Some((keyword, value)) = line.split_once([' ', '\t', '=']) else { continue };
            let value = value.trim().trim_start_matches('=').trim();
            match keyword.to_ascii_lowercase().as_str() {
                "host" => {
                    let plain = |name: &&str| !name.contains(['*', '?', '!']);
                    names = value.split_whitespace().filter(plain).map(str::to_ascii_lowercase).collect();
                }
                "match" => names.clear(),
                "hostname" if !value.contains('%') => {
                    let host = value.trim_matches('"').to_ascii_lowercase();
                    config.aliases.extend(names.iter().map(|name| (name.clone(), host.clone())));
                }
                _ => {}
            }
        }
        Some(config)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    #[test]
    fn an_alias_is_its_host() {
        let text = "# c\nHost github-work other\n  HostName = GitHub.com\n  User git\nHost *\n HostName x\nMatch all\nHostName y\n";
        let config = SshConfig::parse(text).unwrap();
        assert_eq!(config.host_of("github-work").unwrap(), "github.com");
        assert_eq!(config.host_of("other").unwrap(), "github.com");
        assert_eq!(config.host_of("github.com"), None);
    }
}
