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
use tokio::sync::mpsc;

use crate::base::Base;

/// A reader hears something at least as often as this.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(5);
/// What it hears when there is nothing to tell.
pub(crate) const SIGN_OF_LIFE: &str = ":\n\n";
/// Texts that may wait for a slow reader.
const MAX_WAITING: usize = 8;

/// What is sent, until its sender goes.
#[derive(Debug)]
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.get_mut().0.poll_recv(context).map(|text| text.map(|text| Ok(Frame::data(text))))
    }
}

/// What tells a reader.
#[derive(Debug)]
pub(crate) struct Teller(mpsc::Sender<Bytes>);

/// The stream is over.
#[derive(Debug)]
pub(crate) struct Over;

impl Teller {
    pub(crate) async fn send(&self, text: impl Into<Bytes>) -> Result<(), Over> {
        self.0.send(text.into()).await.map_err(|_| Over)
    }

    /// Waits until its reader has taken all that was sent.
    pub(crate) async fn taken(&self) -> Result<(), Over> {
        self.0.reserve_many(MAX_WAITING).await.map(drop).map_err(|_| Over)
    }
}

/// Begins a stream. It ends when `tell` does, its reader goes, or the end is wanted.
pub(crate) fn begin<T>(base: &Arc<Base>, tell: impl FnOnce(Teller) -> T) -> Response
where
    T: Future<Output = Over> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    let telling = tell(Teller(sender.clone()));
    let base = Arc::clone(base);
    tokio::spawn(async move {
        tokio::select! {
            Over = telling => {}
            () = sender.closed() => {}
            () = base.stopped() => {}
        }
    });
    ([(CONTENT_TYPE, "text/event-stream")], AnyBody::new(Events(receiver))).into_response()
}
