//! The calls of a code, with what they are given: `boto3.client('s3').delete_object(Bucket='a', Key='b')`.
//!
//! What cannot be told stays open: it is a variable of the environment (`$TOKEN`), or nothing.

use std::collections::BTreeMap;

use super::Language;
use super::tokens::{Token, tokens};
use super::value::{Call, Given, Step, Value, as_text};

/// Brackets inside brackets are followed so deep.
const MAX_DEPTH: usize = 24;
/// At most this many tokens are examined, one several times where it stands in brackets.
const MAX_LOOKS: usize = 200_000;
/// A text that is put together is no longer.
const MAX_TEXT: usize = 16 * 1024;
/// Of a loop so many turns are read.
pub(super) const MAX_TURNS: usize = 32;
/// Of so many variables it is known what they are.
pub(super) const MAX_VARIABLES: usize = 256;

/// Calls that only give another form to what they are given.
const WRAPPERS: &[&str] = &[
    "stringify",
    "dumps",
    "urlencode",
    "URI",
    "parse",
    "URL",
    "URLSearchParams",
    "FormData",
    "str",
    "String",
    "quote",
    "text",
    "freeze",
    "from",
    "bytes",
    "SecretStr",
    "Uri",
];
/// Methods that only give another form to the text or structure before them.
const FORMS: &[&str] =
    &["encode", "to_json", "toString", "to_s", "trim", "strip", "freeze", "format", "decode", "href"];

/// What was found in a code.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) calls: Vec<Call>,
    /// What is set in something: of `m["To"] = x` the name and the value.
    set: Vec<(String, Value)>,
    /// Functions that a client of HTTP lends the code: `from requests import post`.
    lent: Vec<String>,
}

pub(super) struct Reader {
    pub(super) tokens: Vec<Token>,
    variables: BTreeMap<String, Value>,
    looks: usize,
    /// The variables of loops over lists that stand in the code, with what they are, one a turn.
    pub(super) loops: BTreeMap<String, Vec<Value>>,
    /// The turn that is being read.
    pub(super) turn: usize,
}

impl Reading {
    pub(super) fn of(language: Language, code: &str) -> Self {
        let tokens = tokens(language, code);
        let (variables, loops) = (BTreeMap::new(), BTreeMap::new());
        let mut reader = Reader { tokens, variables, looks: MAX_LOOKS, loops, turn: 0 };
        let mut reading = Self::turn(&mut reader);
        let turns = reader.loops.values().map(Vec::len).max().unwrap_or(0);
        let looks = MAX_LOOKS - reader.looks;
        // What stands in a loop is read once for each, where all turns can be.
        if turns == 0 || looks.saturating_mul(turns + 1) > MAX_LOOKS {
            return reading;
        }
        reading = Self::default();
        for turn in 0..turns {
            reader.turn = turn;
            for (name, items) in reader.loops.clone() {
                reader.keep(name, items.get(turn % items.len().max(1)).cloned().unwrap_or(Value::Open));
            }
            let one = Self::turn(&mut reader);
            for call in one.calls {
                if !reading.calls.contains(&call) {
                    reading.calls.push(call);
                }
            }
            reading.set.extend(one.set);
            reading.lent = one.lent;
        }
        reading
    }

    /// Reads the code once.
    fn turn(reader: &mut Reader) -> Self {
        let mut reading = Self::default();
        let (mut at, mut open) = (0, Vec::new());
        while at < reader.tokens.len() && reader.looks > 0 {
            // `(await fetched()).send()`
            let is_awaited = reader.sign(at) == "(" && reader.name(at + 1) == Some("await");
            if is_awaited {
                reader.called(at, &mut reading);
            } else if reader.sign(at) == "[" {
                reader.each(at);
            }
            match reader.sign(at) {
                sign @ ("(" | "[" | "{") => open.push(sign == "{"),
                ")" | "]" | "}" => drop(open.pop()),
                // In round brackets a `=` gives something to a call.
                _ => reader.statement(at, open.last().is_none_or(|is_block| *is_block), &mut reading),
            }
            at += 1;
        }
        reading
    }

