//! The name that a tool changes in the domain name system.

use super::fields::Fields;
use super::whole::is_whole;
use crate::rules::tool_words::NameWords;

/// Fields that name a zone.
const ZONES: &[&str] = &[
    "zonename",
    "domain",
    "domainname",
    "zone",
    "zoneid",
    "hostedzoneid",
    "hostedzone",
    "domainid",
    "apex",
    "rootdomain",
    "idorname",
];
/// Fields that name a record in it, and those that do where the tool's name says that it is for such.
const RECORDS: &[&str] =
    &["recordname", "recordsetname", "rrname", "rrsetname", "subdomain", "hostname", "fqdn"];
const OF_RECORDS: &[&str] = &["name", "host", "record"];
const IDS: &[&str] = &["recordid", "dnsrecordid", "rrsetid", "recordsetid"];
/// Words of tools that are for records.
const WORDS: &[&str] = &["dns", "record", "records", "recordset", "rrset", "rrsets", "subdomain"];

/// The whole name of the record that a call is about, else its zone and its id, else the zone.
pub(super) fn record(name: &NameWords, fields: &Fields) -> Option<String> {
    let zones: Vec<String> = ZONES.iter().filter_map(|name| fields.first_value(&[*name])).collect();
    // What is called a zone may be a part of one: `api` of a domain that the call names, too.
    let zone = zones.iter().find(|zone| zone.contains('.')).or_else(|| zones.first());
    let part = zones.iter().find(|part| zone.is_some_and(|zone| zone.contains('.') && !part.contains('.')));
    let part = part.filter(|part| !part.bytes().all(|byte| byte.is_ascii_hexdigit())).cloned();
    let zone = zone.map(|zone| zone.trim_end_matches('.').to_lowercase());
    let is_of_records = name.own().any(|word| WORDS.contains(&word));
    let of_records = || if is_of_records { fields.first_value(OF_RECORDS) } else { None };
    let named = fields.first_value(RECORDS).or_else(of_records).or(part);
    let named = named.map(|name| name.trim_end_matches('.').to_lowercase());
    let named = named.filter(|name| !name.contains(char::is_whitespace));
    let of_id = |zone: &Option<String>| {
        let of_records = || if is_of_records { fields.first_value(&["id"]) } else { None };
        let id = fields.first_value(IDS).or_else(of_records)?;
        Some(match zone {
            Some(zone) if !is_whole("recordid", &id) => format!("{zone}/{id}"),
            _ => id,
        })
    };
    match (named, zone) {
        (None, zone) => of_id(&zone).or(zone),
        (Some(name), None) => Some(name),
        (Some(name), Some(zone)) if name.is_empty() || name == "@" || name == zone => Some(zone),
        (Some(name), Some(zone)) if name.ends_with(&format!(".{zone}")) => Some(name),
        (Some(name), Some(zone)) if zone.contains('.') => Some(format!("{name}.{zone}")),
        // A zone that goes by its id.
        (Some(name), Some(_)) if name.contains('.') => Some(name),
        (Some(name), Some(zone)) => Some(format!("{zone}/{name}")),
    }
}
