-- How a project counts its page views. No row: the defaults.
CREATE TABLE analytics_settings (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  -- The source that counts humans. All other clients are counted by servers. Null: not chosen, and the project has
  -- never had a site key: servers count humans. The first site key sets 'script'.
  human_source text CHECK (human_source IN ('script', 'servers')),
  -- For the script: whether browsers that send Do Not Track or Global Privacy Control are left uncounted.
  respect_do_not_track boolean NOT NULL DEFAULT true,
  -- Where the script may run, for example https://docs.example.com; empty: anywhere.
  allowed_origins text[] NOT NULL DEFAULT '{}',
  -- Which clients count as AI when a query does not say.
  ai_scope text NOT NULL DEFAULT 'all' CHECK (ai_scope IN ('all', 'assistants')),
  -- Whole months, besides the current one; null: forever.
  retention_months int CHECK (retention_months BETWEEN 1 AND 1200),
  -- Views before this day have been deleted.
  expired_before date,
  -- Where the project's views are in ClickHouse.
  shard smallint NOT NULL DEFAULT 0 CHECK (shard >= 0)
);

-- Identifies a project to the script on its site. Public: it can submit views and read nothing.
CREATE TABLE site_key (
  key text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX site_key_by_project ON site_key (project_id);

-- The days that a source has reported on: a count of 0 is meaningless where nothing was measured. By month, so that the
-- years between an import and today do not count as measured.
CREATE TABLE source_coverage (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('script', 'servers')),
  month date NOT NULL CHECK (month = date_trunc('month', month)::date),
  first_day date NOT NULL CHECK (date_trunc('month', first_day)::date = month),
  last_day date NOT NULL CHECK (last_day >= first_day AND date_trunc('month', last_day)::date = month),
  -- Whether it counted humans then, by the project's setting at that time. Part of the key: when the setting changes
  -- within a month, the days before and after the change are recorded separately.
  counts_humans boolean NOT NULL,
  PRIMARY KEY (project_id, source, month, counts_humans)
);

-- Acknowledged views that are not in ClickHouse yet: of one shard and one month, of any number of projects.
CREATE TABLE view_batch (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard smallint NOT NULL,
  month date NOT NULL CHECK (month = date_trunc('month', month)::date),
  rows int NOT NULL CHECK (rows > 0),
  -- Before compression.
  size_bytes int NOT NULL CHECK (size_bytes > 0),
  -- gzip, so that batches can be concatenated and sent on as they are.
  body bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE view_batch ALTER COLUMN body SET STORAGE EXTERNAL;
-- Rows are deleted soon after they are written; the default autovacuum settings would let the table grow.
ALTER TABLE view_batch SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Batches that go to ClickHouse as one block. The list of batches is fixed: the block is sent again under the same
-- token until it is known to be inserted. Commits do not arrive in the order of their IDs, so "all up to ID n" would
-- miss some.
CREATE TABLE view_block (
  shard smallint NOT NULL,
  -- Microseconds since the epoch: unknown to ClickHouse even after a backup was restored.
  id bigint NOT NULL,
  month date NOT NULL,
  batch_ids bigint[] NOT NULL CHECK (cardinality(batch_ids) > 0),
  -- How often ClickHouse has rejected the block because of its contents.
  rejections int NOT NULL DEFAULT 0,
  retry_at timestamptz NOT NULL DEFAULT '-infinity',
  last_error text,
  -- Abandoned: the operator has to inspect it.
  quarantined_at timestamptz,
  PRIMARY KEY (shard, id)
);

-- Deliveries that were accepted, by a hash of project and idempotency key: a row per beacon has to be small.
CREATE TABLE view_delivery (
  delivery bytea NOT NULL CHECK (octet_length(delivery) = 16),
  -- Infinity for imports: the same file may be imported again years later.
  expires_on date NOT NULL,
  PRIMARY KEY (delivery)
) PARTITION BY HASH (delivery);
CREATE INDEX view_delivery_by_expiry ON view_delivery (expires_on);
CREATE TABLE view_delivery_0 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 0);
CREATE TABLE view_delivery_1 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 1);
CREATE TABLE view_delivery_2 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 2);
CREATE TABLE view_delivery_3 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 3);
CREATE TABLE view_delivery_4 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 4);
CREATE TABLE view_delivery_5 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 5);
CREATE TABLE view_delivery_6 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 6);
CREATE TABLE view_delivery_7 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 7);

-- The pages that the script has reported. Site keys are public, so only a limited number of new pages per day is accepted;
-- views of further ones count as one page.
CREATE TABLE script_page (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  page bytea NOT NULL CHECK (octet_length(page) = 16),
  first_seen_on date NOT NULL,
  PRIMARY KEY (project_id, page)
);
CREATE INDEX script_page_by_day ON script_page (project_id, first_seen_on);

-- Kept forever, so that the same file can be imported again without counting twice.
CREATE TABLE import_run (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  kind text NOT NULL,
  -- Of the first `planned_bytes` of the file: a file with the same beginning is the same file, perhaps longer by now.
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
  -- Up to here everything is known to be counted. The part up to `planned_bytes` may be: it is delivered again under
  -- the same idempotency key.
  confirmed_bytes bigint NOT NULL CHECK (confirmed_bytes >= 0),
  planned_bytes bigint NOT NULL CHECK (planned_bytes >= confirmed_bytes),
  -- In the confirmed part.
  views bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX import_run_by_file ON import_run (project_id, fingerprint);

-- For the person who sets up counting. Not exact: summed in memory and written every few seconds, so that ingest does
-- not wait for it.

-- When a source last sent an event, counted or not.
CREATE TABLE source_last_event (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  last_event_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, source)
);

-- Events by the hour of their arrival and by outcome: `counted`, or the reason they were dropped. Kept for eight days.
CREATE TABLE source_event_count (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  hour timestamptz NOT NULL,
  outcome text NOT NULL,
  events bigint NOT NULL CHECK (events > 0),
  PRIMARY KEY (project_id, source, hour, outcome)
);
CREATE INDEX source_event_count_by_hour ON source_event_count (hour);

-- Examples of events dropped in the last minutes: a path without its query, and the reason. Nothing about the client.
CREATE TABLE dropped_event (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  at timestamptz NOT NULL,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  path text NOT NULL,
  reason text NOT NULL
);
CREATE INDEX dropped_event_by_project ON dropped_event (project_id, at);
CREATE INDEX dropped_event_by_time ON dropped_event (at);
