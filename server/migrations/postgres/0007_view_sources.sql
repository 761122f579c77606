-- What whoever sets up counting wants to see. None of it is a promise: it is summed in memory and written every few seconds,
-- so that taking views in does not wait for it.

-- When a source was last heard of, whatever became of its event.
CREATE TABLE view_source (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  last_event_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, source)
);

-- Events by the hour in which they came, and by what became of them: `counted`, or the reason for which they were dropped.
-- Kept for eight days.
CREATE TABLE view_tally (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  hour timestamptz NOT NULL,
  outcome text NOT NULL,
  events bigint NOT NULL CHECK (events > 0),
  PRIMARY KEY (project_id, source, hour, outcome)
);
CREATE INDEX view_tally_by_hour ON view_tally (hour);

-- Some of the events that were dropped in the last minutes: a path without its query, and why. Nothing of the reader.
CREATE TABLE view_dropped (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  at timestamptz NOT NULL,
  source text NOT NULL CHECK (source IN ('script', 'servers', 'logs')),
  path text NOT NULL,
  reason text NOT NULL
);
CREATE INDEX view_dropped_of_project ON view_dropped (project_id, at);
CREATE INDEX view_dropped_by_time ON view_dropped (at);
