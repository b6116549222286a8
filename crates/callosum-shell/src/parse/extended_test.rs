//! What `[[ … ]]` runs.

use brush_parser::ast::ExtendedTestExpr;

use super::{Folder, Walk};

impl Walk {
    /// Reads what runs to make the words of `[[ … ]]`. A long test is a deep tree, so nothing here calls itself.
    pub(super) fn test(&mut self, test: &ExtendedTestExpr, folder: &Folder) {
        let mut left = vec![test];
        while let Some(test) = left.pop() {
            match test {
                ExtendedTestExpr::And(first, second) | ExtendedTestExpr::Or(first, second) => {
                    left.extend([second.as_ref(), first.as_ref()]);
                }
                ExtendedTestExpr::Not(test) | ExtendedTestExpr::Parenthesized(test) => left.push(test),
                ExtendedTestExpr::UnaryTest(_, word) => self.substituted(&word.value, folder),
                ExtendedTestExpr::BinaryTest(_, one, other) => {
                    self.substituted(&one.value, folder);
                    self.substituted(&other.value, folder);
                }
            }
        }
    }
}
