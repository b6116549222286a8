//! The bounds that ARCHITECTURE.md draws, kept by reading the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Meta, Token, UseTree, Visibility};

/// A path as it is written, or from the crate's root: `["crate", "model", "tier", "Tier"]`.
type Names = Vec<String>;

/// One source file: the paths in it, its unit tests left out.
#[derive(Default)]
struct Source {
    /// What it uses, from its crate's root; a path that starts with a name of its own or another crate's is not here.
    uses: BTreeSet<Names>,
    /// What it offers under its own name: the name, and whose it is.
    offers: BTreeMap<String, Names>,
    /// The module it is.
    module: Names,
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let conditions = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap();
        conditions.iter().any(|condition| condition.path().is_ident("test"))
    })
}

impl Source {
    fn read(module: Names, text: &str) -> Self {
        let mut source = Self { module, ..Self::default() };
        for item in &syn::parse_file(text).unwrap().items {
            source.visit_item(item);
        }
        source
    }

    /// A path of this file, from the crate's root.
    fn rooted(&self, path: &[String]) -> Option<Names> {
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&self.module[..], &path[1..]].concat()),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                let above = self.module.len().checked_sub(up)?;
                Some([&self.module[..above], &path[up..]].concat())
            }
            _ => None,
        }
    }

    fn used(&mut self, path: &[String]) {
        self.uses.extend(self.rooted(path));
    }

    fn leaves(tree: &UseTree, before: &[String], found: &mut Vec<(Names, String)>) {
        match tree {
            UseTree::Path(path) => {
                Self::leaves(&path.tree, &[before, &[path.ident.to_string()]].concat(), found);
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| Self::leaves(tree, before, found)),
            UseTree::Name(name) if name.ident == "self" => {
                found.push((before.to_vec(), before.last().unwrap().clone()));
            }
            UseTree::Name(name) => {
                found.push(([before, &[name.ident.to_string()]].concat(), name.ident.to_string()));
            }
            UseTree::Rename(name) => {
                found.push(([before, &[name.ident.to_string()]].concat(), name.rename.to_string()));
            }
            UseTree::Glob(_) => found.push((before.to_vec(), "*".to_owned())),
        }
    }
}

