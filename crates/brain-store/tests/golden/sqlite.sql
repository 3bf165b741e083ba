-- version 8
CREATE TABLE account_entries (
    tenant TEXT NOT NULL, account TEXT NOT NULL, id TEXT NOT NULL, amount INTEGER NOT NULL, settled INTEGER NOT NULL,
    PRIMARY KEY (tenant, account, id)
) WITHOUT ROWID;
CREATE TABLE accounts (
    tenant TEXT NOT NULL, account TEXT NOT NULL, total INTEGER NOT NULL, PRIMARY KEY (tenant, account)
) WITHOUT ROWID;
CREATE TABLE approvals (
    tenant TEXT NOT NULL, id BLOB NOT NULL, run BLOB NOT NULL, status TEXT NOT NULL, asked_at INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE status = 'pending';
CREATE INDEX approvals_run ON approvals (tenant, run);
CREATE INDEX approvals_status ON approvals (tenant, status, id);
CREATE TABLE artifacts (
    tenant TEXT NOT NULL, run BLOB NOT NULL, kind TEXT NOT NULL, record BLOB NOT NULL, step TEXT NOT NULL,
    role TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (tenant, run, kind, record, step, role)
) WITHOUT ROWID;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit WHEN old.at >= (SELECT at FROM audit_since)
    BEGIN SELECT RAISE(ABORT, 'nothing leaves the audit before its time'); END;
CREATE TRIGGER audit_stays_the_same BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'nothing changes in the audit'); END;
CREATE TABLE audit (
    n INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, tenant TEXT,
    detail TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at, n);
CREATE TABLE audit_since (single INTEGER PRIMARY KEY CHECK (single = 1), at INTEGER NOT NULL);
CREATE TABLE blob_chunks (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE blob_uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, given_up INTEGER NOT NULL);
CREATE INDEX blob_uploads_given_up ON blob_uploads (id) WHERE given_up;
CREATE TABLE blobs (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, media_type TEXT NOT NULL, at INTEGER NOT NULL,
    first INTEGER NOT NULL, chunk_size INTEGER NOT NULL, unused_since INTEGER, PRIMARY KEY (tenant, hash)
) WITHOUT ROWID;
CREATE TABLE dead_letters (
    tenant TEXT NOT NULL, id BLOB NOT NULL, run BLOB NOT NULL, tool TEXT NOT NULL, opened_at INTEGER NOT NULL,
    open INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX dead_letters_open ON dead_letters (tenant, id) WHERE open = 1;
CREATE INDEX dead_letters_run ON dead_letters (tenant, run);
CREATE TABLE definitions (hash BLOB PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE log (
    pos INTEGER PRIMARY KEY, run BLOB NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    events TEXT NOT NULL, payloads TEXT
);
CREATE UNIQUE INDEX log_run ON log (run, seq);
CREATE TABLE nodes (id BLOB PRIMARY KEY, until INTEGER NOT NULL, liveness TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE offers (
    tenant TEXT NOT NULL, key BLOB NOT NULL, run BLOB NOT NULL, topic TEXT NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE INDEX offers_topic ON offers (tenant, topic, place, key);
CREATE TABLE "record_index" (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, field, value, id)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE record_names USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
CREATE TABLE 'record_names_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'record_names_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'record_names_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'record_names_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE record_numbers (
    n INTEGER PRIMARY KEY, tenant TEXT NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL, content TEXT, UNIQUE (tenant, kind, id)
);
CREATE TABLE record_unique (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, field, value)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE record_words USING fts5(
    words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE TABLE 'record_words_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'record_words_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'record_words_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'record_words_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE records (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL, revision INTEGER NOT NULL, state TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, body TEXT NOT NULL, entries TEXT,
    PRIMARY KEY (tenant, kind, id)
) WITHOUT ROWID;
CREATE TABLE request_keys (
    tenant TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, run BLOB NOT NULL, PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE INDEX request_keys_run ON request_keys (tenant, run);
CREATE TABLE run_numbers (
    n INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, run BLOB NOT NULL, UNIQUE (tenant, run)
);
CREATE TABLE runs (
    tenant TEXT NOT NULL, id BLOB NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    status TEXT NOT NULL, program BLOB, seq INTEGER NOT NULL, owner BLOB, fence INTEGER NOT NULL, wake_at INTEGER,
    priority INTEGER NOT NULL, request TEXT NOT NULL, queue_order INTEGER, queue_limit TEXT, erased INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX runs_owner ON runs (owner, id, tenant) WHERE owner IS NOT NULL;
CREATE INDEX runs_queue ON runs (tenant, queue_order, id) WHERE queue_order IS NOT NULL;
CREATE INDEX runs_status ON runs (tenant, status, id) WHERE status <> 'completed';
CREATE INDEX runs_wake ON runs (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE TABLE signals (
    n INTEGER PRIMARY KEY, tenant TEXT NOT NULL, run BLOB NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    body TEXT NOT NULL, UNIQUE (tenant, run, id)
);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE tokens (
    id BLOB PRIMARY KEY, tenant TEXT NOT NULL, hash BLOB NOT NULL, label TEXT NOT NULL, created_at INTEGER NOT NULL,
    expires_at INTEGER, approver INTEGER NOT NULL, revoked INTEGER NOT NULL
, grants TEXT) WITHOUT ROWID;
