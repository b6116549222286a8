//! What programs read from and print to: redirections, here-documents, files that the line writes and reads again.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::{Folder, Walk};
use crate::Texts;
use crate::joined;
use crate::printed::printed;
use crate::unread::Limit;
use crate::words::unquote;

impl Walk {
    /// Takes in what a redirection says.
    pub(super) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        input: &mut Texts,
        written: &mut Vec<String>,
        folder: &Folder,
    ) {
        match redirect {
            IoRedirect::HereDocument(_, document) => {
                let text = self.whole(&document.doc.value);
                if document.requires_expansion {
                    self.substituted_in_document(&text, folder);
                }
                input.push(text.into());
            }
            IoRedirect::HereString(_, word) => {
                if let Some(document) = self.kept.document(&word.value) {
                    let (text, expands) = (document.text(), document.expands);
                    if expands {
                        self.substituted_in_document(&text, folder);
                    }
                    input.push(text.into());
                    return;
                }
                self.substituted(&word.value, folder);
                input.push(unquote(&self.whole(&word.value)).into());
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
                        self.file(&path, true, input, written, folder);
                    }
                    (
                        None | Some(1),
                        IoFileRedirectKind::Write | IoFileRedirectKind::Append | IoFileRedirectKind::Clobber,
                    ) => self.file(&path, false, input, written, folder),
                    _ => {}
                }
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Duplicate(word))
            | IoRedirect::OutputAndError(word, _) => {
                self.substituted(&word.value, folder);
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
        }
    }

    /// Takes in what the line has written into a file that is read, or notes one that is written.
    pub(super) fn file(
        &mut self,
        path: &str,
        is_read: bool,
        input: &mut Texts,
        written: &mut Vec<String>,
        folder: &Folder,
    ) {
        let path = joined(folder.as_deref(), path);
        if is_read {
            input.extend(self.files.read(&path));
        } else {
            written.push(path);
        }
    }

    /// Notes what the programs found since `at` print as the content of files.
    pub(super) fn write(&mut self, at: usize, paths: Vec<String>) {
        if paths.is_empty() {
            return;
        }
        let texts = self.printed(at);
        for path in paths {
            self.files.write(path, texts.clone());
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
