//! Calls of functions that the line defines.

use super::{Around, Walk};
use crate::unread::Limit;

impl Walk {
    /// Lets the commands of a function read what it is given.
    pub(super) fn call(&mut self, name: &str, around: &Around) {
        let Some(at) = self.functions.iter().rposition(|function| function.name == name) else { return };
        // A long function that is called again and again is soon more than is looked at.
        if self.is_full() {
            self.refuse(Limit::Commands, name, around);
            return;
        }
        let Some(function) = self.functions.get_mut(at) else { return };
        for command in function.call(&mut self.found, &around.input) {
            let words: Vec<String> = std::iter::once(command.program).chain(command.words).collect();
            let (variables, folder, open) = (command.variables, command.folder, command.open);
            let input = command.input;
            if self.is_full() {
                self.refuse(Limit::Commands, &words.join(" "), around);
                return;
            }
            self.run(words, Around { variables, input, folder, open, ..Around::default() });
        }
    }
}
