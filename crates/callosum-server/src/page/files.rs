//! The page's files, read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use callosum_core::model::text::one_line;
use serde_json::json;

use crate::failure::Failure;

/// Where the host says what the page has to know, in its `<head>`.
const PLACEHOLDER: &str = "<!--callosum-page-->";
const INDEX: &str = "index.html";
const HTML: &str = "text/html; charset=utf-8";

/// A file as it is sent.
#[derive(Clone, Debug)]
pub(super) struct File {
    content_type: &'static str,
    content: Bytes,
}

impl IntoResponse for File {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, self.content_type)], self.content).into_response()
    }
}

/// The page's files by the path they are asked for under. There are no others, whatever the path says.
#[derive(Debug)]
pub(super) struct Files {
    /// None has the token: everybody on this machine may ask for them.
    pub(super) open: BTreeMap<String, File>,
    /// The document that everybody gets.
    pub(super) index: File,
    /// The document with the token.
    pub(super) opened: File,
}

impl Files {
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
            let (Some(content_type), Some(name)) = (content_type, name.filter(|name| is_plain(name))) else {
                continue;
            };
            let content = Bytes::from(fs::read(&path)?);
            files.insert(format!("/{name}"), File { content_type, content });
        }
        let index = fs::read_to_string(folder.join(INDEX))?;
        if !index.contains(PLACEHOLDER) {
            let message = format!("`{INDEX}` has no `{PLACEHOLDER}`");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let document = |token| File {
            content_type: HTML,
            content: Bytes::from(index.replacen(PLACEHOLDER, &facts(token), 1)),
        };
        files.remove(&format!("/{INDEX}"));
        Ok(Self { open: files, index: document(None), opened: document(Some(token)) })
    }
}

/// Whether a name means itself in an address, and in a table of paths.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
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
        "decide": "api/decide",
    });
    let escaped = facts.to_string().replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!("<meta name=\"callosum-page\" content=\"{escaped}\">")
}
