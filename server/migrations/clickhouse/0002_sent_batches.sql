-- The blocks in which each batch was sent, recorded before it is sent. If PostgreSQL loses its last changes, in a failover to an
-- asynchronous standby or after a backup was restored, batches wait there again that are here already; they are found by this.
CREATE TABLE IF NOT EXISTS sent_batch (
  batch_key UUID,
  block_id UInt64,
  sent_at DateTime('UTC') DEFAULT now()
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(sent_at)
ORDER BY (batch_key, block_id)
TTL sent_at + INTERVAL 100 DAY
SETTINGS
  ttl_only_drop_parts = 1,
  fsync_after_insert = 1,
  fsync_part_directory = 1;
