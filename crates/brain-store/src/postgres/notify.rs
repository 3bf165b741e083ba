//! Notifications: announces this node's commits to other nodes, and forwards theirs.
//!
//! Announcing happens outside the committing transactions, because `NOTIFY` takes a lock that all of them would queue
//! for. Several commits share one announcement, and an announcement may get lost; periodic polling is the safety net.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::connection::{Connection, Role};
use super::{PostgresStore, Shared};
use crate::{OnChange, Watch};

/// Delay before reconnecting.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Watchers {
    callbacks: Mutex<Vec<OnChange>>,
    /// The server process of our announcing connection, whose notifications are ignored.
    pub(super) own: AtomicI32,
    /// Notified when the first callback is registered.
    wanted: Notify,
}

impl Watchers {
    fn notify_all(&self) {
        for callback in self.callbacks.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            callback();
        }
    }
}

impl Watch for PostgresStore {
    /// The callback runs on a thread of the store and must not query the store.
    fn watch(&self, on_change: OnChange) {
        self.shared.watchers.callbacks.lock().unwrap_or_else(PoisonError::into_inner).push(on_change);
        self.shared.watchers.wanted.notify_one();
    }
}

/// Listens for notifications, starting when the first callback is registered.
pub(super) async fn listen_forever(shared: Arc<Shared>) {
    shared.watchers.wanted.notified().await;
    let mut first = true;
    loop {
        match listen(&shared).await {
            Ok((connection, gone)) => {
                // Announcements may have been missed during the outage, so report a change.
                if !std::mem::take(&mut first) {
                    shared.watchers.notify_all();
                }
                gone.notified().await;
                drop(connection);
            }
            Err(error) => tracing::debug!(%error, "listening for notifications failed"),
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn listen(shared: &Arc<Shared>) -> Result<(Connection, Arc<Notify>), crate::StoreError> {
    let gone = Arc::new(Notify::new());
    let (listening, ended) = (Arc::downgrade(shared), gone.clone());
    let notified = Box::new(move |sender: Option<i32>| match (sender, listening.upgrade()) {
        (Some(sender), Some(shared)) if sender != shared.watchers.own.load(Ordering::Relaxed) => {
            shared.watchers.notify_all()
        }
        (Some(_), _) => {}
        (None, _) => ended.notify_one(),
    });
    let connection = Connection::listen(&shared.address, Role::Engine, shared.roles, notified).await?;
    let listen = format!("LISTEN {}", shared.address.channel());
    connection.client.batch_execute(&listen).await.map_err(|error| super::connection::failed(&error))?;
    Ok((connection, gone))
}
