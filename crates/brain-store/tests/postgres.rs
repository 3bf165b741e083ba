//! The PostgreSQL store: the suite that every store passes, and what several stores on one database promise.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::sync::Arc;

use brain_store::{PostgresStore, Store, conformance};
use brain_testbed::Postgres;

#[test]
fn the_postgres_store_conforms() {
    let cluster = Postgres::start().unwrap();
    conformance::run(&|| {
        let url = cluster.url(&cluster.new_database());
        Arc::new(PostgresStore::connect(&url).unwrap()) as Arc<dyn Store>
    });
}
