-- One model call: written before the call with the maximum that it can use, settled afterwards with what it used. A row
-- that is never settled, because its gateway died, keeps counting as it was written.
CREATE TABLE model_call (
  project_id text NOT NULL,
  id text NOT NULL,
  job_id text NOT NULL,
  turn_id text NOT NULL,
  model text NOT NULL,
  month date NOT NULL,
  -- Neither read from the provider's cache nor written to it.
  input_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL,
  tokens bigint NOT NULL GENERATED ALWAYS AS (input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) STORED,
  -- Null: a price was unknown.
  cost_usd numeric,
  reserved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at timestamptz,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX model_call_by_job ON model_call (project_id, job_id);

-- Without calls in progress: what they may use is not what they used. A call older than any call can be will never be
-- settled, and counts as reserved.
CREATE VIEW job_usage AS
  SELECT project_id, job_id,
    -- All input, including what was read from or written to the provider's cache.
    sum(tokens - output_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    CASE WHEN count(*) = count(cost_usd) THEN sum(cost_usd) END AS cost_usd
  FROM model_call
  WHERE settled_at IS NOT NULL OR reserved_at < clock_timestamp() - interval '1 hour'
  GROUP BY project_id, job_id;

-- A project's usage by calendar month (UTC), updated in the transactions that write the calls: summing a busy month before
-- each call would take longer than the call. Outlives deleted jobs: the money is spent.
CREATE TABLE model_month (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  month date NOT NULL,
  tokens bigint NOT NULL,
  cost_usd numeric NOT NULL,
  PRIMARY KEY (project_id, month)
);

-- Turns of which a model call was rejected because a budget was exhausted: one row per turn, for the first rejection.
CREATE TABLE turn_over_budget (
  turn_id text PRIMARY KEY REFERENCES turn (id) ON DELETE CASCADE,
  budget text NOT NULL CHECK (budget IN ('job_tokens', 'month_tokens', 'month_usd')),
  at timestamptz NOT NULL DEFAULT now()
);
