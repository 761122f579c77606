-- Page views and the sums over them. Every statement can be repeated.
--
-- Each block of views is inserted once, by its deduplication token, even when it is sent again. Every table of the
-- chain keeps the last 10,000 tokens and is synced to disk before ClickHouse acknowledges. With a deduplication window
-- on the first table alone, the others would count a repeated block again (tried: 9 instead of 3).
--
-- How to go from one machine to several without changing a table:
-- - shards: all views of a project are on one shard, which PostgreSQL knows (`analytics_settings.shard`). The loader writes to,
--   and a query reads from, that shard's own tables; there are no distributed tables;
-- - replicas: `ALTER TABLE … ATTACH AS REPLICATED` converts a table in place. The settings for that, with tokens kept for a
--   week, are set here already.

CREATE TABLE IF NOT EXISTS page_view (
  project_id LowCardinality(String),
  at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  path LowCardinality(String) CODEC(ZSTD(1)),
  class Enum8('human' = 1, 'assistant' = 2, 'ai-search' = 3, 'ai-training' = 4, 'search' = 5, 'other-bot' = 6),
  client LowCardinality(String),

  -- The input of the classification and its version: enough to classify again when the rules change. Never an IP address.
  user_agent LowCardinality(String) CODEC(ZSTD(1)),
  surface Enum8('html' = 1, 'markdown' = 2, 'mdx' = 3, 'llms' = 4),
  accepts_markdown Bool,
  rule_version LowCardinality(String),

  source LowCardinality(String),
  -- Empty: not imported.
  import_id LowCardinality(String),
  -- A ledger: 1 for a view, more where an import knows only sums, and -1 to undo a wrong count, so that a correction
  -- reaches every table below the same way as a view.
  views Int32 CODEC(T64, ZSTD(1)),
  -- The block that contained the view, from the block's token, to find out whether a block was really inserted. Grows
  -- with `at`, so it compresses to half a byte.
  block_id UInt64 DEFAULT toUInt64OrZero(splitByChar('/', getSetting('insert_deduplication_token'))[1]) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (project_id, at)
SETTINGS
  non_replicated_deduplication_window = 10000,
  replicated_deduplication_window = 10000,
  replicated_deduplication_window_seconds = 604800,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS views_by_page_and_day (
  project_id LowCardinality(String),
  day Date,
  path String CODEC(ZSTD(1)),
  human Int64 CODEC(T64, ZSTD(1)),
  assistant Int64 CODEC(T64, ZSTD(1)),
  ai_search Int64 CODEC(T64, ZSTD(1)),
  ai_training Int64 CODEC(T64, ZSTD(1)),
  search Int64 CODEC(T64, ZSTD(1)),
  other_bot Int64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree((human, assistant, ai_search, ai_training, search, other_bot))
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, path)
SETTINGS
  non_replicated_deduplication_window = 10000,
  replicated_deduplication_window = 10000,
  replicated_deduplication_window_seconds = 604800,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS views_by_page_and_month (
  project_id LowCardinality(String),
  month Date,
  path String CODEC(ZSTD(1)),
  human Int64 CODEC(T64, ZSTD(1)),
  assistant Int64 CODEC(T64, ZSTD(1)),
  ai_search Int64 CODEC(T64, ZSTD(1)),
  ai_training Int64 CODEC(T64, ZSTD(1)),
  search Int64 CODEC(T64, ZSTD(1)),
  other_bot Int64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree((human, assistant, ai_search, ai_training, search, other_bot))
PARTITION BY toYear(month)
ORDER BY (project_id, month, path)
SETTINGS
  non_replicated_deduplication_window = 10000,
  replicated_deduplication_window = 10000,
  replicated_deduplication_window_seconds = 604800,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

-- All pages together. In every time zone, hours and days begin at a quarter of an hour.
CREATE TABLE IF NOT EXISTS views_by_quarter_hour (
  project_id LowCardinality(String),
  quarter_hour DateTime('UTC') CODEC(Delta, ZSTD(1)),
  human Int64 CODEC(T64, ZSTD(1)),
  assistant Int64 CODEC(T64, ZSTD(1)),
  ai_search Int64 CODEC(T64, ZSTD(1)),
  ai_training Int64 CODEC(T64, ZSTD(1)),
  search Int64 CODEC(T64, ZSTD(1)),
  other_bot Int64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree((human, assistant, ai_search, ai_training, search, other_bot))
PARTITION BY toYYYYMM(quarter_hour)
ORDER BY (project_id, quarter_hour)
SETTINGS
  non_replicated_deduplication_window = 10000,
  replicated_deduplication_window = 10000,
  replicated_deduplication_window_seconds = 604800,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS views_by_client_and_day (
  project_id LowCardinality(String),
  day Date,
  class Enum8('human' = 1, 'assistant' = 2, 'ai-search' = 3, 'ai-training' = 4, 'search' = 5, 'other-bot' = 6),
  client LowCardinality(String),
  views Int64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree(views)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, class, client)
SETTINGS
  non_replicated_deduplication_window = 10000,
  replicated_deduplication_window = 10000,
  replicated_deduplication_window_seconds = 604800,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

-- All four are filled from the views themselves, not from each other: each is one step away from the insert.

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_views_by_page_and_day TO views_by_page_and_day AS
SELECT
  project_id, toDate(at) AS day, path,
  sumIf(views, class = 'human') AS human,
  sumIf(views, class = 'assistant') AS assistant,
  sumIf(views, class = 'ai-search') AS ai_search,
  sumIf(views, class = 'ai-training') AS ai_training,
  sumIf(views, class = 'search') AS search,
  sumIf(views, class = 'other-bot') AS other_bot
FROM page_view
GROUP BY project_id, day, path;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_views_by_page_and_month TO views_by_page_and_month AS
SELECT
  project_id, toStartOfMonth(at) AS month, path,
  sumIf(views, class = 'human') AS human,
  sumIf(views, class = 'assistant') AS assistant,
  sumIf(views, class = 'ai-search') AS ai_search,
  sumIf(views, class = 'ai-training') AS ai_training,
  sumIf(views, class = 'search') AS search,
  sumIf(views, class = 'other-bot') AS other_bot
FROM page_view
GROUP BY project_id, month, path;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_views_by_quarter_hour TO views_by_quarter_hour AS
SELECT
  project_id, toStartOfFifteenMinutes(at) AS quarter_hour,
  sumIf(views, class = 'human') AS human,
  sumIf(views, class = 'assistant') AS assistant,
  sumIf(views, class = 'ai-search') AS ai_search,
  sumIf(views, class = 'ai-training') AS ai_training,
  sumIf(views, class = 'search') AS search,
  sumIf(views, class = 'other-bot') AS other_bot
FROM page_view
GROUP BY project_id, quarter_hour;

CREATE MATERIALIZED VIEW IF NOT EXISTS fill_views_by_client_and_day TO views_by_client_and_day AS
SELECT project_id, toDate(at) AS day, class, client, sum(views) AS views
FROM page_view
GROUP BY project_id, day, class, client;
