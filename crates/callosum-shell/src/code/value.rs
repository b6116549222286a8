//! Values and calls, as far as a code says them.

use serde_json::{Map, Value as Json};

/// A value, as far as the code says it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// What comes of calls.
    Chain(Vec<Step>),
    /// Nothing that is known.
    Open,
}

/// One step of `a.b(c).d`: its name, and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) given: Option<Given>,
}

/// What a call is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Given {
    pub(super) placed: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
}

/// Steps of which the last is called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) steps: Vec<Step>,
}

/// A value as a text; what is not known as a variable that nobody tells.
pub(super) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Chain(steps) => Some(format!("${}", steps.last().map_or("_", |step| step.name.as_str()))),
        Value::Open => Some("$_".to_owned()),
        Value::List(_) | Value::Map(_) => None,
    }
}

/// A value as JSON; what is not known is null.
pub(super) fn as_json(value: &Value) -> Json {
    match value {
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(as_json).collect()),
        Value::Map(fields) => Json::Object(
            fields.iter().map(|(name, value)| (name.clone(), as_json(value))).collect::<Map<_, _>>(),
        ),
        Value::Chain(_) | Value::Open => Json::Null,
    }
}

/// The texts in a value, those of a list each by itself.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().flat_map(texts).collect(),
        Value::Map(fields) => {
            let address = fields.iter().find(|(name, _)| matches!(name.as_str(), "email" | "address"));
            address.map(|(_, value)| texts(value)).unwrap_or_default()
        }
        Value::Text(text) => vec![text.clone()],
        Value::Chain(_) | Value::Open => Vec::new(),
    }
}

impl Call {
    /// The name of the last step.
    pub(super) fn name(&self) -> &str {
        self.steps.last().map_or("", |step| step.name.as_str())
    }

    /// What the last step is given.
    pub(super) fn given(&self) -> Option<&Given> {
        self.steps.last()?.given.as_ref()
    }

    /// What a step of this name is given; the first of several.
    pub(super) fn given_to(&self, name: &str) -> Option<&Given> {
        self.steps.iter().find(|step| step.name == name)?.given.as_ref()
    }

    /// Whether there is a step of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.steps.iter().any(|step| step.name == name)
    }

    /// The names of the steps before the last.
    pub(super) fn before(&self) -> impl DoubleEndedIterator<Item = &str> {
        let count = self.steps.len().saturating_sub(1);
        self.steps.iter().take(count).map(|step| step.name.as_str())
    }
}

impl Given {
    /// What is given under a name: as an argument of that name, or in a structure that is an argument.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Value> {
        let maps = self.placed.iter().filter_map(|value| match value {
            Value::Map(fields) => Some(fields),
            _ => None,
        });
        let all = self.named.iter().chain(maps.flatten());
        let find = |name: &&str| all.clone().find(|(own, _)| own == name).map(|(_, value)| value);
        names.iter().find_map(find)
    }

    /// The same as a text; where no name is given, the argument at this place.
    pub(super) fn text(&self, names: &[&str], place: Option<usize>) -> Option<String> {
        let placed = || self.placed.get(place?).filter(|value| !matches!(value, Value::Map(_)));
        self.value(names).or_else(placed).and_then(as_text)
    }

    /// All that is given under names, as one structure.
    pub(super) fn fields(&self) -> Vec<(String, Value)> {
        let maps = self.placed.iter().filter_map(|value| match value {
            Value::Map(fields) => Some(fields.clone()),
            _ => None,
        });
        self.named.iter().cloned().chain(maps.flatten()).collect()
    }
}
