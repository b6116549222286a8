//! Kinds of things whose keys are not made like those of others: campaigns, pages, monitors, and what runs on a branch.

/// Things that run on a branch.
pub(super) const RUNS: &[&str] = &["pipeline", "run", "workflow"];
/// Kinds of things that have keys of their own, whatever is done to them, and what those begin with.
const FAMILIES: &[(&str, Family)] = &[
    ("alarm", Family::OfService("monitor:")),
    ("article", Family::Site),
    ("broadcast", Family::Named("email:campaign/")),
    ("campaign", Family::Named("email:campaign/")),
    ("incident", Family::OfService("incident:")),
    ("instance", Family::OfKind),
    ("mailing", Family::Named("email:campaign/")),
    ("monitor", Family::OfService("monitor:")),
    ("newsletter", Family::Named("email:campaign/")),
    ("page", Family::Site),
    ("post", Family::Site),
    ("silence", Family::OfService("monitor:")),
];

/// How the keys of things of a kind are made.
#[derive(Clone, Copy)]
enum Family {
    /// Of what is before it, and the name.
    Named(&'static str),
    /// The same with the service between.
    OfService(&'static str),
    /// Of a site's, with what it stands in behind it.
    Site,
    /// Like other machines of clouds.
    OfKind,
}

/// Whether things of a kind go by keys of their own.
pub(super) fn is_in_family(kind: &str) -> bool {
    FAMILIES.iter().any(|(known, _)| *known == kind)
}

/// The key of a thing that goes by keys of its own: `email:campaign/7` of `mailer:campaign/7`.
pub(super) fn in_family(key: &str) -> Option<String> {
    let (service, rest) = key.split_once(':')?;
    let (kind, name) = rest.split_once('/')?;
    let (_, family) = FAMILIES.iter().find(|(known, _)| *known == kind)?;
    // Advertisements are no mails, and other messages have such keys themselves.
    let is_other = service.contains("ads") || matches!(service, "email" | "sms" | "whatsapp");
    match family {
        Family::Named(begin) => (!is_other).then(|| format!("{begin}{name}")),
        Family::OfService(begin) => Some(format!("{begin}{service}:{name}")),
        Family::Site => {
            let (name, qualifiers) = parted(name);
            let whole = match name.rsplit_once('/') {
                Some((within, name)) if qualifiers.is_empty() => format!("{name}@{within}"),
                _ => format!("{name}{qualifiers}"),
            };
            Some(format!("site:{service}:{whole}"))
        }
        Family::OfKind => Some(format!("{service}:{kind}:{name}")),
    }
}

/// A key and its qualifiers, which stand behind an `@`.
pub(super) fn parted(key: &str) -> (&str, &str) {
    key.split_once('@').map_or((key, ""), |(start, _)| (start, key.get(start.len()..).unwrap_or("")))
}
