//! News: what this node has committed is announced to the others, and what others announce is passed on.
//!
//! Announcing happens outside the transactions that commit: `NOTIFY` takes a lock that all of them would queue for.
//! Many commits are one announcement, and an announcement may get lost; asking now and then is the safety net.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::connection::{Connection, Role};
use super::{PostgresStore, Shared};
use crate::{Heard, Watch};

/// How long a lost connection is left alone.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Ears {
    heard: Mutex<Vec<Heard>>,
    /// The server process of the connection that announces for us: what it says is no news.
    pub(super) own: AtomicI32,
    /// Somebody wants to hear.
    wanted: Notify,
}

impl Ears {
    fn tell(&self) {
        for heard in self.heard.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            heard();
        }
    }
}

impl Watch for PostgresStore {
    /// The callback must not ask the store itself; it is called on the store's own threads.
    fn watch(&self, heard: Heard) {
        self.shared.ears.heard.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
        self.shared.ears.wanted.notify_one();
    }
}

/// Listens from the moment that somebody wants to hear.
pub(super) async fn listen_forever(shared: Arc<Shared>) {
    shared.ears.wanted.notified().await;
    let mut first = true;
    loop {
        match listen(&shared).await {
            Ok((connection, gone)) => {
                // What was announced while nobody listened is unknown.
                if !std::mem::take(&mut first) {
                    shared.ears.tell();
                }
                gone.notified().await;
                drop(connection);
            }
            Err(error) => tracing::debug!(%error, "nobody listens to the store's news"),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn listen(shared: &Arc<Shared>) -> Result<(Connection, Arc<Notify>), crate::StoreError> {
    let gone = Arc::new(Notify::new());
    let (told, ended) = (Arc::downgrade(shared), gone.clone());
    let notified = Box::new(move |sender: Option<i32>| match (sender, told.upgrade()) {
        (Some(sender), Some(shared)) if sender != shared.ears.own.load(Ordering::Relaxed) => shared.ears.tell(),
        (Some(_), _) => {}
        (None, _) => ended.notify_one(),
    });
    let connection = Connection::listen(&shared.address, Role::Engine, shared.roles, notified).await?;
    let listen = format!("LISTEN {}", shared.address.channel());
    connection.client.batch_execute(&listen).await.map_err(|error| super::connection::failed(&error))?;
    Ok((connection, gone))
}
