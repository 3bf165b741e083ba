//! The write statements: one per table, however many rows there are. Columns are passed as arrays.

pub(super) const DEFINITIONS: &str = "
INSERT INTO definitions (hash, kind, body) SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[])
ON CONFLICT (hash) DO NOTHING";

pub(super) const NEW_RUNS: &str = "
INSERT INTO runs (tenant, id, created_at, request, updated_at, status, program, seq, owner, fence, wake_at, priority,
                  queue_order, queue_limit, erased)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bytea[],
                     $8::bigint[], $9::uuid[], $10::bigint[], $11::bigint[], $12::smallint[], $13::bigint[],
                     $14::text[], $15::smallint[])";

pub(super) const RUNS: &str = "
UPDATE runs r SET updated_at = q.updated_at, status = q.status, program = coalesce(q.program, r.program), seq = q.seq,
    owner = q.owner, fence = q.fence, wake_at = q.wake_at, priority = q.priority, queue_order = q.queue_order,
    queue_limit = q.queue_limit, claimed_by = NULL, claimed_until = NULL
FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::bytea[], $6::bigint[], $7::uuid[], $8::bigint[],
            $9::bigint[], $10::smallint[], $11::bigint[], $12::text[])
    AS q (tenant, id, updated_at, status, program, seq, owner, fence, wake_at, priority, queue_order, queue_limit)
WHERE r.tenant = q.tenant AND r.id = q.id";

pub(super) const LOG: &str = "
INSERT INTO log (tenant, run, seq, at, events, payloads)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])";

pub(super) const PENDING: &str = "
INSERT INTO feed_pending (tenant, run, seq) SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[])";

pub(super) const RECORDS: &str = "
INSERT INTO records (tenant, kind, id, revision, state, created_at, updated_at, body, entries)
SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
                     $8::text[], $9::text[])
ON CONFLICT (tenant, kind, id) DO UPDATE SET revision = excluded.revision, state = excluded.state,
    created_at = excluded.created_at, updated_at = excluded.updated_at, body = excluded.body,
    entries = excluded.entries";

pub(super) const RECORDS_GONE: &str = "
DELETE FROM records r USING unnest($1::text[], $2::text[], $3::uuid[]) AS q (tenant, kind, id)
WHERE r.tenant = q.tenant AND r.kind = q.kind AND r.id = q.id";

pub(super) const INDEX: &str = "
INSERT INTO record_index (tenant, kind, field, value, id)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) ON CONFLICT DO NOTHING";

pub(super) const INDEX_GONE: &str = "
DELETE FROM record_index r
USING unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) AS q (tenant, kind, field, value, id)
WHERE r.tenant = q.tenant AND r.kind = q.kind AND r.field = q.field AND r.value = q.value AND r.id = q.id";

pub(super) const UNIQUE: &str = "
INSERT INTO record_unique (tenant, kind, field, value, id)
SELECT DISTINCT ON (tenant, kind, field, value) tenant, kind, field, value, id
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) AS q (tenant, kind, field, value, id)
ORDER BY tenant, kind, field, value, id
ON CONFLICT (tenant, kind, field, value) DO UPDATE SET id = excluded.id";

pub(super) const UNIQUE_GONE: &str = "
DELETE FROM record_unique r
USING unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) AS q (tenant, kind, field, value, id)
WHERE r.tenant = q.tenant AND r.kind = q.kind AND r.field = q.field AND r.value = q.value AND r.id = q.id";

pub(super) const WORDS: &str = "
INSERT INTO record_words (tenant, kind, id, content, words) VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]))
ON CONFLICT (tenant, kind, id) DO UPDATE SET content = excluded.content, words = excluded.words";

pub(super) const WORDS_GONE: &str = "
DELETE FROM record_words r USING unnest($1::text[], $2::text[], $3::uuid[]) AS q (tenant, kind, id)
WHERE r.tenant = q.tenant AND r.kind = q.kind AND r.id = q.id";

pub(super) const LINKS: &str = "
INSERT INTO artifacts (tenant, run, kind, record, step, role, at)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::bigint[])
ON CONFLICT DO NOTHING";

pub(super) const LETTERS: &str = "
INSERT INTO dead_letters (tenant, id, run, tool, opened_at, open, body)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::boolean[], $7::text[])
ON CONFLICT (tenant, id) DO UPDATE SET run = excluded.run, tool = excluded.tool, opened_at = excluded.opened_at,
    open = excluded.open, body = excluded.body";

pub(super) const APPROVALS: &str = "
INSERT INTO approvals (tenant, id, run, status, asked_at, body)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[])
ON CONFLICT (tenant, id) DO UPDATE SET run = excluded.run, status = excluded.status, asked_at = excluded.asked_at,
    body = excluded.body";

pub(super) const KEYS: &str = "
INSERT INTO request_keys (tenant, key, digest, run)
SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::uuid[])";

pub(super) const OFFERS: &str = "
INSERT INTO offers (tenant, key, run, topic, place)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::bigint[])
ON CONFLICT (tenant, key) DO UPDATE SET run = excluded.run, topic = excluded.topic, place = excluded.place";

pub(super) const OFFERS_GONE: &str = "
DELETE FROM offers r USING unnest($1::text[], $2::uuid[]) AS q (tenant, key)
WHERE r.tenant = q.tenant AND r.key = q.key";

pub(super) const SIGNALS: &str = "
INSERT INTO signals (tenant, run, slot, id, at, body)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[])
ON CONFLICT (tenant, run, slot) DO NOTHING";

pub(super) const SIGNALS_GONE: &str = "
DELETE FROM signals r USING unnest($1::text[], $2::uuid[], $3::text[]) AS q (tenant, run, slot)
WHERE r.tenant = q.tenant AND r.run = q.run AND r.slot = q.slot";

/// Storing existing bytes again marks them as used, because a reference follows in the same commit or soon after.
pub(super) const BLOB: &str = "
WITH used AS (UPDATE blobs SET unused_since = NULL WHERE tenant = $1 AND hash = $2 AND unused_since IS NOT NULL),
new AS (
    INSERT INTO blobs (tenant, hash, size, media_type, at, source, chunk_size)
    VALUES ($1, $2, $3, $4, $5, nextval('blob_sources'), $6) ON CONFLICT (tenant, hash) DO NOTHING RETURNING source
)
INSERT INTO blob_chunks (tenant, source, n, bytes)
SELECT $1, new.source, c.n - 1, c.bytes FROM new, unnest($7::bytea[]) WITH ORDINALITY AS c (bytes, n)";
