//! The pages and databases that `ntn` changes.

use super::Fit;

/// Their ids: of what is made, the parent's.
pub(super) fn targets(fit: &Fit<'_, '_>) -> Vec<String> {
    let command = fit.command;
    let of_path = command.requests().iter().find_map(|request| {
        // `v1/pages/ID`, `v1/blocks/ID/children`
        request.path.split('/').nth(2).map(str::to_owned)
    });
    let parent = || {
        let field = |word: &&str| word.starts_with("parent[") || word.starts_with("parent.");
        let named = command.values(&["--parent"]).first().copied();
        let id = named
            .or_else(|| command.plain().find(field).and_then(|word| word.split_once('=')).map(|(_, id)| id));
        // `page:ID`, `data-source:ID`
        id.map(|id| id.rsplit_once(':').map_or(id, |(_, id)| id).to_owned())
    };
    vec![of_path.or_else(parent).unwrap_or_else(|| "new".to_owned())]
}
