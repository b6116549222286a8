//! Words in what was written: ranked by BM25, the newest first among equals.

use std::collections::HashMap;

use callosum_core::model::redact::redact;
use callosum_core::model::text::one_line;
use serde::Serialize;

/// The usual parameters of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Characters of a text that are looked at, and that are shown.
const TEXT_CHARS: usize = 4_000;
const PREVIEW_CHARS: usize = 200;

/// Something that may be found.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where it stands.
    pub source: String,
    /// What it says.
    pub text: String,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// How it begins.
    pub preview: String,
    /// Where it stands.
    pub source: String,
}

/// The best of these documents, which come newest first; at most so many.
#[must_use]
pub fn search(query: &str, documents: &[Document], most: usize) -> Vec<Found> {
    let mut wanted = words(query);
    wanted.sort();
    wanted.dedup();
    let counted: Vec<(HashMap<String, u32>, usize)> =
        documents.iter().map(|document| count(&document.text)).collect();
    let lengths: usize = counted.iter().map(|(_, length)| length).sum();
    let average = (lengths as f64 / counted.len().max(1) as f64).max(1.0);
    let all = counted.len() as f64;
    let weight: Vec<f64> = wanted
        .iter()
        .map(|word| {
            let having = counted.iter().filter(|(words, _)| words.contains_key(word)).count() as f64;
            // The system's own would be one more library that each hook's process loads.
            libm::log(1.0 + (all - having + 0.5) / (having + 0.5))
        })
        .collect();
    let mut found: Vec<(f64, usize)> = counted
        .iter()
        .enumerate()
        .filter_map(|(place, (words, length))| {
            let score: f64 = wanted
                .iter()
                .zip(&weight)
                .filter_map(|(word, weight)| {
                    let often = f64::from(*words.get(word)?);
                    let norm = K1 * (1.0 - B + B * *length as f64 / average);
                    Some(weight * often * (K1 + 1.0) / (often + norm))
                })
                .sum();
            (score > 0.0).then_some((score, place))
        })
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let shown = found.into_iter().take(most).filter_map(|(score, place)| {
        let document = documents.get(place)?;
        Some(Found {
            score: (score / (score + 1.0) * 1_000.0).round() / 1_000.0,
            preview: one_line(&redact(&document.text), PREVIEW_CHARS),
            source: document.source.clone(),
        })
    });
    shown.collect()
}

/// The words of a text, in small letters.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn count(text: &str) -> (HashMap<String, u32>, usize) {
    let text: String = text.chars().take(TEXT_CHARS).collect();
    let all = words(&text);
    let length = all.len();
    let mut counts = HashMap::new();
    for word in all {
        *counts.entry(word).or_insert(0) += 1;
    }
    (counts, length)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
    use super::*;

    fn found(query: &str, texts: &[&str]) -> Vec<String> {
        let documents: Vec<Document> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| Document { source: number.to_string(), text: (*text).to_owned() })
            .collect();
        search(query, &documents, 3).into_iter().map(|found| found.source).collect()
    }

    #[test]
    fn rare_words_count_more_and_the_newest_comes_first_among_equals() {
        let texts = ["push to main", "the parser of main", "push to main", "nothing", "parser parser main"];
        assert_eq!(found("parser", &texts), ["4", "1"]);
        assert_eq!(found("push", &texts), ["0", "2"]);
        assert_eq!(found("the main parser", &texts)[0], "1");
        assert_eq!(found("PARSER, please!", &texts), ["4", "1"]);
        assert_eq!(found("", &texts), [""; 0]);
        assert_eq!(found("absent", &texts), [""; 0]);
    }
}
