-- Events of projects, and the endpoints that they are delivered to: webhooks, chats and email addresses.

CREATE TABLE webhook_endpoint (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('webhook', 'slack', 'teams', 'email')),
  name text NOT NULL,
  -- The URL of a webhook, or the email address. Of a chat only the host: its URL is a secret.
  target text NOT NULL,
  events text[] NOT NULL,
  max_per_second integer NOT NULL,
  -- Signs the requests of a webhook. Of a chat, its URL. Null for email.
  sealed_secret bytea,
  sealed_previous_secret bytea,
  previous_secret_expires_at timestamptz,
  -- As in the audit log: who created the endpoint, or enabled it last.
  responsible text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz,
  disabled_reason text CHECK (disabled_reason IN ('by_person', 'gone', 'failing', 'creator_left', 'recipient_left')),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  -- Set while the owners have to be told that the endpoint was disabled.
  notice_due_at timestamptz,
  notice_attempts integer NOT NULL DEFAULT 0,
  -- Since the last attempt that succeeded.
  failing_since timestamptz,
  consecutive_failures integer NOT NULL DEFAULT 0,
  retry_at timestamptz,
  -- The process that sends to this endpoint: one at a time, so that the order is kept.
  lease_holder text,
  lease_expires_at timestamptz,
  woken_at timestamptz
);
CREATE INDEX webhook_endpoint_of_project ON webhook_endpoint (project_id);

