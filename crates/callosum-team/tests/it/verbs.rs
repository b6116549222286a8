//! The plugin's copy of the table of verbs.

use std::path::Path;

use callosum_team::api::{Surface, VERBS};
use serde_json::json;

/// What the plugin has of the table.
fn copy() -> String {
    let mut text = String::from(
        "// The verbs that a gateway offers as methods: a copy of the table `callosum_team::api::VERBS`. Don't edit it:\n\
         // `CALLOSUM_RECORD=1 cargo test -p callosum-team --test it verbs` writes it anew.\n\n\
         export const TEAM_VERBS = [\n",
    );
    for verb in VERBS.iter().filter(|verb| verb.surfaces.contains(&Surface::Gateway)) {
        let right = json!(verb.right);
        text.push_str(&format!("  {{ name: \"{}\", right: {right} }},\n", verb.name));
    }
    text.push_str("] as const;\n");
    text
}

#[test]
fn the_plugin_has_the_table_s_verbs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin/src/team/verbs.ts");
    if std::env::var_os("CALLOSUM_RECORD").is_some() {
        std::fs::write(&path, copy()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), copy());
}
