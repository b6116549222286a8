//! Answers that go on: server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body as AnyBody, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use hyper::body::{Body, Frame};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::base::Base;

/// A reader hears something at least as often as this.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);
/// What it hears when there is nothing to tell.
pub(crate) const SIGN_OF_LIFE: &str = ":\n\n";
/// Bytes that may wait for a slow reader; a text that is larger waits alone.
pub(crate) const MAX_WAITING: usize = 128 << 10;

/// What is sent, until its sender goes.
#[derive(Debug)]
struct Events(mpsc::UnboundedReceiver<Text>);

/// A text, and the room that it takes until it is sent.
#[derive(Debug)]
struct Text {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut().0.poll_recv(context).map(|text| text.map(|text| Ok(Frame::data(text.bytes))))
    }
}

/// What tells a reader.
#[derive(Debug)]
pub(crate) struct Teller {
    texts: mpsc::UnboundedSender<Text>,
    room: Arc<Semaphore>,
}

/// The stream is over.
#[derive(Debug)]
pub(crate) struct Over;

impl Teller {
    /// Sends a text once there is room for it.
    pub(crate) async fn send(&self, text: impl Into<Bytes>) -> Result<(), Over> {
        let bytes = text.into();
        let room = Arc::clone(&self.room).acquire_many_owned(places(bytes.len())).await.map_err(|_| Over)?;
        self.texts.send(Text { bytes, _room: room }).map_err(|_| Over)
    }

    /// Waits until its reader has taken all that was sent.
    pub(crate) async fn taken(&self) -> Result<(), Over> {
        self.room.acquire_many(places(MAX_WAITING)).await.map(drop).map_err(|_| Over)
    }
}

/// The places that so many bytes take: no more than there are.
fn places(bytes: usize) -> u32 {
    u32::try_from(bytes.min(MAX_WAITING)).unwrap_or(u32::MAX)
}

/// Begins a stream. It ends when `tell` does, its reader goes, or the end is wanted.
pub(crate) fn begin<T>(base: &Arc<Base>, tell: impl FnOnce(Teller) -> T) -> Response
where
    T: Future<Output = Over> + Send + 'static,
{
    // Bounded by the room that each text takes.
    let (texts, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(MAX_WAITING));
    let telling = tell(Teller { texts: texts.clone(), room });
    let base = Arc::clone(base);
    tokio::spawn(async move {
        tokio::select! {
            Over = telling => {}
            () = texts.closed() => {}
            () = base.stopped() => {}
        }
    });
    ([(CONTENT_TYPE, "text/event-stream")], AnyBody::new(Events(receiver))).into_response()
}