    /// Whether a client of HTTP lends the code this function.
    pub(super) fn lends(&self, name: &str) -> bool {
        self.lent.iter().any(|lent| lent == name)
    }

    /// What is set under a name, in whatever case: of `m["To"] = x` the value.
    pub(super) fn set_as<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r Value> {
        let is_it = move |(key, _): &&(String, Value)| key.eq_ignore_ascii_case(name);
        self.set.iter().filter(is_it).map(|(_, value)| value)
    }
}

impl Reader {
    pub(super) fn sign(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(Token::Sign(sign)) => sign,
            _ => "",
        }
    }

    pub(super) fn name(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Looks at what begins at a token: what is set there, and the call that begins there.
    fn statement(&mut self, at: usize, may_set: bool, reading: &mut Reading) {
        let Some(name) = self.name(at).map(str::to_owned) else { return };
        let before = at.checked_sub(1);
        if before
            .is_some_and(|before| matches!(self.sign(before), "." | "?." | "->") || self.sign(before) == "::")
        {
            return;
        }
        // A definition is no call.
        if before.is_some_and(|before| matches!(self.name(before), Some("def" | "function" | "class"))) {
            return;
        }
        match name.as_str() {
            "for" => return self.looped(at),
            "from" => reading.lent.extend(self.lent(at)),
            "new" | "await" | "return" | "const" | "let" | "var" | "async" | "yield" | "if" | "in" => return,
            // `import requests as r`, `with connect() as c:`
            "import" | "with" => {
                let Some((value, end)) = self.expression(at + 1, 0) else { return };
                if self.name(end) == Some("as")
                    && let Some(alias) = self.name(end + 1).map(str::to_owned)
                {
                    self.keep(alias, value);
                }
                return;
            }
            _ => {}
        }
        let is_begin = before.is_none_or(|before| {
            matches!(self.tokens.get(before), Some(Token::Break))
                || matches!(self.sign(before), ";" | "{" | ":" | ")")
                || matches!(self.name(before), Some("const" | "let" | "var" | "global"))
        });
        if is_begin && may_set {
            self.assignment(at, reading);
        }
        self.called(at, reading);
    }

    /// Notes the calls of an expression that begins at a token.
    fn called(&mut self, at: usize, reading: &mut Reading) {
        if let Some((Value::Chain(steps), _)) = self.expression(at, 0)
            && steps.iter().any(|step| step.given.is_some())
        {
            // What a call comes to may be asked for more: `post(…).json()`.
            let last = steps.iter().rposition(|step| step.given.is_some()).unwrap_or_default();
            for end in 0..=last {
                if let Some(own) =
                    steps.get(..=end).filter(|own| own.last().is_some_and(|step| step.given.is_some()))
                {
                    let call = Call { steps: own.to_vec() };
                    if !reading.calls.contains(&call) {
                        reading.calls.push(call);
                    }
                }
            }
        }
    }

    /// `a = x`, `a, m["To"] = x, y`
    fn assignment(&mut self, at: usize, reading: &mut Reading) {
        let mut targets = Vec::new();
        let mut end = at;
        loop {
            let Some(name) = self.name(end).map(str::to_owned) else { return };
            let key = match self.tokens.get(end + 1..end + 4) {
                Some([Token::Sign("["), Token::Text(key, _), Token::Sign("]")]) => Some(key.clone()),
                Some([Token::Sign("."), Token::Name(key), _]) => Some(key.clone()),
                _ => None,
            };
            end += match (&key, self.sign(end + 1)) {
                (None, _) => 1,
                (Some(_), ".") => 3,
                (Some(_), _) => 4,
            };
            targets.push((name, key));
            match self.sign(end) {
                "," => end += 1,
                "=" => break,
                _ => return,
            }
        }
        end += 1;
        let several = targets.len() > 1;
        for (name, key) in targets {
            let Some((value, behind)) = self.expression(end, 0) else { return };
            match key {
                Some(key) => reading.set.push((key, value)),
                None => self.keep(name, value),
            }
            if several {
                if self.sign(behind) != "," {
                    return;
                }
                end = behind + 1;
            }
        }
    }

    pub(super) fn keep(&mut self, name: String, value: Value) {
        if self.variables.len() < MAX_VARIABLES || self.variables.contains_key(&name) {
            self.variables.insert(name, value);
        }
    }

    /// The place behind ends of lines.
    fn next(&self, at: usize) -> usize {
        let breaks = self.tokens.iter().skip(at).take_while(|token| **token == Token::Break).count();
        at + breaks
    }

    /// The expression that begins at a token, and the place behind it.
    pub(super) fn expression(&mut self, at: usize, depth: usize) -> Option<(Value, usize)> {
        let (mut value, mut end) = self.operand(at, depth)?;
        loop {
            let behind = self.next(end);
            let joined = match self.tokens.get(behind) {
                Some(Token::Sign("+")) => self.next(behind + 1),
                // Texts side by side are one.
                Some(Token::Text(..)) if depth > 0 && matches!(value, Value::Text(_)) => behind,
                Some(Token::Sign("%")) => {
                    let (_, behind) = self.operand(self.next(behind + 1), depth)?;
                    end = behind;
                    continue;
                }
                Some(Token::Sign("||" | "??")) => {
                    let (_, behind) = self.operand(self.next(behind + 1), depth)?;
                    end = behind;
                    continue;
                }
                _ => return Some((value, end)),
            };
            let (more, behind) = self.operand(joined, depth)?;
            let (Some(own), Some(more)) = (as_text(&value), as_text(&more)) else {
                return Some((Value::Open, behind));
            };
            value = if own.len() + more.len() > MAX_TEXT { Value::Open } else { Value::Text(own + &more) };
            end = behind;
        }
    }

    fn operand(&mut self, at: usize, depth: usize) -> Option<(Value, usize)> {
        self.looks = self.looks.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let at = self.next(at);
        let (value, mut end) = match self.tokens.get(at)?.clone() {
            Token::Text(text, has_names) => {
                (Value::Text(if has_names { self.filled(&text) } else { text }), at + 1)
            }
            Token::Number(number) => (Value::Text(number), at + 1),
            Token::Sign("-") => {
                let Some(Token::Number(number)) = self.tokens.get(at + 1) else { return None };
                (Value::Text(format!("-{number}")), at + 2)
            }
            Token::Sign("[") => {
                let (items, end) = self.items(at + 1, "]", depth)?;
                (Value::List(items.placed), end)
            }
            Token::Sign("{") => {
                let (items, end) = self.items(at + 1, "}", depth)?;
                (Value::Map(items.named), end)
            }
            Token::Sign("(") => {
                let (items, end) = self.items(at + 1, ")", depth)?;
                match <[Value; 1]>::try_from(items.placed) {
                    Ok([one]) => (one, end),
                    Err(several) => (Value::List(several), end),
                }
            }
            Token::Sign(":") if self.name(at + 1).is_some() => {
                (Value::Text(self.name(at + 1).unwrap_or_default().to_owned()), at + 2)
            }
            Token::Name(name) => match name.as_str() {
                "new" | "await" | "async" => return self.operand(at + 1, depth + 1),
                "True" | "true" => (Value::Text("true".to_owned()), at + 1),
                "False" | "false" => (Value::Text("false".to_owned()), at + 1),
                "None" | "null" | "nil" | "undefined" => (Value::Open, at + 1),
                _ => (Value::Chain(vec![Step { name, given: None }]), at + 1),
            },
            _ => return None,
        };
        let own = match value {
            Value::Chain(own) => own,
            // `"{}".format(x)`, `[…].map(…)`
            known => {
                while matches!(self.sign(end), "." | "?.") && self.name(end + 1).is_some() {
                    let is_form = self.name(end + 1).is_some_and(|name| FORMS.contains(&name));
                    let behind = match self.sign(end + 2) {
                        "(" => self.items(end + 3, ")", depth)?.1,
                        _ => end + 2,
                    };
                    if !is_form {
                        return Some((Value::Open, behind));
                    }
                    end = behind;
                }
                return Some((known, end));
            }
        };
        let (steps, end) = self.steps(own, end, depth)?;
        Some((self.told(steps), end))
    }

    /// The further steps of a chain.
    fn steps(&mut self, mut steps: Vec<Step>, mut end: usize, depth: usize) -> Option<(Vec<Step>, usize)> {
        loop {
            // A chain may go on in the next line: `\n  .send()`.
            let behind = self.next(end);
            let is_further = matches!(self.sign(behind), "." | "?." | "->");
            let at = if is_further { behind } else { end };
            match self.sign(at) {
                "." | "?." | "::" | "->" => {
                    let Some(name) = self.name(at + 1) else { return Some((steps, end)) };
                    steps.push(Step { name: name.to_owned(), given: None });
                    end = at + 2;
                }
                "(" => {
                    let (given, behind) = self.items(at + 1, ")", depth)?;
                    let last = steps.last_mut()?;
                    if last.given.is_some() {
                        steps.push(Step { name: String::new(), given: Some(given) });
                    } else {
                        last.given = Some(given);
                    }
                    end = behind;
                }
                "[" => {
                    let (items, behind) = self.items(at + 1, "]", depth)?;
                    let name = items.placed.first().and_then(as_text).unwrap_or_default();
                    steps.push(Step { name, given: None });
                    end = behind;
                }
                _ => return Some((steps, end)),
            }
        }
    }

    /// What stands in brackets up to `close`, between commas.
    pub(super) fn items(&mut self, at: usize, close: &str, depth: usize) -> Option<(Given, usize)> {
        let mut given = Given::default();
        let mut at = self.next(at);
        while self.sign(at) != close {
            self.tokens.get(at)?;
            if matches!(self.sign(at), "," | "*" | "**" | "..." | "&" | ";") {
                at = self.next(at + 1);
                continue;
            }
            let key = match (self.tokens.get(at), self.tokens.get(at + 1)) {
                (Some(Token::Name(key)), Some(Token::Sign("=" | ":"))) => Some((key.clone(), at + 2)),
                (Some(Token::Text(key, _)), Some(Token::Sign(":" | "=>"))) => Some((key.clone(), at + 2)),
                // Ruby's `:to => x`.
                (Some(Token::Sign(":")), Some(Token::Name(key))) if self.sign(at + 2) == "=>" => {
                    Some((key.clone(), at + 3))
                }
                _ => None,
            };
            let from = key.as_ref().map_or(at, |(_, from)| *from);
            let (value, end) = match self.expression(from, depth + 1) {
                Some((value, end)) if matches!(self.sign(self.next(end)), "," | ")" | "]" | "}" | ";") => {
                    (value, end)
                }
                // Something else than these: a function, a condition.
                _ => (Value::Open, self.behind_item(from)?),
            };
            match key {
                Some((key, _)) => given.named.push((key, value)),
                // `{url, method}`
                None if close == "}" => {
                    if let Some(name) = self.name(at).map(str::to_owned) {
                        given.named.push((name, value));
                    }
                }
                None => given.placed.push(value),
            }
            at = self.next(end);
        }
        Some((given, at + 1))
    }

    /// The place of the comma or bracket behind something that is not understood.
    fn behind_item(&mut self, from: usize) -> Option<usize> {
        let (mut at, mut open) = (from, 0_usize);
        loop {
            self.looks = self.looks.checked_sub(1)?;
            self.tokens.get(at)?;
            match self.sign(at) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" if open == 0 => return Some(at),
                ")" | "]" | "}" => open -= 1,
                "," if open == 0 => return Some(at),
                _ => {}
            }
            at += 1;
        }
    }

    /// A chain with the variable in it that it begins with, or the value that it only gives another form.
    fn told(&self, steps: Vec<Step>) -> Value {
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        match names.as_slice() {
            ["os" | "process", "environ" | "env", name] | ["ENV", name] if *name != "get" => {
                return Value::Text(format!("${name}"));
            }
            ["os", "getenv"] | ["os", "environ", "get"] | ["ENV", "fetch"] => {
                let given = steps.last().and_then(|step| step.given.as_ref());
                let name = given.and_then(|given| as_text(given.placed.first()?));
                return name.map_or(Value::Open, |name| Value::Text(format!("${name}")));
            }
            _ => {}
        }
        if let Some(last) = steps.last()
            && let Some(given) = &last.given
        {
            if WRAPPERS.contains(&last.name.as_str())
                && let Some(value) = given.placed.first()
                && !matches!(value, Value::Chain(_) | Value::Open)
            {
                return value.clone();
            }
            if let [root, form] = steps.as_slice()
                && FORMS.contains(&form.name.as_str())
                && let Some(value @ (Value::Text(_) | Value::Map(_))) = self.variables.get(&root.name)
            {
                return value.clone();
            }
            // `json.dumps(…).encode()`
            if let [.., made, form] = steps.as_slice()
                && FORMS.contains(&form.name.as_str())
                && WRAPPERS.contains(&made.name.as_str())
                && let Some(value @ (Value::Text(_) | Value::Map(_))) =
                    made.given.as_ref().and_then(|given| given.placed.first())
            {
                return value.clone();
            }
        }
        if let Some(module) = required(&steps) {
            return Value::Chain(module);
        }
        let Some((root, rest)) = steps.split_first() else { return Value::Open };
        match self.variables.get(&root.name) {
            Some(Value::Chain(own)) => {
                let mut whole = own.clone();
                // The variable itself is called: its last step gets the arguments.
                match (&root.given, whole.last_mut()) {
                    (Some(given), Some(last)) if last.given.is_none() => last.given = Some(given.clone()),
                    _ => {}
                }
                whole.extend(rest.iter().cloned());
                Value::Chain(whole)
            }
            Some(value) if rest.is_empty() && root.given.is_none() => value.clone(),
            Some(Value::Map(fields)) => match rest {
                [only] if only.given.is_none() => {
                    let field = fields.iter().find(|(name, _)| *name == only.name);
                    field.map_or(Value::Open, |(_, value)| value.clone())
                }
                _ => Value::Chain(steps),
            },
            _ => Value::Chain(steps),
        }
    }

    /// A text with what stands for names in braces put in.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let before = rest.get(..at).unwrap_or_default();
            filled.push_str(before.strip_suffix(['$', '#']).unwrap_or(before));
            let inside = rest.get(at + 1..).unwrap_or_default();
            let Some((name, behind)) = inside.split_once('}') else {
                rest = rest.get(at..).unwrap_or_default();
                break;
            };
            let name = name.trim();
            match self.variables.get(name) {
                Some(Value::Text(value)) => filled.push_str(value),
                _ => {
                    let last = name.trim_end_matches(['"', '\'', ']', ')']);
                    let last = last.rsplit(['.', '"', '\'']).next().unwrap_or(last);
                    filled.push('$');
                    filled.push_str(last);
                }
            }
            rest = behind;
            if filled.len() > MAX_TEXT {
                return filled;
            }
        }
        filled.push_str(rest);
        filled
    }
}

/// The steps with a module of JavaScript by its name: `require("stripe")(key)` is `stripe(key)`.
fn required(steps: &[Step]) -> Option<Vec<Step>> {
    let (root, rest) =
        steps.split_first().filter(|(root, _)| matches!(root.name.as_str(), "require" | "import"))?;
    let path = as_text(root.given.as_ref()?.placed.first()?)?;
    let mut module = Step { name: path.rsplit('/').next().unwrap_or(&path).to_owned(), given: None };
    let rest = match rest.split_first() {
        Some((call, behind)) if call.name.is_empty() => {
            module.given.clone_from(&call.given);
            behind
        }
        _ => rest,
    };
    Some(std::iter::once(module).chain(rest.iter().cloned()).collect())
}
