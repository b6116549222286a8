//! The next wider resource where only the output of another command tells the one that is meant: the repository of `xargs gh pr close`.

/// Stands for all that may be meant.
pub(super) const ALL: &str = "*";

/// Code hosts, whose items belong to a repository.
const FORGES: &[&str] = &["github:", "gitlab:", "gitea:", "bitbucket:"];
/// Stores, whose objects belong to a bucket or a folder.
const STORES: &[&str] = &["s3://", "gs://", "r2://", "files:"];

/// The resource that holds all that a key means in which [`ALL`] stands; `None` where nothing is known to hold them.
pub(super) fn wider(key: &str) -> Option<String> {
    let begins = |lists: &[&str]| lists.iter().any(|begin| key.starts_with(begin));
    let Some((before, _)) = key.split_once(ALL) else {
        // What stands for all objects of a folder is named by the folder.
        return begins(STORES).then(|| key.to_owned());
    };
    if begins(FORGES) {
        return before.rsplit_once('#').map(|(repository, _)| repository.to_owned());
    }
    if begins(STORES) {
        let folder = before.rsplit_once('/').map(|(folder, _)| folder.trim_end_matches('/'))?;
        return (!folder.ends_with(':')).then(|| folder.to_owned());
    }
    let scope = key.starts_with("kube:").then(|| before.rsplit_once(':')).flatten();
    scope.map(|(scope, _)| format!("{scope}:{ALL}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_all_is_told_by_the_kind_of_key() {
        for (key, wide) in [
            ("github:acme/app#*", Some("github:acme/app")),
            ("github:acme/app#7", None),
            ("kube:prod/shop:pod/*", Some("kube:prod/shop:*")),
            ("kube:prod/shop:*", Some("kube:prod/shop:*")),
            ("s3://logs/2024/*", Some("s3://logs/2024")),
            ("s3://logs/*", Some("s3://logs")),
            ("s3://logs", Some("s3://logs")),
            ("s3://*", None),
            ("email:*", None),
        ] {
            assert_eq!(wider(key).as_deref(), wide, "{key}");
        }
    }
}
