-- Identifies the batch in ClickHouse. IDs are assigned again after a backup was restored, keys are not.
ALTER TABLE view_batch ADD COLUMN key uuid NOT NULL DEFAULT gen_random_uuid();
COMMENT ON COLUMN view_block.id IS 'Computed from the batches: the time of the first one, and a hash of their keys.';
