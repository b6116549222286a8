//! Calls of functions that the line defines.

use std::rc::Rc;

use super::pipeline::ANYWHERE;
use super::{Around, Folder, Walk};
use crate::expansion::Parameters;
use crate::functions::{Body, Function};
use crate::unread::Limit;
use crate::words::{looked_up, program_name, quoted};
use crate::{MAX_NESTING, Texts};

impl Walk {
    /// Keeps a function until it is called. One of the same name is no more.
    pub(super) fn define(&mut self, function: Function) {
        match self.functions.iter_mut().find(|known| known.name == function.name) {
            // It may have been called where it was not seen.
            Some(known) if known.is_called => *known = function,
            _ => self.functions.push(function),
        }
    }

    /// Keeps what a name stands for from here on: of `alias`.
    pub(super) fn name(&mut self, name: &str, text: &str) {
        self.define(Function {
            name: name.to_owned(),
            body: Body::Text(text.into()),
            is_called: false,
            is_told: false,
        });
    }

    /// Notes a program that these words of `cp` or `ln` give another name: `ln -s /usr/bin/git ./g`.
    pub(super) fn name_copied(&mut self, words: &[String]) {
        let mut operands = words.iter().filter(|word| !word.starts_with('-'));
        let (Some(from), Some(to), None) = (operands.next(), operands.next(), operands.next()) else {
            return;
        };
        let program = looked_up(from);
        let has_bin = |path: &str| path.contains("bin/");
        let program = program.or_else(|| Some(from.as_str()).filter(|from| has_bin(from)));
        let Some(program) = program.filter(|program| program_name(program) != program_name(to)) else {
            return;
        };
        if has_bin(to) {
            self.name(program_name(to), program);
        }
        let path = if to.contains('/') { to.clone() } else { format!("./{to}") };
        self.name(&path, program);
    }

    /// Reads what a function does that is called with these words.
    pub(super) fn call(&mut self, words: &[String], around: &Around, folder: &mut Folder) {
        let Some((name, arguments)) = words.split_first() else { return };
        let is_stopped = self.is_full() || self.calls.len() >= MAX_NESTING || self.left_to_walk == 0;
        let Some(function) = self.functions.iter_mut().rev().find(|function| function.name == *name) else {
            return;
        };
        function.is_called = true;
        let body = function.body.clone();
        // What it does with the same words it has done.
        let is_same = |call: &(Vec<String>, Body)| call.0 == words && call.1.is(&body);
        if self.calls.iter().any(is_same) {
            return;
        }
        if is_stopped {
            let limit = if self.calls.len() >= MAX_NESTING { Limit::Nesting } else { Limit::Commands };
            // A long one is told once.
            let is_told = std::mem::replace(&mut function.is_told, true);
            let text = match &body {
                _ if is_told => String::new(),
                Body::Code(code, kept) => kept.code(&code.to_string()).into_owned(),
                Body::Text(text) => text.to_string(),
            };
            self.refuse(limit, &format!("{text}\n{}", words.join(" ")), around);
            return;
        }
        let call = (words.to_vec(), body.clone());
        match body {
            Body::Text(text) => self.nested(&format!("{text} {}", quoted(arguments)), around),
            Body::Code(code, kept) => {
                // The line itself is given no words.
                let is_none =
                    |word: &&String| self.parameters.is_none() && matches!(word.as_str(), "$@" | "$*");
                let parameters = Parameters {
                    words: arguments.iter().filter(|word| !is_none(word)).cloned().collect(),
                    open: around.open,
                    zero: self.parameters.as_ref().and_then(|parameters| parameters.zero.clone()),
                    is_set: false,
                };
                self.calls.push(call);
                let outer = self.parameters.replace(Rc::new(parameters));
                let kept = std::mem::replace(&mut self.kept, kept);
                let handed = if around.input.is_empty() { self.handed.clone() } else { around.input.clone() };
                let handed = std::mem::replace(&mut self.handed, handed);
                self.compound(&code, folder, false);
                self.handed = handed;
                self.kept = kept;
                self.parameters = outer;
                self.calls.pop();
            }
        }
    }

    /// Reads the functions that were never called, as far as was seen.
    pub(super) fn uncalled(&mut self) {
        let mut at = 0;
        while let Some(function) = self.functions.get_mut(at) {
            at += 1;
            if std::mem::replace(&mut function.is_called, true) {
                continue;
            }
            let Body::Code(code, kept) = function.body.clone() else { continue };
            let place = std::mem::replace(&mut self.place, ANYWHERE);
            let outer = std::mem::replace(&mut self.kept, kept);
            self.handed = Texts::new();
            self.compound(&code, &mut None, false);
            self.kept = outer;
            self.place = place;
        }
    }
}
