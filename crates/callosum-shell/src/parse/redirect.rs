//! What programs read from and print to: redirections, here-documents, files that the line writes and reads again.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, RedirectList};

use super::{Folder, Walk};
use crate::command::REDIRECTION;
use crate::printed::{Access, Written, printed};
use crate::unread::Limit;
use crate::words::unquote;
use crate::{Invocation, MAX_INVOCATIONS, Texts, joined};

/// The files that a line writes to by `>`, so far.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    pub(super) list: Vec<Invocation>,
    /// What is being read is a sum: `(( 2 > 1 ))`.
    pub(super) in_sum: bool,
}

impl Walk {
    /// Takes in what a redirection says.
    pub(super) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        input: &mut Texts,
        written: &mut Vec<Written>,
        folder: &Folder,
    ) {
        match redirect {
            IoRedirect::HereDocument(_, document) => {
                let text = self.whole(&document.doc.value);
                if document.requires_expansion {
                    self.substituted_in_document(&text, folder);
                }
                let filled = if document.requires_expansion { self.filled(&text) } else { None };
                let text = filled.unwrap_or_else(|| text.into_owned());
                input.push(text.into());
            }
            IoRedirect::HereString(_, word) => {
                if let Some(document) = self.kept.document(&word.value) {
                    let (text, expands) = (document.text(), document.expands);
                    if expands {
                        self.substituted_in_document(&text, folder);
                        input.push(self.filled(&text).unwrap_or(text).into());
                    } else {
                        input.push(text.into());
                    }
                    return;
                }
                let mut words = Vec::new();
                self.word(word, &mut words, folder);
                let text = words.join(" ");
                input.push(self.undone(&text).unwrap_or(text).into());
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                let at = self.found.len();
                self.list(&subshell.list, &mut folder.clone(), false);
                input.extend(self.printed(at));
            }
            IoRedirect::File(of, kind, IoFileRedirectTarget::Filename(word)) => {
                self.substituted(&word.value, folder);
                let path = unquote(&self.whole(&word.value));
                match (of, kind) {
                    (None | Some(0), IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite) => {
                        self.file(&path, Access::Read, input, written, folder);
                    }
                    (None | Some(1), IoFileRedirectKind::Write | IoFileRedirectKind::Clobber) => {
                        self.file(&path, Access::Write, input, written, folder);
                    }
                    (None | Some(1), IoFileRedirectKind::Append) => {
                        self.file(&path, Access::Append, input, written, folder);
                    }
                    (_, IoFileRedirectKind::Read) => {}
                    (_, kind) => {
                        self.redirected(&path, matches!(kind, IoFileRedirectKind::Append), folder);
                    }
                }
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word))
            | IoRedirect::OutputAndError(word, _) => {
                let appends = matches!(redirect, IoRedirect::OutputAndError(_, true));
                self.substituted(&word.value, folder);
                let path = unquote(&self.whole(&word.value));
                // `2>&1`, `>&-`, `3>&4-`
                if !path.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit()) {
                    self.redirected(&path, appends, folder);
                }
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
        }
    }

    /// Takes in what the line has written into a file that is read, or notes one that is written.
    pub(super) fn file(
        &mut self,
        path: &str,
        access: Access,
        input: &mut Texts,
        written: &mut Vec<Written>,
        folder: &Folder,
    ) {
        if access != Access::Read {
            self.redirected(path, access == Access::Append, folder);
        }
        let path = joined(folder.as_deref(), path);
        if access == Access::Read {
            input.extend(self.files.read(&path));
        } else {
            written.push(Written { path, is_appended: access == Access::Append });
        }
    }

    /// Notes a file that the line writes to by `>`.
    pub(super) fn redirected(&mut self, path: &str, appends: bool, folder: &Folder) {
        // In a sum it says what is greater; of a subshell that is taken for one the name tells.
        if path.starts_with("/dev/") || self.redirects.in_sum && !path.contains(['.', '/', '~']) {
            return;
        }
        if self.redirects.list.len() >= MAX_INVOCATIONS {
            self.unread(Limit::Commands, &format!("{REDIRECTION} {}", joined(folder.as_deref(), path)));
            return;
        }
        let may_be_set = |path: &str| path.starts_with('$');
        let is_set = may_be_set(path) || folder.as_deref().is_some_and(may_be_set);
        self.redirects.list.push(Invocation {
            program: REDIRECTION.to_owned(),
            words: vec![path.to_owned()],
            folder: folder.clone(),
            appends,
            variables: if is_set { self.set.told().collect() } else { Vec::new() },
            ..Invocation::default()
        });
    }

    /// Notes the files that what is no command of its own writes to: `[[ … ]] > f`.
    pub(super) fn aside(&mut self, redirects: Option<&RedirectList>, folder: &Folder) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, &mut Texts::new(), &mut Vec::new(), folder);
        }
    }

    /// The same of a text that is cut roughly: whatever stands behind a `>`.
    pub(super) fn redirected_roughly(&mut self, text: &str) {
        for (at, _) in text.match_indices('>') {
            let rest = text.get(at + 1..).unwrap_or_default();
            let appends = rest.starts_with('>') || text.get(..at).is_some_and(|before| before.ends_with('>'));
            let rest = rest.trim_start_matches(['|', '!', '&', ' ', '\t']);
            let word = rest.split(|c: char| c.is_whitespace() || ";|&<>()".contains(c)).next();
            let path: String =
                word.into_iter().flat_map(str::chars).filter(|c| !"\"'\\".contains(*c)).collect();
            if !path.bytes().all(|byte| byte.is_ascii_digit()) {
                self.redirected(&path, appends, &None);
            }
        }
    }

    /// Notes what the programs found since `at` print as the content of files.
    pub(super) fn write(&mut self, at: usize, files: Vec<Written>) {
        if files.is_empty() {
            return;
        }
        let texts = self.printed(at);
        for file in files {
            if !self.files.write(&file, &texts) {
                texts.iter().for_each(|text| self.unread.add(Limit::Commands, text));
            }
        }
    }

    /// What the programs found since `at` print, if they only print.
    pub(super) fn printed(&mut self, at: usize) -> Texts {
        let found = self.found.get(at..).unwrap_or_default();
        match printed(found, &self.files, &mut self.room) {
            Ok(texts) => texts,
            Err(texts) => {
                texts.iter().for_each(|text| self.unread.add(Limit::Length, text));
                Texts::new()
            }
        }
    }
}
