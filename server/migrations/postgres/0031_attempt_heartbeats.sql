-- PostgreSQL decides when a runner is lost. Temporal hears of an attempt much less often, and only so that its activity does not time
-- out. Null: an older version queued the attempt.
ALTER TABLE turn_attempt ADD COLUMN temporal_heartbeat_seconds double precision;
ALTER TABLE turn_attempt ADD COLUMN temporal_heard_at timestamptz;
