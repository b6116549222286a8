//! Telling open pages that the journal has grown.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::answer::{Answer, Content, answer, refusal};
use super::feed::Head;
use super::server::Server;

/// How often the journal is looked at while a page is open.
const LOOK: Duration = Duration::from_millis(500);
/// How often a page hears something at least.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Looks how far the journal reaches, and wakes those who wait for news if it has moved. A state that can't be looked
/// at is no news: `status` tells what is wrong.
async fn look(server: &Arc<Server>) {
    let answer = server.glance("head").await;
    if let Some(head) = answer.ok().and_then(Head::read) {
        server.head.send_if_modified(|known| {
            let has_moved = known.as_ref().is_none_or(|known| known.head != head.head);
            // Its time is new all the same.
            *known = Some(head);
            has_moved
        });
    }
}

/// Looks again and again, for all open pages.
pub(super) async fn watch(server: Arc<Server>) {
    loop {
        sleep(LOOK).await;
        if server.head.receiver_count() > 0 {
            look(&server).await;
        }
    }
}

/// Events for one page, until it goes or the server ends.
pub(super) fn stream(server: &Arc<Server>) -> Answer {
    let Ok(place) = Arc::clone(&server.streams).try_acquire_owned() else {
        let message = "too many pages are open; close some";
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
    };
    let (sender, receiver) = mpsc::channel(1);
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let _place = place;
        tokio::select! {
            () = tell(&server, &sender) => {}
            () = sender.closed() => {}
            () = server.stopped() => {}
        }
    });
    answer(StatusCode::OK, "text/event-stream", Content::Events(receiver))
}

async fn tell(server: &Arc<Server>, page: &mpsc::Sender<Bytes>) {
    let mut news = server.head.subscribe();
    look(server).await;
    let mut event = newest(&mut news);
    loop {
        if page.send(event.into()).await.is_err() {
            return;
        }
        event = match timeout(HEARTBEAT, news.changed()).await {
            Ok(Ok(())) => newest(&mut news),
            Ok(Err(_)) => return,
            Err(_) => ":\n\n".to_owned(),
        };
    }
}

/// The newest head as an event; a comment while there is none.
fn newest(news: &mut watch::Receiver<Option<Head>>) -> String {
    match &*news.borrow_and_update() {
        Some(head) => format!("event: head\ndata: {}\n\n", head.text),
        None => ":\n\n".to_owned(),
    }
}
