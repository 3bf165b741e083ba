//! A response body that reads a blob piece by piece, as fast as the client takes it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Bytes, HttpBody};
use brain_core::Digest;
use brain_store::{Scope, StoreError};
use hyper::body::{Frame, SizeHint};
use tokio::task::{JoinHandle, spawn_blocking};

use super::PIECE;
use crate::app::App;

/// Streams the bytes of a blob from `at` to `end`.
pub(super) struct BlobBody {
    app: App,
    scope: Scope,
    hash: Digest,
    at: u64,
    end: u64,
    reading: Option<JoinHandle<Result<Vec<u8>, StoreError>>>,
}

impl BlobBody {
    pub(super) fn new(app: App, scope: Scope, hash: Digest, at: u64, end: u64) -> Self {
        Self { app, scope, hash, at, end, reading: None }
    }
}

impl HttpBody for BlobBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.at >= self.end {
            return Poll::Ready(None);
        }
        let (hash, at, most) = (self.hash, self.at, (self.end - self.at).min(PIECE as u64) as usize);
        let (app, scope) = (self.app.clone(), self.scope.clone());
        let reading = self
            .reading
            .get_or_insert_with(|| spawn_blocking(move || app.kernel().store().blob_part(&scope, hash, at, most)));
        let read = ready!(Pin::new(reading).poll(cx));
        self.reading = None;
        // The status line is already sent, so an error can only end the body early.
        let piece = match read {
            Ok(Ok(piece)) if !piece.is_empty() => piece,
            Ok(Ok(_)) => {
                return Poll::Ready(Some(Err(io::Error::other(format!(
                    "the blob {hash} was deleted in the meantime"
                )))));
            }
            Ok(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
            Err(error) => return Poll::Ready(Some(Err(io::Error::other(error)))),
        };
        self.at += piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.at >= self.end
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.end - self.at)
    }
}