impl<'a> Visit<'a> for Source {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        // A module inside a file is tests, or its `super` would mean the file.
        assert!(
            module.content.is_none() || is_test(&module.attrs),
            "{} has a module inside",
            self.module.join("::")
        );
    }

    fn visit_item(&mut self, item: &'a Item) {
        if let Item::Fn(function) = item
            && is_test(&function.attrs)
        {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let mut found = Vec::new();
        Self::leaves(&item.tree, &[], &mut found);
        for (path, name) in found {
            if matches!(item.vis, Visibility::Inherited) {
                self.used(&path);
            } else {
                // `pub use own::Thing;` is written without `self::`.
                let own = [&self.module[..], &path[..]].concat();
                self.offers.insert(name, self.rooted(&path).unwrap_or(own));
            }
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.used(&names);
        visit::visit_path(self, path);
    }
}

/// The sources of a crate by the module that each is.
fn sources(name: &str) -> BTreeMap<Names, (PathBuf, Source)> {
    fn add(folder: &Path, module: &[String], found: &mut BTreeMap<Names, (PathBuf, Source)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let below = [module, std::slice::from_ref(&name)].concat();
            if path.is_dir() {
                add(&path, &below, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
                let module =
                    if ["mod", "lib", "main"].contains(&name.as_str()) { module.to_vec() } else { below };
                let source = Source::read(module.clone(), &fs::read_to_string(&path).unwrap());
                found.insert(module, (path, source));
            }
        }
    }
    let mut found = BTreeMap::new();
    add(&folder(name).join("src"), &[], &mut found);
    found
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// The modules of a crate's files, and whose items each uses.
fn arrows(sources: &BTreeMap<Names, (PathBuf, Source)>) -> BTreeMap<&Names, BTreeSet<&Names>> {
    let home = |path: &Names| {
        let mut path = path.clone();
        loop {
            let length =
                (0..=path.len()).rev().find(|length| sources.contains_key(&path[..*length])).unwrap();
            let (module, (_, source)) = sources.get_key_value(&path[..length]).unwrap();
            match path.get(length).and_then(|name| source.offers.get(name)) {
                Some(whose) if whose.len() > length && *whose != path => {
                    path = [&whose[..], &path[length + 1..]].concat();
                }
                _ => return module,
            }
        }
    };
    let of = |source: &Source| source.uses.iter().map(home).collect::<BTreeSet<_>>();
    sources.iter().map(|(module, (_, source))| (module, of(source))).collect()
}

/// The rooms of the core, and which of the others each may know.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("record", &["model"]),
    ("machine", &["model", "record"]),
    ("rules", &["model"]),
    ("policy", &["model", "rules"]),
    ("decision", &["model", "record", "rules"]),
    ("store", &["model", "record", "rules", "policy", "decision"]),
    ("simulate", &["model", "record", "rules", "decision"]),
    ("query", &["model", "record", "machine", "rules", "policy", "decision", "store", "simulate"]),
    ("gate", &["model", "record", "machine", "rules", "policy", "decision", "store", "query"]),
];

#[test]
fn no_arrow_between_the_rooms_of_the_core_points_up() {
    let sources = sources("callosum-core");
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut seen = BTreeSet::new();
    for (module, used) in arrows(&sources) {
        let Some(room) = module.first() else { continue };
        let known =
            rooms.get(room.as_str()).unwrap_or_else(|| panic!("`{room}` is not in the table of rooms"));
        for target in used.iter().filter_map(|target| target.first()).filter(|target| *target != room) {
            assert!(known.contains(&target.as_str()), "{} uses {target}", module.join("::"));
            seen.insert((room.as_str(), target.to_owned()));
        }
    }
    for (room, known) in ROOMS {
        for target in *known {
            assert!(seen.contains(&(*room, (*target).to_owned())), "{room} may use {target}, and does not");
        }
    }
}

/// Questions look at what a gate hands out: the path of a call knows nothing of them.
#[test]
fn one_file_of_the_gate_knows_the_questions() {
    let sources = sources("callosum-core");
    let knows = arrows(&sources)
        .into_iter()
        .filter(|(module, used)| {
            module.starts_with(&["gate".to_owned()])
                && used.iter().any(|target| target.starts_with(&["query".to_owned()]))
        })
        .map(|(module, _)| module.join("::"));
    assert_eq!(knows.collect::<Vec<_>>(), ["gate::reader"]);
}

/// The files that need each other, those of each circle together: who wants to know one must read them all. A folder's `mod.rs` and
/// what lies in the folder are one thing that was too long for one file: arrows between them don't count.
fn circles(sources: &BTreeMap<Names, (PathBuf, Source)>) -> BTreeSet<Vec<String>> {
    let arrows = arrows(sources);
    let reached = |from: &Names| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            for &target in arrows[&module]
                .iter()
                .filter(|target| !target.starts_with(&module) && !module.starts_with(target))
            {
                if seen.insert(target.clone()) {
                    next.push(target.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&Names, BTreeSet<Names>> =
        sources.keys().map(|module| (module, reached(module))).collect();
    let circle = |module: &Names| {
        let back = reach[module].iter().filter(|other| reach[*other].contains(module));
        back.map(|module| module.join("::")).collect::<Vec<_>>()
    };
    sources.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn no_file_and_another_need_each_other() {
    let found = CRATES.iter().flat_map(|(name, _)| {
        circles(&sources(name)).into_iter().map(move |circle| format!("{name}: {}", circle.join(" ")))
    });
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
}

/// The crates, and which of the others each is built on. Tests may look up.
const CRATES: &[(&str, &[&str])] = &[
    ("callosum-shell", &[]),
    ("callosum-surroundings", &[]),
    ("callosum-core", &["callosum-shell", "callosum-surroundings"]),
    ("callosum-runtimes", &["callosum-core"]),
    ("callosum-context", &["callosum-core"]),
    ("callosum-team", &["callosum-core", "callosum-runtimes"]),
    ("callosum-protocol", &["callosum-core"]),
    ("callosum-node", &["callosum-context", "callosum-core", "callosum-protocol", "callosum-team"]),
    ("callosum-cli", &["callosum-context", "callosum-core", "callosum-runtimes", "callosum-team"]),
    ("callosum-mcp", &["callosum-context", "callosum-core", "callosum-runtimes", "callosum-team"]),
    (
        "callosum-server",
        &[
            "callosum-context",
            "callosum-core",
            "callosum-mcp",
            "callosum-protocol",
            "callosum-runtimes",
            "callosum-team",
        ],
    ),
    ("callosum-bench", &["callosum-core"]),
    // For tests alone: no other row has it.
    ("callosum-testing", &["callosum-core"]),
];

#[test]
fn no_arrow_between_the_crates_points_up() {
    let listed: BTreeSet<&str> = CRATES.iter().map(|(name, _)| *name).collect();
    for entry in fs::read_dir(folder(".")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(listed.contains(name.as_str()), "`{name}` is not in the table of crates");
    }
    for (name, known) in CRATES {
        let manifest = fs::read_to_string(folder(name).join("Cargo.toml")).unwrap();
        let (_, rest) = manifest.split_once("[dependencies]").unwrap();
        let dependencies = rest.split("\n[").next().unwrap();
        let ours = dependencies
            .lines()
            .filter_map(|line| line.split(['.', ' ']).next())
            .filter(|it| it.starts_with("callosum"));
        assert_eq!(ours.collect::<BTreeSet<_>>(), known.iter().copied().collect(), "{name}");
    }
}

/// The code lines of a source file: comments and unit tests say what they like.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let shipped = text.split("#[cfg(test)]").next().unwrap();
    let lines = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_decision_and_what_it_stands_on_know_no_file_and_no_clock() {
    let mut files = Vec::new();
    for (name, rooms) in [
        ("callosum-shell", None),
        ("callosum-runtimes", None),
        ("callosum-core", Some(["model", "record", "rules", "policy", "decision", "simulate"])),
    ] {
        for (module, (path, _)) in sources(name) {
            if rooms.is_none_or(|rooms| module.first().is_some_and(|room| rooms.contains(&room.as_str()))) {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50);
    for file in files {
        let code = code(&file);
        for forbidden in ["std::fs", "std::io::Read", "SystemTime", "Instant", "Utc::now", "segment::"] {
            assert!(!code.contains(forbidden), "{} uses {forbidden}", file.display());
        }
    }
}

/// The runtimes' folders in `callosum-runtimes`, and the word that names each runtime in code.
const RUNTIMES: &[(&str, &str)] = &[("claude_code", "claude"), ("codex", "codex"), ("gemini", "gemini")];

/// Where a runtime's name may stand outside of `callosum-runtimes`: what guards the settings that hold our hooks, commands that people
/// run, and examples of our own command line.
const NAMES_RUNTIMES: &[&str] = &[
    "callosum-cli args",
    "callosum-cli commands::team::words",
    "callosum-core model::redact::programs",
    "callosum-core model::redact::summary",
    "callosum-shell own_files",
];

#[test]
fn what_one_runtime_has_alone_stands_in_its_folder() {
    let entries = fs::read_dir(folder("callosum-runtimes").join("src")).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let mut folders: Vec<_> = folders.filter(|folder| folder != "settings").collect();
    folders.sort();
    assert_eq!(folders, RUNTIMES.iter().map(|(folder, _)| *folder).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (name, _) in CRATES {
        for (module, (path, _)) in sources(name) {
            let own = module.first().filter(|_| *name == "callosum-runtimes");
            // The crate's root and its table have a line for each.
            if *name == "callosum-runtimes" && own.is_none_or(|own| own == "table") {
                continue;
            }
            let code = code(&path).to_lowercase();
            let names =
                |(folder, word): &(&str, &str)| code.contains(word) && own.is_none_or(|own| own != folder);
            if RUNTIMES.iter().any(names) {
                found.push(format!("{name} {}", module.join("::")));
            }
        }
    }
    found.sort();
    assert_eq!(found, NAMES_RUNTIMES);
}

#[test]
fn one_file_knows_fs2_and_one_has_a_clock() {
    for (module, (path, _)) in sources("callosum-core") {
        let (name, code) = (module.join("::"), code(&path));
        assert_eq!(code.contains("fs2"), name == "store::state_guard", "{name}");
        let clock =
            code.contains("SystemTime") || code.contains("clock_gettime") || code.contains("Utc::now");
        assert_eq!(clock, name == "machine", "{name}");
        assert!(!code.contains("napi") && !code.contains("tokio") && !code.contains("clap"), "{name}");
        // What the journal does to files goes through the disk, or no test could make it fail. The guard's
        // lock is on a file of its own.
        let files =
            ["store::context_file", "store::disk", "machine", "store::rules_file", "store::state_guard"];
        let knows_files = code.contains("std::fs::") || code.contains("std::fs;");
        assert_eq!(knows_files, files.contains(&name.as_str()), "{name}");
        // A gateway loads several copies of the addon: what is the same for all of them may be static.
        let stateful =
            code.lines().any(|line| line.trim_start().trim_start_matches("pub ").starts_with("static "));
        assert!(!stateful, "{name} has static state");
    }
}

/// Lines that a source file may have, its tests counted. Tables may have long ones: those of options name a program's on one line.
const MAX_LINES: usize = 600;
/// How the names of source files end.
const EXTENSIONS: [&str; 6] = [".rs", ".ts", ".tsx", ".mjs", ".py", ".css"];

#[test]
fn no_source_file_is_too_long_to_be_read() {
    fn add(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !["node_modules", "target", "dist"].contains(&name) {
                add(&path, found);
            } else if EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
                found.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for part in ["crates", "plugin", "scripts", "tests", "clients", "fuzz", "npm"] {
        add(&folder("..").join(part), &mut files);
    }
    assert!(files.len() > 300);
    let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    files.retain(|path| lines(path) > MAX_LINES && !path.ends_with("plugin/native/binding.js"));
    assert!(files.is_empty(), "longer than {MAX_LINES} lines: {files:#?}");
}
