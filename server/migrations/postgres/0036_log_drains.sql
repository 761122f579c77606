-- Where a host or CDN sends the access logs of a site.
CREATE TABLE log_drain (
  id text PRIMARY KEY,
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  name text NOT NULL,
  -- A format of analytics/log-formats/, without a constraint: it grows with every release.
  format text NOT NULL,
  -- Only requests for this host are counted. Null: all.
  host text,
  -- Of the secret that authenticates the sender. It can submit page views to the project, but read nothing.
  secret_hash bytea NOT NULL,
  -- The secret itself, only for hosts that sign with it. api receives the deliveries, and cannot open what is sealed.
  signing_secret text,
  -- Proves to the host that the URL belongs to the owner of the drain: the value that Vercel expects, or the ID of the Fastly service.
  verification text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  first_event_at timestamptz,
  last_event_at timestamptz
);
CREATE INDEX log_drain_by_project ON log_drain (project_id);
CREATE INDEX log_drain_of_fastly ON log_drain (project_id, created_at) WHERE format = 'fastly' AND verification IS NOT NULL;

-- What arrived at a log drain on a day (UTC). Rows outlive their drain: the daily limit of a project counts them.
CREATE TABLE log_drain_day (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  log_drain_id text NOT NULL,
  day date NOT NULL,
  counted bigint NOT NULL,
  repeated bigint NOT NULL,
  dropped bigint NOT NULL,
  ignored bigint NOT NULL,
  unreadable bigint NOT NULL,
  PRIMARY KEY (project_id, log_drain_id, day)
);
CREATE INDEX log_drain_day_by_day ON log_drain_day (day);

-- IDs of log lines, as in beacon_delivery. Partitioned by six hours, and kept for a day: hosts deliver again after minutes or hours.
CREATE TABLE log_line_delivery (
  slot timestamptz NOT NULL,
  delivery uuid NOT NULL,
  PRIMARY KEY (delivery, slot)
) PARTITION BY RANGE (slot);

CREATE OR REPLACE FUNCTION add_delivery_partition(parent text, starts_at timestamptz, ends_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF parent NOT IN ('beacon_delivery', 'batch_delivery', 'log_line_delivery') THEN
    RAISE EXCEPTION '% is not a table of delivery IDs', parent;
  END IF;
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
    parent || to_char(starts_at AT TIME ZONE 'UTC', '_YYYYMMDD_HH24MI'), parent, starts_at, ends_at);
END $$;

CREATE OR REPLACE FUNCTION drop_delivery_partition(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- Otherwise another worker has dropped it, or it is another table.
  IF EXISTS (
    SELECT FROM pg_inherits WHERE inhrelid = to_regclass(quote_ident(name))
      AND inhparent IN ('beacon_delivery'::regclass, 'batch_delivery'::regclass, 'log_line_delivery'::regclass)
  ) THEN
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
  END IF;
END $$;

-- Replacing a function removes its settings.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['add_delivery_partition(text, timestamptz, timestamptz)', 'drop_delivery_partition(text)'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
  END LOOP;
END $$;