CREATE TABLE webhook_event (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  -- Sent as webhook-id, with every delivery of the event.
  id text PRIMARY KEY,
  type text NOT NULL,
  job_id text,
  data jsonb NOT NULL,
  at timestamptz NOT NULL,
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX webhook_event_of_job ON webhook_event (project_id, job_id) WHERE job_id IS NOT NULL;
CREATE INDEX webhook_event_by_age ON webhook_event (at);

CREATE TABLE endpoint_delivery (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  endpoint_id text NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
  id text PRIMARY KEY,
  -- The order in which deliveries with the same key are sent. The row of a job is locked until its events are committed.
  sequence bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  order_key text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  is_resend boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX endpoint_delivery_pending ON endpoint_delivery (endpoint_id, order_key, sequence) WHERE status = 'pending';
CREATE INDEX endpoint_delivery_due ON endpoint_delivery (endpoint_id, due_at) WHERE status = 'pending';
CREATE INDEX endpoint_delivery_log ON endpoint_delivery (endpoint_id, id);
CREATE INDEX endpoint_delivery_of_event ON endpoint_delivery (event_id);

-- A row is inserted before the call, so that the log has every call, also if the process is killed during it.
CREATE TABLE endpoint_attempt (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  delivery_id text NOT NULL REFERENCES endpoint_delivery ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null until the call has ended.
  duration_ms integer,
  response_status integer,
  response_beginning text,
  error text,
  PRIMARY KEY (delivery_id, number)
);

ALTER TABLE runner ADD COLUMN offline_reported_at timestamptz;

-- A TypeID, as the application creates them: a UUID of version 7 in Crockford's base32.
CREATE FUNCTION new_id(prefix text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  random_bits CONSTANT bit(128) := ('x' || replace(gen_random_uuid()::text, '-', ''))::bit(128);
  milliseconds CONSTANT bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  bits CONSTANT bit(130) := B'00' || milliseconds::bit(48) || B'0111' || substring(random_bits FROM 53);
  id text := prefix || '_';
BEGIN
  FOR digit IN 0..25 LOOP
    id := id || substr(alphabet, substring(bits FROM digit * 5 + 1 FOR 5)::bit(5)::integer + 1, 1);
  END LOOP;
  RETURN id;
END $$;

-- Records the event and its deliveries, in the transaction of what happened. Without an endpoint that wants it, nothing is recorded.
CREATE FUNCTION record_webhook_event(
  event_project text, event_type text, event_job text, event_order_key text, event_data jsonb
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  event text;
BEGIN
  PERFORM FROM webhook_endpoint
    WHERE project_id = event_project AND disabled_at IS NULL AND event_type = ANY (events);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  event := new_id('evt');
  INSERT INTO webhook_event (project_id, id, type, job_id, data, at)
    VALUES (event_project, event, event_type, event_job, event_data, clock_timestamp());
  INSERT INTO endpoint_delivery (project_id, endpoint_id, event_id, id, order_key)
    SELECT event_project, id, event, new_id('dlv'), event_order_key FROM webhook_endpoint
    WHERE project_id = event_project AND disabled_at IS NULL AND event_type = ANY (events)
    FOR KEY SHARE; -- an endpoint that is deleted at the same time is left out, and does not fail the transaction
END $$;

CREATE FUNCTION webhook_job_data(job job) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'id', job.id, 'status', job.status, 'outcome', job.outcome, 'title', job.title, 'topic', job.topic, 'metadata', job.metadata,
    'repository', job.repository, 'ref', job.ref,
    'error', CASE WHEN job.error_code IS NOT NULL THEN jsonb_build_object('code', job.error_code, 'message', job.error_message) END,
    'pullRequest', CASE WHEN job.pull_request_number IS NOT NULL THEN jsonb_build_object(
      'number', job.pull_request_number, 'url', job.pull_request_url, 'branch', job.pull_request_branch,
      'state', job.pull_request_state) END)
$$;

-- Runs at the end of the transaction, which updates a job several times, and reads the row as it is committed. A trigger, so that no code
-- that changes a job can leave out the event.
CREATE FUNCTION record_job_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  current_job job;
  event_type text;
BEGIN
  SELECT * INTO current_job FROM job WHERE project_id = NEW.project_id AND id = NEW.id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF (OLD.pull_request_state, OLD.pull_request_number) IS DISTINCT FROM (NEW.pull_request_state, NEW.pull_request_number) THEN
    event_type := CASE NEW.pull_request_state WHEN 'open' THEN 'job.pull_request.opened'
      WHEN 'merged' THEN 'job.pull_request.merged' WHEN 'closed' THEN 'job.pull_request.closed' END;
    IF event_type IS NOT NULL THEN
      PERFORM record_webhook_event(NEW.project_id, event_type, NEW.id, NEW.id,
        jsonb_build_object('projectId', NEW.project_id, 'job', webhook_job_data(current_job)));
    END IF;
  END IF;
  IF OLD.status <> NEW.status OR OLD.outcome = 'awaiting_approval' AND NEW.outcome = 'rejected' THEN
    event_type := CASE WHEN NEW.status = 'failed' THEN 'job.failed' WHEN NEW.status = 'archived' THEN 'job.archived'
      WHEN NEW.status = 'completed' AND current_job.outcome = 'awaiting_approval' THEN 'job.awaiting_approval'
      WHEN NEW.status = 'completed' THEN 'job.completed' END;
    IF event_type IS NOT NULL THEN
      PERFORM record_webhook_event(NEW.project_id, event_type, NEW.id, NEW.id,
        jsonb_build_object('projectId', NEW.project_id, 'job', webhook_job_data(current_job)));
    END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER job_changes_are_events
  AFTER UPDATE ON job DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (OLD.status <> NEW.status
    OR (OLD.pull_request_state, OLD.pull_request_number) IS DISTINCT FROM (NEW.pull_request_state, NEW.pull_request_number)
    OR OLD.outcome = 'awaiting_approval' AND NEW.outcome = 'rejected')
  EXECUTE FUNCTION record_job_events();

-- Of several shares that are reached together, the highest.
CREATE FUNCTION record_budget_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  notice record;
BEGIN
  FOR notice IN SELECT DISTINCT ON (scope, month) * FROM added_notice WHERE scope <> 'instance' ORDER BY scope, month, percent DESC LOOP
    PERFORM record_webhook_event(notice.scope, 'budget.threshold', NULL, 'budget', jsonb_build_object(
      'projectId', notice.scope, 'budget', jsonb_build_object('month', to_char(notice.month, 'YYYY-MM'), 'percent', notice.percent,
        'unit', notice.unit, 'used', notice.used, 'max', notice.max)));
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER budget_notices_are_events
  AFTER INSERT ON budget_notice
  REFERENCING NEW TABLE AS added_notice
  FOR EACH STATEMENT EXECUTE FUNCTION record_budget_events();
