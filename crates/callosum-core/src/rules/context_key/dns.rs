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

/// The whole names of the records that a call is about, else its zone and a record's id, else the zone.
pub(super) fn records(name: &NameWords, fields: &Fields) -> Vec<String> {
    let zones: Vec<String> = ZONES.iter().filter_map(|name| fields.first_value(&[*name])).collect();
    // What is called a zone may be a part of one: `api` of a domain that the call names, too.
    let zone = zones.iter().find(|zone| zone.contains('.')).or_else(|| zones.first());
    let part = zones.iter().find(|part| zone.is_some_and(|zone| zone.contains('.') && !part.contains('.')));
    let part = part.filter(|part| !part.bytes().all(|byte| byte.is_ascii_hexdigit())).cloned();
    let zone = zone.map(|zone| zone.trim_end_matches('.').to_lowercase());
    let is_of_records = name.own().any(|word| WORDS.contains(&word));
    let of_records = |names: &'static [&'static str]| {
        let found = if is_of_records { fields.first_named(names) } else { None };
        found.map(|(_, hosts)| hosts)
    };
    // A host inside of something may be a server of the zone, or where a record leads to.
    let own = |names: &[&str]| {
        let named = fields.own().filter(|(field, _)| names.contains(field));
        let found: Vec<String> = named.map(|(_, host)| host.to_owned()).collect();
        (!found.is_empty()).then_some(found)
    };
    let named = own(RECORDS).or_else(|| if is_of_records { own(OF_RECORDS) } else { None });
    let named = named.or_else(|| of_records(RECORDS)).or_else(|| of_records(OF_RECORDS));
    let named = named.unwrap_or_else(|| part.into_iter().collect()).into_iter();
    let named = named.map(|name| name.trim_end_matches('.').to_lowercase());
    let named: Vec<String> = named.filter(|name| !name.contains(char::is_whitespace)).collect();
    if named.is_empty() {
        return of_id(zone.as_deref(), is_of_records, fields).or(zone).into_iter().collect();
    }
    named.into_iter().map(|name| in_zone(name, zone.as_deref())).collect()
}

/// A record by its id.
fn of_id(zone: Option<&str>, is_of_records: bool, fields: &Fields) -> Option<String> {
    let of_records = || if is_of_records { fields.first_value(&["id"]) } else { None };
    let id = fields.first_value(IDS).or_else(of_records)?;
    Some(match zone {
        Some(zone) if !is_whole("recordid", &id) => format!("{zone}/{id}"),
        _ => id,
    })
}

/// The whole name of a record.
fn in_zone(name: String, zone: Option<&str>) -> String {
    match zone {
        None => name,
        Some(zone) if name.is_empty() || name == "@" || name == zone => zone.to_owned(),
        Some(zone) if name.ends_with(&format!(".{zone}")) => name,
        Some(zone) if zone.contains('.') => format!("{name}.{zone}"),
        // A zone that goes by its id.
        Some(_) if name.contains('.') => name,
        Some(zone) => format!("{zone}/{name}"),
    }
}
