//! What the address of a page names: `https://github.com/acme/app/issues/12` is issue 12 of `acme/app`.

/// Fields that hold the address of what a call is about. Those that are called like a thing do, too, where the address names such a thing:
/// `workflowURL`, but not `callbackUrl`.
const PAGES: &[&str] = &["url", "link", "htmlurl", "weburl", "permalink", "pageurl"];
/// Parts of paths behind which an id stands, by the field that it would be.
#[rustfmt::skip]
const PARTS: &[(&str, &str)] = &[
    ("archives", "channelid"), ("browse", "issuekey"), ("c", "cardid"), ("d", "documentid"), ("folders", "folderid"), ("issue", "issueid"),
    ("issues", "issuenumber"), ("merge_requests", "mergerequestiid"), ("pull", "pullnumber"), ("pull-requests", "pullrequestid"),
    ("pulls", "pullnumber"), ("work_items", "issueiid"),
];
/// Code hosts, by a part of their names, whose paths begin with a repository.
const FORGES: &[&str] = &["bitbucket", "codeberg", "forgejo", "gitea", "github", "gitlab"];
/// More parts of a path are not looked at.
const MOST: usize = 12;

/// Fields that an address stands for, with their values.
pub(super) fn named(field: &str, address: &str) -> impl Iterator<Item = (String, String)> {
    let parts = parts(address).filter(|_| PAGES.contains(&field) || field.ends_with("url"));
    let (host, parts) = parts.unwrap_or_default();
    let is_page = PAGES.contains(&field);
    let of_forge = FORGES.iter().any(|forge| host.contains(forge));
    let repository = repository(&host, &parts).filter(|_| of_forge && is_page);
    let pairs: Vec<(String, String)> = parts.windows(2).filter_map(|pair| one(pair, of_forge)).collect();
    let thing = field.strip_suffix("url").unwrap_or_default().to_owned();
    let ids =
        pairs.into_iter().filter(move |(name, _)| is_page || !thing.is_empty() && name.starts_with(&thing));
    ids.chain(repository.map(|path| ("repositoryfullname".to_owned(), path)))
}

/// The host of an address, and the parts of its path.
fn parts(address: &str) -> Option<(String, Vec<String>)> {
    let (_, rest) = address.split_once("://")?;
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let mut parts = rest.split('/').filter(|part| !part.is_empty() && *part != "-").map(str::to_owned);
    Some((parts.next()?.to_lowercase(), parts.take(MOST).collect()))
}

/// The path of a repository: of GitLab's it ends where its own pages begin.
pub(super) fn repository(host: &str, parts: &[String]) -> Option<String> {
    let is_page = |part: &String| PARTS.iter().any(|(known, _)| known == part) || part == "pipelines";
    let most = if host.contains("gitlab") { parts.len() } else { 2 };
    let path: Vec<&str> =
        parts.iter().take_while(|part| !is_page(part)).take(most).map(String::as_str).collect();
    (path.len() >= 2).then(|| path.join("/"))
}

/// What a part of a path says of the one behind it: `issues/12`.
fn one(pair: &[String], of_forge: bool) -> Option<(String, String)> {
    let [kind, id] = pair else { return None };
    if !id.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let known = PARTS.iter().find(|(part, _)| part == kind).map(|(_, field)| (*field).to_owned());
    // Elsewhere an issue goes by its id.
    let known = known.filter(|_| of_forge || !matches!(kind.as_str(), "issues" | "pull" | "pulls"));
    let usual = || {
        let thing = kind.strip_suffix('s').filter(|thing| thing.len() > 2)?;
        Some(format!("{}id", super::field::folded(thing)))
    };
    Some((known.or_else(usual)?, id.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_what_its_page_shows() {
        for (field, address, expected) in [
            (
                "url",
                "https://github.com/acme/app/issues/12#issuecomment-1",
                &[("issuenumber", "12"), ("repositoryfullname", "acme/app")][..],
            ),
            ("url", "https://github.com/acme/app", &[("repositoryfullname", "acme/app")]),
            (
                "weburl",
                "https://gitlab.com/acme/team/app/-/merge_requests/7",
                &[("mergerequestiid", "7"), ("repositoryfullname", "acme/team/app")],
            ),
            ("url", "https://acme.atlassian.example/browse/SHOP-12", &[("issuekey", "SHOP-12")]),
            ("url", "https://linear.app/acme/issue/ENG-9/title", &[("issueid", "ENG-9")]),
            ("workflowurl", "https://ci.example/pipelines/gh/workflows/a1-b2", &[("workflowid", "a1-b2")]),
            ("callbackurl", "https://ci.example/workflows/a1-b2", &[]),
            ("url", "https://acme.example/about/team", &[]),
            ("url", "https://", &[]),
        ] {
            let found: Vec<_> = named(field, address).collect();
            let expected: Vec<_> =
                expected.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect();
            assert_eq!(found, expected, "{address}");
        }
    }
}
