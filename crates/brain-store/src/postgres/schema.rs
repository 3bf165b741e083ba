//! The tables. A schema records its version; an older one is migrated, a newer one is rejected.
//!
//! Bodies and events are `text`, not `jsonb`, so that they read back byte for byte. Ids are `uuid`, times `bigint`
//! milliseconds, digests `bytea`. Texts compare byte by byte (`COLLATE "C"`), so that rows are locked in the order in
//! which Rust sorts them.

use tokio_postgres::error::SqlState;

use super::address::Address;
use super::connection::{Connection, Role, failed};
use crate::{Migration, StoreError};

/// `STEPS[n]` migrates a schema from version `n` to `n + 1`; an empty schema has version 0. Released steps never
/// change: a new version is a new entry.
const STEPS: [&str; 5] = [FIRST, KEEP, CAPS, NUMBERS, DIGESTS];

/// The version of the tables that this build reads and writes.
const VERSION: i32 = STEPS.len() as i32;
/// The oldest supported server.
const SERVER: i32 = 130_000;

const FIRST: &str = r#"
CREATE TABLE format (
    single boolean PRIMARY KEY DEFAULT true CHECK (single), version integer NOT NULL, roles boolean NOT NULL
);
-- Updates leave room on the page for the next version; dead versions are cleaned away early.
CREATE TABLE runs (
    tenant text COLLATE "C" NOT NULL, id uuid NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
    status text COLLATE "C" NOT NULL, program bytea, seq bigint NOT NULL, owner uuid, fence bigint NOT NULL,
    wake_at bigint, priority smallint NOT NULL, queue_order bigint, queue_limit text COLLATE "C",
    claimed_by uuid, claimed_until bigint, erased smallint NOT NULL DEFAULT 0, request text NOT NULL,
    PRIMARY KEY (tenant, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX runs_wake ON runs (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_owner ON runs (owner, id) WHERE owner IS NOT NULL;
CREATE INDEX runs_status ON runs (tenant, status, id) WHERE status <> 'completed';
CREATE INDEX runs_queue ON runs (tenant, queue_order, id) WHERE queue_order IS NOT NULL;
CREATE TABLE log (
    tenant text COLLATE "C" NOT NULL, run uuid NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,
    events text NOT NULL, payloads text,
    PRIMARY KEY (tenant, run, seq)
) WITH (autovacuum_analyze_scale_factor = 0.05);
-- What has no position in the feed yet. Emptied many times a second: it stays small if it is cleaned.
CREATE TABLE feed_pending (
    n bigint GENERATED ALWAYS AS IDENTITY, tenant text COLLATE "C" NOT NULL, run uuid NOT NULL, seq bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE TABLE feed (
    tenant text COLLATE "C" NOT NULL, pos bigint NOT NULL, run uuid NOT NULL, seq bigint NOT NULL,
    PRIMARY KEY (tenant, pos)
);
CREATE TABLE feed_state (single boolean PRIMARY KEY DEFAULT true CHECK (single), last bigint NOT NULL)
    WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
INSERT INTO feed_state (last) VALUES (0);
CREATE TABLE request_keys (
    tenant text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, digest bytea NOT NULL, run uuid NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE TABLE records (
    tenant text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, id uuid NOT NULL, revision bigint NOT NULL,
    state text COLLATE "C", created_at bigint NOT NULL, updated_at bigint NOT NULL, body text NOT NULL, entries text,
    PRIMARY KEY (tenant, kind, id)
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE TABLE record_index (
    tenant text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, field text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL, id uuid NOT NULL, PRIMARY KEY (tenant, kind, field, value, id)
);
CREATE TABLE record_unique (
    tenant text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, field text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL, id uuid NOT NULL, PRIMARY KEY (tenant, kind, field, value)
);
-- The text as it was given, and its words, each with tenant and kind before it: one index finds them for everyone.
CREATE TABLE record_words (
    tenant text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, id uuid NOT NULL, content text NOT NULL,
    words tsvector NOT NULL, PRIMARY KEY (tenant, kind, id)
);
CREATE INDEX record_words_words ON record_words USING gin (words);
CREATE TABLE artifacts (
    tenant text COLLATE "C" NOT NULL, run uuid NOT NULL, kind text COLLATE "C" NOT NULL, record uuid NOT NULL,
    step text COLLATE "C" NOT NULL, role text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (tenant, run, kind, record, step, role)
);
CREATE TABLE dead_letters (
    tenant text COLLATE "C" NOT NULL, id uuid NOT NULL, run uuid NOT NULL, tool text NOT NULL,
    opened_at bigint NOT NULL, open boolean NOT NULL, body text NOT NULL, PRIMARY KEY (tenant, id)
);
CREATE TABLE approvals (
    tenant text COLLATE "C" NOT NULL, id uuid NOT NULL, run uuid NOT NULL, status text COLLATE "C" NOT NULL,
    asked_at bigint NOT NULL, body text NOT NULL, PRIMARY KEY (tenant, id)
);
CREATE INDEX approvals_run ON approvals (tenant, run, id);
CREATE TABLE definitions (hash bytea PRIMARY KEY, kind text NOT NULL, body text NOT NULL);
CREATE TABLE tokens (
    id uuid PRIMARY KEY, tenant text COLLATE "C" NOT NULL, hash bytea NOT NULL, label text NOT NULL,
    created_at bigint NOT NULL, expires_at bigint, approver boolean NOT NULL, revoked boolean NOT NULL, grants text
);
CREATE TABLE nodes (id uuid PRIMARY KEY, until bigint NOT NULL, liveness text NOT NULL) WITH (fillfactor = 50);
CREATE TABLE offers (
    tenant text COLLATE "C" NOT NULL, key uuid NOT NULL, run uuid NOT NULL, topic text COLLATE "C" NOT NULL,
    place bigint NOT NULL, PRIMARY KEY (tenant, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE INDEX offers_topic ON offers (tenant, topic, place, key);
-- `n` rises with arrival; `slot` is the id, or what stands for it if it is too long for an index.
CREATE TABLE signals (
    n bigint GENERATED ALWAYS AS IDENTITY, tenant text COLLATE "C" NOT NULL, run uuid NOT NULL,
    slot text COLLATE "C" NOT NULL, id text NOT NULL, at bigint NOT NULL, body text NOT NULL,
    PRIMARY KEY (tenant, run, slot)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- The bytes of a blob are the chunks of its source, each of `chunk_size` bytes but for the last.
CREATE SEQUENCE blob_sources;
CREATE TABLE blobs (
    tenant text COLLATE "C" NOT NULL, hash bytea NOT NULL, size bigint NOT NULL, media_type text NOT NULL,
    at bigint NOT NULL, source bigint NOT NULL, chunk_size integer NOT NULL, PRIMARY KEY (tenant, hash)
);
CREATE TABLE blob_chunks (
    tenant text COLLATE "C" NOT NULL, source bigint NOT NULL, n integer NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (source, n)
);
ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
-- Unfinished blobs. Their writers update `touched_at` regularly; a row that is not updated is an orphan.
CREATE TABLE blob_uploads (
    source bigint PRIMARY KEY, tenant text COLLATE "C" NOT NULL, touched_at timestamptz NOT NULL DEFAULT now(),
    given_up boolean NOT NULL DEFAULT false
);
"#;

/// Retention: deletion of runs with their rows, unused blobs, the audit.
const KEEP: &str = r#"
ALTER TABLE blobs ADD COLUMN unused_since bigint;
CREATE INDEX dead_letters_run ON dead_letters (tenant, run);
CREATE INDEX request_keys_run ON request_keys (tenant, run);
CREATE TABLE audit (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, who text NOT NULL, what text NOT NULL,
    tenant text COLLATE "C", detail text NOT NULL
);
CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS
    $stays$ BEGIN RAISE EXCEPTION 'nothing leaves the audit or changes in it'; END $stays$;
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
"#;

/// Accounts with caps; indexes for dead letters and approvals; deletion of old audit entries.
const CAPS: &str = r#"
CREATE TABLE accounts (
    tenant text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, total bigint NOT NULL,
    PRIMARY KEY (tenant, account)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
CREATE TABLE account_entries (
    tenant text COLLATE "C" NOT NULL, account text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL,
    amount bigint NOT NULL, settled boolean NOT NULL, PRIMARY KEY (tenant, account, id)
);
CREATE INDEX dead_letters_open ON dead_letters (tenant, id) WHERE open;
CREATE INDEX approvals_status ON approvals (tenant, status, id);
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE status = 'pending';
CREATE INDEX audit_at ON audit (at, n);
DROP TRIGGER audit_stays ON audit;
CREATE OR REPLACE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $stays$
BEGIN
    IF TG_OP = 'DELETE' AND TG_LEVEL = 'ROW' THEN
        IF OLD.at < coalesce(nullif(current_setting('brain.audit_before', true), ''), '0')::bigint THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'nothing leaves the audit before its time or changes in it';
END $stays$;
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_stays_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
"#;

/// Numbers of runs, for clients that need integer keys. A number is never reused.
const NUMBERS: &str = r#"
CREATE TABLE run_numbers (
    n bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, tenant text COLLATE "C" NOT NULL, run uuid NOT NULL,
    UNIQUE (tenant, run)
);
"#;

/// The index of records holds digests of values ([`crate::IndexValue`]), and is filled anew from the entries stored with
/// the records. PostgreSQL does not take NUL, so values with one are
/// hashed without it, and are found again after `brain records reindex`. Policies are off for the
/// owner meanwhile; `PROTECT` puts them back.
const DIGESTS: &str = r#"
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;
ALTER TABLE record_index NO FORCE ROW LEVEL SECURITY;
ALTER TABLE record_unique NO FORCE ROW LEVEL SECURITY;
UPDATE records SET entries = (
    SELECT json_agg(json_build_array(
        e.entry -> 0,
        substr(encode(sha256(convert_to(e.entry ->> 1, 'UTF8')), 'hex'), 1, 24),
        e.entry -> 2
    ) ORDER BY e.n)::text
    FROM json_array_elements(regexp_replace(entries, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json) WITH ORDINALITY AS e (entry, n)
) WHERE entries IS NOT NULL;
DELETE FROM record_index;
DELETE FROM record_unique;
INSERT INTO record_index (tenant, kind, field, value, id)
SELECT r.tenant, r.kind, e.entry ->> 0, e.entry ->> 1, r.id
FROM records r CROSS JOIN json_array_elements(r.entries::json) AS e (entry)
WHERE r.entries IS NOT NULL AND NOT (e.entry ->> 2)::boolean ON CONFLICT DO NOTHING;
INSERT INTO record_unique (tenant, kind, field, value, id)
SELECT r.tenant, r.kind, e.entry ->> 0, e.entry ->> 1, r.id
FROM records r CROSS JOIN json_array_elements(r.entries::json) AS e (entry)
WHERE r.entries IS NOT NULL AND (e.entry ->> 2)::boolean ON CONFLICT DO NOTHING;
"#;

/// Two roles without a login: `brain_engine` reads and writes all rows, `brain_api` reads one tenant's rows. They are
/// needed because row-level security does not bind a superuser, and often not the owner. A login that may not create
/// roles can use existing ones that were granted to it; without them, session settings take their place.
const ROLES: &str = r"
DO $roles$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['brain_engine', 'brain_api'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
        END;
        BEGIN
            IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
                EXECUTE format('GRANT %I TO %I', name, current_user);
            END IF;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
END $roles$;
";

/// Whether this login can act as both roles.
const HAS_ROLES: &str = "
SELECT count(*) = 2 FROM pg_catalog.pg_roles
WHERE rolname IN ('brain_engine', 'brain_api') AND pg_catalog.pg_has_role(current_user, oid, 'MEMBER')";

/// Enables row-level security on every table with a tenant, and grants the roles their privileges. `$roles` is filled
/// in.
const PROTECT: &str = r"
DO $protect$
DECLARE
    roles boolean := $roles;
    place text := current_schema();
    name text;
    tenant_of text := 'tenant = current_setting(''brain.tenant'', true)';
    engine_of text := CASE WHEN roles THEN 'true' ELSE 'current_setting(''brain.system'', true) = ''on''' END;
    to_api text := CASE WHEN roles THEN 'brain_api' ELSE 'public' END;
    to_engine text := CASE WHEN roles THEN 'brain_engine' ELSE 'public' END;
BEGIN
    FOR name IN
        SELECT c.relname FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
        WHERE c.relnamespace = place::regnamespace AND c.relkind = 'r' AND c.relname <> 'tokens'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('DROP POLICY IF EXISTS tenant_rows ON %I', name);
        EXECUTE format('DROP POLICY IF EXISTS engine_rows ON %I', name);
        EXECUTE format('CREATE POLICY tenant_rows ON %I FOR SELECT TO %s USING (%s)', name, to_api, tenant_of);
        EXECUTE format('CREATE POLICY engine_rows ON %I TO %s USING (%s) WITH CHECK (%s)',
                       name, to_engine, engine_of, engine_of);
        IF roles THEN
            EXECUTE format('GRANT SELECT ON %I TO brain_api', name);
        END IF;
    END LOOP;
    IF roles THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO brain_engine, brain_api', place);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO brain_engine', place);
        EXECUTE format('GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA %I TO brain_engine', place);
        EXECUTE 'GRANT SELECT ON format, feed_state TO brain_api';
    END IF;
END $protect$;
";

/// The state of a schema.
pub(super) struct Found {
    pub(super) version: i32,
    /// Whether the store's roles are in use.
    pub(super) roles: bool,
}

/// Inspects a schema without changing it. Rejects one of another program or of a newer build.
pub(super) async fn look(connection: &mut Connection, address: &Address) -> Result<Found, StoreError> {
    let schema = &address.schema;
    let client = &connection.client;
    let row = client
        .query_one(
            "SELECT current_setting('server_version_num')::int, to_regclass(quote_ident($1) || '.format') IS NOT NULL,
                    (SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n
                     ON n.oid = c.relnamespace WHERE n.nspname = $1::text)",
            &[schema],
        )
        .await
        .map_err(|error| failed(&error))?;
    let (server, known, tables): (i32, bool, i64) = (row.get(0), row.get(1), row.get(2));
    if server < SERVER {
        let (found, needed) = (server / 10_000, SERVER / 10_000);
        return Err(StoreError::Unreadable(format!("PostgreSQL {found} is too old; {needed} or newer is needed")));
    }
    if !known {
        return if tables == 0 { Ok(Found { version: 0, roles: false }) } else { Err(foreign(schema)) };
    }
    let row = client.query_opt("SELECT version, roles FROM format", &[]).await.map_err(|error| {
        let denied = error.code().is_some_and(|code| *code == SqlState::INSUFFICIENT_PRIVILEGE);
        if denied {
            let user = address.config.get_user().unwrap_or_default();
            StoreError::Failed(format!("`{user}` may not use the tables in schema `{schema}`; connect as their owner"))
        } else if error.code().is_some_and(|code| *code == SqlState::UNDEFINED_COLUMN) {
            foreign(schema)
        } else {
            failed(&error)
        }
    })?;
    let Some(row) = row else { return Err(foreign(schema)) };
    let found = Found { version: row.get(0), roles: row.get(1) };
    if found.version > VERSION {
        let version = found.version;
        return Err(StoreError::Unreadable(format!(
            "schema `{schema}` has format {version}, but this build supports format {VERSION}; use the newer build"
        )));
    }
    Ok(found)
}

fn foreign(schema: &str) -> StoreError {
    StoreError::Unreadable(format!(
        "schema `{schema}` holds tables of another program; give Brain one of its own with ?brain_schema=NAME"
    ))
}

/// Deletes the schema with everything in it. Does nothing if it does not exist.
pub(super) async fn drop_all(address: &Address) -> Result<(), StoreError> {
    let connection = Connection::open(address, Role::Owner, false).await?;
    let drop = format!("DROP SCHEMA IF EXISTS \"{}\" CASCADE", address.schema);
    connection.client.batch_execute(&drop).await.map_err(|error| failed(&error))
}

/// Creates or migrates the tables. Returns what was done and whether roles are in use.
pub(super) async fn migrate(address: &Address, dry_run: bool) -> Result<(Migration, bool), StoreError> {
    let named = |error: StoreError| match error {
        StoreError::Unreadable(reason) => StoreError::Unreadable(format!("{}: {reason}", address.shown)),
        other => other,
    };
    let mut connection = Connection::open(address, Role::Owner, false).await?;
    let mut found = look(&mut connection, address).await.map_err(named)?;
    let migration = |found: &Found| Migration { from: i64::from(found.version), to: i64::from(VERSION) };
    if dry_run || found.version == VERSION {
        return Ok((migration(&found), found.roles));
    }
    let failed = |error: tokio_postgres::Error| failed(&error);
    let schema = address.schema.clone();
    // Another node may be migrating too, so the version is read again under the lock.
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL enable_seqscan = on;
         SELECT pg_advisory_xact_lock(hashtextextended('brain migrate {schema}', 0));"
    );
    connection.client.batch_execute(&begin).await.map_err(failed)?;
    found = look(&mut connection, address).await.map_err(named)?;
    let result = migration(&found);
    let Some(missing) = usize::try_from(found.version).ok().and_then(|done| STEPS.get(done..)) else {
        return Err(StoreError::Unreadable(format!("schema `{schema}` has format {}", found.version)));
    };
    if missing.is_empty() {
        return Ok((result, found.roles));
    }
    let client = &connection.client;
    if found.version == 0 {
        client.batch_execute(&format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\"")).await.map_err(failed)?;
    }
    for step in missing {
        client.batch_execute(step).await.map_err(failed)?;
    }
    client.batch_execute(ROLES).await.map_err(failed)?;
    let roles: bool = client.query_one(HAS_ROLES, &[]).await.map_err(failed)?.get(0);
    if !roles {
        tracing::warn!(
            "this login can neither create nor use the roles brain_engine and brain_api; session settings replace them"
        );
    }
    client.batch_execute(&PROTECT.replace("$roles", &roles.to_string())).await.map_err(failed)?;
    let record = "INSERT INTO format (version, roles) VALUES ($1, $2)
                  ON CONFLICT (single) DO UPDATE SET version = excluded.version, roles = excluded.roles";
    client.execute(record, &[&VERSION, &roles]).await.map_err(failed)?;
    client.batch_execute("COMMIT").await.map_err(failed)?;
    Ok((result, roles))
}
