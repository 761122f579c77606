-- The activity that queued the last attempt: when Temporal scheduled it, and how often Temporal has tried it. A worker that stalled
-- in an earlier one must not replace the attempt of a later one.
ALTER TABLE turn ADD COLUMN queued_by_scheduled_at timestamptz;
ALTER TABLE turn ADD COLUMN queued_by_attempt int;

-- Several runner processes can share a token, and only one of them is lost with a turn.
ALTER TABLE turn_attempt ADD COLUMN runner_process text;
ALTER TABLE turn_attempt ADD COLUMN heard_at timestamptz;
-- When it was found that the runner had stopped responding. Null again if the process is heard again: its heartbeats did not arrive.
-- A turn that was lost gets a runner of its own, and fails after the third.
ALTER TABLE turn_attempt ADD COLUMN lost_at timestamptz;
CREATE INDEX turn_attempt_lost ON turn_attempt (runner_process) WHERE lost_at IS NOT NULL;
-- The runner process that claims no other turns until it is idle and can claim this one.
ALTER TABLE turn_attempt ADD COLUMN reserved_for text;
ALTER TABLE turn_attempt ADD COLUMN reserved_at timestamptz;
CREATE INDEX turn_attempt_of_process ON turn_attempt (runner_process) WHERE claimed_at IS NOT NULL AND ended_at IS NULL;
-- To find attempts of turns that have ended.
CREATE INDEX turn_attempt_open ON turn_attempt (turn_id) WHERE ended_at IS NULL;
