//! Pipelines: what their commands hand each other, and which belong to the same one.

use brush_parser::ast::Pipeline;

use super::{Folder, Walk};
use crate::filters::hidden;
use crate::{Invocation, Texts, joined};

/// Where in the line a command stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The number of the pipeline; 0 where it may be any.
    pub(super) pipeline: usize,
    /// What stands in there is of the same one: it prints to, or reads from, what the others do.
    is_shared: bool,
}

/// Of what is read there: a function's commands.
pub(super) const ANYWHERE: Place = Place { pipeline: 0, is_shared: true };

/// The variable, which no environment has, that names the file or folder a command prints to the next one of its pipeline.
const PIPED_FROM: &str = "piped from";

/// Programs that print what is in a file or folder, or what they make of it.
const SOURCES: &[&str] = &[
    "cat",
    "bat",
    "sed",
    "gsed",
    "yq",
    "sops",
    "envsubst",
    "kustomize",
    "kubectl",
    "helm",
    "jsonnet",
    "ytt",
    "curl",
    "gomplate",
];

/// The file or folder that a command prints.
fn source_of(command: &Invocation) -> Option<String> {
    let path = command.words.iter().rfind(|word| !word.starts_with('-'))?;
    let is_path = path.contains(['/', '.']) && !path.contains(['{', ' ', ';', '|']);
    let prints = SOURCES.contains(&command.program.as_str());
    (prints && is_path).then(|| joined(command.folder.as_deref(), path))
}

impl Walk {
    /// What is read from here on belongs to one pipeline with all around it. Returns what the place was before.
    pub(super) fn share(&mut self, is_shared: bool) -> Place {
        let before = self.place;
        self.place.is_shared |= is_shared;
        before
    }

    /// The place of a pipeline that begins here, of several commands or of one.
    fn begins(&mut self, has_several: bool) -> Place {
        if self.place.is_shared {
            return self.place;
        }
        self.pipelines += 1;
        Place { pipeline: self.pipelines, is_shared: has_several }
    }

    pub(super) fn pipeline(
        &mut self,
        Pipeline { bang, seq, .. }: &Pipeline,
        folder: &mut Folder,
        last: bool,
    ) {
        self.piped(seq.iter(), folder, last && !bang, Self::command);
    }

    /// Reads the commands of a pipeline, each with what those before it print.
    pub(super) fn piped<C>(
        &mut self,
        commands: impl ExactSizeIterator<Item = C>,
        folder: &mut Folder,
        last: bool,
        mut read: impl FnMut(&mut Self, C, &mut Folder, bool, Texts),
    ) {
        let count = commands.len();
        let mut piped = Vec::new();
        let mut source: Option<String> = None;
        let outer = if count > 1 { Some(std::mem::take(&mut self.hidden)) } else { None };
        let place = self.place;
        self.place = self.begins(count > 1);
        for (number, command) in commands.enumerate() {
            let at = self.found.len();
            let last = last && number + 1 == count;
            match count {
                1 => read(self, command, folder, last, Vec::new()),
                _ => read(self, command, &mut folder.clone(), last, std::mem::take(&mut piped)),
            }
            if let Some(source) = source.take() {
                for invocation in self.found.iter_mut().skip(at).filter(|one| one.input.is_empty()) {
                    invocation.variables.push((PIPED_FROM.to_owned(), source.clone()));
                }
            }
            if number + 1 < count {
                source = self.found.get(at..).and_then(<[_]>::last).and_then(source_of);
                piped = self.printed(at);
                let before = std::mem::take(&mut self.hidden);
                let stage = self.found.get(at..).unwrap_or_default();
                self.hidden = if piped.is_empty() { hidden(stage, before) } else { Vec::new() };
            }
        }
        if let Some(outer) = outer {
            self.hidden = outer;
        }
        self.place = place;
    }
}
