//! Loops over lists that stand in a code, and functions that a client of HTTP lends it.

use super::read::{MAX_TURNS, MAX_VARIABLES, Reader};
use super::tokens::Token;
use super::value::Value;

/// Clients of HTTP that lend a code their functions.
const CLIENTS: &[&str] =
    &["requests", "httpx", "axios", "ky", "got", "undici", "needle", "superagent", "niquests"];

impl Reader {
    /// `for to in ["a", "b"]`, `for (const to of ["a", "b"])`: the variable is each of them in its turn.
    pub(super) fn looped(&mut self, at: usize) {
        let is_word = |name: &str| matches!(name, "const" | "let" | "var" | "await");
        let mut begin = at + 1;
        while self.sign(begin) == "(" || self.name(begin).is_some_and(is_word) {
            begin += 1;
        }
        let Some(name) = self.name(begin).map(str::to_owned) else { return };
        if !matches!(self.name(begin + 1), Some("in" | "of")) {
            return;
        }
        if let Some((Value::List(items), _)) = self.expression(begin + 2, 0) {
            self.turns(name, items);
        }
    }

    /// `["a", "b"].each { |to| … }`, `["a", "b"].forEach(to => …)`, of which the brackets begin at a token.
    pub(super) fn each(&mut self, at: usize) {
        let Some((items, end)) = self.items(at + 1, "]", 0) else { return };
        if self.sign(end) != "." || !matches!(self.name(end + 1), Some("each" | "forEach" | "map")) {
            return;
        }
        let mut begin = end + 2;
        while matches!(self.sign(begin), "(" | "{" | "|")
            || matches!(self.name(begin), Some("do" | "async" | "function"))
        {
            begin += 1;
        }
        if let Some(name) = self.name(begin).map(str::to_owned) {
            self.turns(name, items.placed);
        }
    }

    /// Notes what a loop's variable is in each turn, and sets it for this one.
    fn turns(&mut self, name: String, items: Vec<Value>) {
        if items.is_empty() || !items.iter().all(|item| matches!(item, Value::Text(_) | Value::Map(_))) {
            return;
        }
        if items.len() > MAX_TURNS {
            self.keep(name, Value::Open);
            return;
        }
        let item = items.get(self.turn % items.len()).cloned().unwrap_or(Value::Open);
        if self.loops.len() < MAX_VARIABLES {
            self.loops.insert(name.clone(), items);
        }
        self.keep(name, item);
    }

    /// The functions that `from requests import post` or `import { post } from "axios"` lends, of which the `from` is at a token.
    pub(super) fn lent(&self, at: usize) -> Vec<String> {
        let is_client = |name: &str| CLIENTS.contains(&name);
        let names = |tokens: &[Token]| {
            let name = |token: &Token| match token {
                Token::Name(name) => Some(name.clone()),
                _ => None,
            };
            tokens.iter().filter_map(name).collect()
        };
        match (self.tokens.get(at + 1), self.name(at + 2)) {
            (Some(Token::Name(module)), Some("import")) if is_client(module) => {
                let behind = self.tokens.get(at + 3..).unwrap_or_default();
                let end = behind.iter().position(|token| *token == Token::Break).unwrap_or(behind.len());
                names(behind.get(..end).unwrap_or_default())
            }
            (Some(Token::Text(module, _)), _) if is_client(module) => {
                let before = self.tokens.get(..at).unwrap_or_default();
                let begin = before.iter().rposition(|token| *token == Token::Sign("{"));
                begin.and_then(|begin| before.get(begin..)).map(names).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
