-- How a project wants its views counted. No row: everything as it comes.
CREATE TABLE project_analytics (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  -- Who counts people; everybody else is counted by servers.
  people_counted_by text NOT NULL DEFAULT 'script' CHECK (people_counted_by IN ('script', 'servers')),
  -- Of the script: whether Do-Not-Track and Global Privacy Control are obeyed.
  obeys_opt_out boolean NOT NULL DEFAULT true,
  -- Where the script may stand, like https://docs.example.com; empty: anywhere.
  site_origins text[] NOT NULL DEFAULT '{}',
  -- What `ai` means where a caller does not say.
  ai text NOT NULL DEFAULT 'all' CHECK (ai IN ('all', 'assistants')),
  -- Whole months, besides the running one; null: for ever.
  retention_months int CHECK (retention_months BETWEEN 1 AND 1200),
  -- Views before this day are deleted, for good.
  expired_before date,
  -- Where the project's views are in ClickHouse.
  shard smallint NOT NULL DEFAULT 0 CHECK (shard >= 0)
);

-- By which the script on a site says whose views it tells of. Public: it lets views in and nothing out.
CREATE TABLE site_key (
  key text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX site_key_of_project ON site_key (project_id);

-- Of which days a witness has told of a project's views: where nobody looked, 0 is no number. By month, so that years between
-- an import and today are not taken for measured.
CREATE TABLE view_witness (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  witness text NOT NULL CHECK (witness IN ('script', 'servers')),
  month date NOT NULL CHECK (month = date_trunc('month', month)::date),
  first_day date NOT NULL CHECK (date_trunc('month', first_day)::date = month),
  last_day date NOT NULL CHECK (last_day >= first_day AND date_trunc('month', last_day)::date = month),
  -- Whether it counted people then, by the project's choice of that time.
  counts_people boolean NOT NULL,
  PRIMARY KEY (project_id, witness, month)
);

-- Acknowledged views that are not in ClickHouse yet: of one shard and one month, of any number of projects.
CREATE TABLE view_batch (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard smallint NOT NULL,
  month date NOT NULL CHECK (month = date_trunc('month', month)::date),
  rows int NOT NULL CHECK (rows > 0),
  -- Before compression.
  size_bytes int NOT NULL CHECK (size_bytes > 0),
  -- gzip, so that batches can be put end to end and sent on as they are.
  body bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE view_batch ALTER COLUMN body SET STORAGE EXTERNAL;
-- Every row is soon deleted, and the table small again: by default it would be tidied only every so often.
ALTER TABLE view_batch SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Batches that go to ClickHouse as one block. Which ones is written down and never changes: the block is sent again under
-- the same token until it is known to be in. Commits arrive out of the order of ids, so "all up to" would pass some over.
CREATE TABLE view_load (
  shard smallint NOT NULL,
  -- Microseconds of time: also after a restored backup it is none that ClickHouse has seen.
  id bigint NOT NULL,
  month date NOT NULL,
  batch_ids bigint[] NOT NULL CHECK (cardinality(batch_ids) > 0),
  -- How often ClickHouse has refused the block for what is in it.
  refusals int NOT NULL DEFAULT 0,
  try_after timestamptz NOT NULL DEFAULT '-infinity',
  last_error text,
  -- Given up: a person has to look.
  set_aside_at timestamptz,
  PRIMARY KEY (shard, id)
);

-- Deliveries that were taken: a sender that tries again is known by its own id. Hash of project and id, as a row per
-- beacon has to be small.
CREATE TABLE view_delivery (
  delivery bytea NOT NULL CHECK (octet_length(delivery) = 16),
  -- Infinity for imports: a file may come again in years.
  forget_on date NOT NULL,
  PRIMARY KEY (delivery)
) PARTITION BY HASH (delivery);
CREATE INDEX view_delivery_forgettable ON view_delivery (forget_on);
CREATE TABLE view_delivery_0 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 0);
CREATE TABLE view_delivery_1 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 1);
CREATE TABLE view_delivery_2 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 2);
CREATE TABLE view_delivery_3 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 3);
CREATE TABLE view_delivery_4 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 4);
CREATE TABLE view_delivery_5 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 5);
CREATE TABLE view_delivery_6 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 6);
CREATE TABLE view_delivery_7 PARTITION OF view_delivery FOR VALUES WITH (MODULUS 8, REMAINDER 7);

-- Which pages the script has told of. It is public: after so many new ones a day a stranger's inventions are one page.
CREATE TABLE script_page (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  page bytea NOT NULL CHECK (octet_length(page) = 16),
  first_seen_on date NOT NULL,
  PRIMARY KEY (project_id, page)
);
CREATE INDEX script_page_by_day ON script_page (project_id, first_seen_on);

-- Kept for ever, so that the same file can be imported twice without counting twice, and an import be undone.
CREATE TABLE import_run (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  kind text NOT NULL,
  -- Of the first `planned_bytes` of what is imported: a file that begins so is the same one, perhaps longer by now.
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
  -- So much is in for sure. What lies between this and the plan may be in or not: it is delivered again, under the same id.
  sure_bytes bigint NOT NULL CHECK (sure_bytes >= 0),
  planned_bytes bigint NOT NULL CHECK (planned_bytes >= sure_bytes),
  -- In what is in for sure.
  views bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  undone_at timestamptz,
  PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX import_run_of_file ON import_run (project_id, fingerprint) WHERE undone_at IS NULL;
