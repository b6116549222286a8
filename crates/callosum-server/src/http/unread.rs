//! What a request's reader leaves of its body. Many a sender sends all of a body before it reads anything: were the connection closed
//! on it, it would never learn why. So the rest is taken in before the answer goes, within bounds; after that the connection can be used
//! again, or the answer says that it is closed.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body as AnyBody, Bytes};
use axum::extract::Request;
use axum::http::header::EXPECT;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::timeout_at;

/// So many bytes of a body that nobody reads are taken in.
const MOST: usize = 8 << 20;
/// And for so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// A body that comes back when its reader drops it before its end.
struct Lent {
    /// Until its end.
    body: Option<AnyBody>,
    is_begun: bool,
    back: Arc<Mutex<Option<Left>>>,
}

/// What is left of a body.
#[derive(Debug)]
struct Left {
    body: AnyBody,
    /// Its reader has asked for some of it.
    is_begun: bool,
}

impl Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let lent = self.get_mut();
        lent.is_begun = true;
        let Some(body) = &mut lent.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            lent.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let is_begun = self.is_begun;
        let left = self.body.take().filter(|body| !body.is_end_stream());
        *self.back.lock() = left.map(|body| Left { body, is_begun });
    }
}

/// What is left of a body once its reader has dropped it.
#[derive(Debug)]
pub(super) struct Unread {
    left: Arc<Mutex<Option<Left>>>,
    /// Its sender waits until it is asked for.
    is_held_back: bool,
}

impl Unread {
    /// Lends a request's body to its reader; `None` where there is none.
    pub(super) fn lend(request: &mut Request) -> Option<Self> {
        let is_held_back = request.headers().contains_key(EXPECT);
        let body = request.body_mut();
        if body.is_end_stream() {
            return None;
        }
        let left = Arc::new(Mutex::new(None));
        *body =
            AnyBody::new(Lent { body: Some(std::mem::take(body)), is_begun: false, back: Arc::clone(&left) });
        Some(Self { left, is_held_back })
    }

    /// Whether anything is left.
    pub(super) fn has_some(&self) -> bool {
        self.left.lock().is_some()
    }

    /// Takes in what is left, until `end` at the latest. Whether that was all of it, so that the connection can be used again.
    pub(super) async fn take_in(self, end: Instant) -> bool {
        let Some(Left { mut body, is_begun }) = self.left.lock().take() else { return true };
        if self.is_held_back && !is_begun {
            // To read it would ask for it.
            return false;
        }
        let all = async {
            let mut seen = 0;
            while let Some(frame) = body.frame().await {
                let Ok(frame) = frame else { return false };
                seen += frame.data_ref().map_or(0, Bytes::len);
                if seen > MOST {
                    return false;
                }
            }
            true
        };
        timeout_at(end.min(Instant::now() + PATIENCE).into(), all).await.unwrap_or(false)
    }
}
