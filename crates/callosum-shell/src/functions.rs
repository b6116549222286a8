//! Functions of a line: what one is given to read, its commands read.

use std::ops::Range;

use super::carriers::{Rest, carriers};
use super::{Invocation, Texts};

/// A function that the line defines.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// Where in the list of what was found its commands stand.
    pub(super) body: Range<usize>,
    /// Those of them that read what the function is given, once it was called.
    readers: Option<Vec<usize>>,
}

impl Function {
    pub(super) fn new(name: String, body: Range<usize>) -> Self {
        Self { name, body, readers: None }
    }

    /// Gives its commands something to read; of a further call they are returned as commands of their own, and of the first
    /// those that may be shells.
    pub(super) fn call(&mut self, found: &mut [Invocation], input: &Texts) -> Vec<Invocation> {
        if let Some(readers) = &self.readers {
            let again = readers.iter().filter_map(|at| found.get(*at));
            return again.map(|one| Invocation { input: input.clone(), ..one.clone() }).collect();
        }
        let (mut fed, mut readers) = (Vec::new(), Vec::new());
        for at in self.body.clone() {
            if let Some(one) = found.get_mut(at).filter(|one| one.input.is_empty()) {
                one.input.clone_from(input);
                readers.push(at);
                if carriers(&one.program).any(|carrier| carrier.reads || carrier.rest == Rest::Shell) {
                    fed.push(one.clone());
                }
            }
        }
        self.readers = Some(readers);
        fed
    }
}
