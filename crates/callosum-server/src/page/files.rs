//! The page's files, read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use callosum_core::model::text::one_line;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::json;

use crate::failure::Failure;

use super::answer::{Answer, sentence, whole};

/// Where the host says what the page has to know, in its `<head>`.
const PLACEHOLDER: &str = "<!--callosum-page-->";
const INDEX: &str = "index.html";
const HTML: &str = "text/html; charset=utf-8";

/// A file as it is sent.
struct File {
    content_type: &'static str,
    content: Bytes,
}

/// The page: its files by the path they are asked for under. There are no others, whatever the path says.
pub(super) struct Page {
    files: BTreeMap<String, File>,
    /// The document with the token.
    opened: Bytes,
}

impl Page {
    /// Reads the page that came with this program. Its questions have to carry `token`, which only the link brings.
    pub(super) fn read(token: &str) -> Result<Self, Failure> {
        let folder = folder().map_err(|error| {
            let fragment = format!("can't tell where this program is: {error}");
            Failure::new(fragment, "put it where it can be run from, and try again")
        })?;
        Self::from(&folder, token).map_err(|error| {
            let shown = one_line(&folder.display().to_string(), 1_000);
            Failure::new(
                format!("can't read the page in `{shown}`: {error}"),
                "the page comes with this program: install Callosum again, or run `npm run build` where you built it",
            )
        })
    }

    fn from(folder: &Path, token: &str) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let content_type =
                path.extension().and_then(|extension| extension.to_str()).and_then(content_type);
            let name = path.file_name().and_then(|name| name.to_str());
            let (Some(content_type), Some(name)) = (content_type, name) else { continue };
            let content = Bytes::from(fs::read(&path)?);
            files.insert(format!("/{name}"), File { content_type, content });
        }
        let index = fs::read_to_string(folder.join(INDEX))?;
        if !index.contains(PLACEHOLDER) {
            let message = format!("`{INDEX}` has no `{PLACEHOLDER}`");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let document = |token| Bytes::from(index.replacen(PLACEHOLDER, &facts(token), 1));
        files.remove(&format!("/{INDEX}"));
        files.insert("/".to_owned(), File { content_type: HTML, content: document(None) });
        Ok(Self { files, opened: document(Some(token)) })
    }

    /// The document, with the token.
    pub(super) fn opened(&self) -> Answer {
        whole(StatusCode::OK, HTML, self.opened.clone())
    }

    /// The file under `path`. None has the token: everybody on this machine may ask for them.
    pub(super) fn answer(&self, path: &str) -> Answer {
        match self.files.get(path) {
            Some(file) => whole(StatusCode::OK, file.content_type, file.content.clone()),
            None => sentence(StatusCode::NOT_FOUND, "There is nothing here. The page is at `/`."),
        }
    }
}

/// `page` beside the folder that this program is in, whatever link it was started by.
fn folder() -> io::Result<PathBuf> {
    let program = env::current_exe()?.canonicalize()?;
    let home = program.parent().and_then(Path::parent).ok_or(io::ErrorKind::NotFound)?;
    Ok(home.join("page"))
}

fn content_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "html" => HTML,
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// What the page has to know.
fn facts(token: Option<&str>) -> String {
    let facts = json!({
        "token": token,
        "host": "local",
        "version": env!("CARGO_PKG_VERSION"),
        "view": "all",
        "release": "api/release",
    });
    let escaped = facts.to_string().replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!("<meta name=\"callosum-page\" content=\"{escaped}\">")
}
