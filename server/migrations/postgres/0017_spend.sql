-- Whether the default limits apply where the operator configures none: only on instances that were created with this version.
-- On an older instance, jobs could stop after an update, at a limit that nobody has set.
CREATE TABLE instance_budget (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  has_default_limits boolean NOT NULL
);
INSERT INTO instance_budget (has_default_limits) SELECT NOT EXISTS (SELECT FROM project);

-- Usage by period (UTC): of the instance by month and hour, of projects by hour. Updated in the transactions that write the calls,
-- like model_month, which the previous version reads and writes as well. Calls of processes of the previous version, which may
-- still run during an update, are not counted here.
CREATE TABLE model_period (
  -- The ID of a project, or 'instance'.
  scope text NOT NULL,
  period text NOT NULL CHECK (period IN ('hour', 'month')),
  starts_at timestamptz NOT NULL,
  tokens bigint NOT NULL,
  cost_usd numeric NOT NULL,
  PRIMARY KEY (scope, period, starts_at)
);
INSERT INTO model_period (scope, period, starts_at, tokens, cost_usd)
  SELECT 'instance', 'month', month::timestamp AT TIME ZONE 'UTC', sum(tokens), sum(cost_usd)
  FROM model_month GROUP BY month;

-- What a project used by day (UTC) and model. Outlives deleted jobs. Calls in progress count with their reservation.
CREATE TABLE model_day (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  day date NOT NULL,
  model text NOT NULL,
  calls bigint NOT NULL,
  tokens bigint NOT NULL,
  cost_usd numeric NOT NULL,
  -- Of calls whose cost is unknown, because a price is missing.
  unpriced_tokens bigint NOT NULL,
  PRIMARY KEY (project_id, day, model)
);
CREATE INDEX model_day_by_day ON model_day (day);
INSERT INTO model_day
  SELECT project_id, (reserved_at AT TIME ZONE 'UTC')::date, model, count(*), sum(tokens), coalesce(sum(cost_usd), 0),
    coalesce(sum(tokens) FILTER (WHERE cost_usd IS NULL), 0)
  FROM model_call GROUP BY 1, 2, 3;

CREATE INDEX model_call_in_progress ON model_call (project_id) WHERE settled_at IS NULL;

ALTER TABLE turn_over_budget DROP CONSTRAINT turn_over_budget_budget_check;
ALTER TABLE turn_over_budget ADD CONSTRAINT turn_over_budget_budget_check CHECK (budget IN (
  'job_tokens', 'month_tokens', 'month_usd', 'hour_tokens', 'hour_usd', 'instance_month_tokens', 'instance_month_usd',
  'instance_hour_tokens', 'instance_hour_usd'));
CREATE INDEX turn_over_budget_by_time ON turn_over_budget (at);

-- A share of a month's budget that was reached: one row per month and share, however many processes notice it.
CREATE TABLE budget_notice (
  -- The ID of a project, or 'instance'.
  scope text NOT NULL,
  month date NOT NULL,
  percent int NOT NULL CHECK (percent IN (50, 80, 100)),
  -- The budget that was used most, and how much of it.
  unit text NOT NULL CHECK (unit IN ('tokens', 'usd')),
  used numeric NOT NULL,
  max numeric NOT NULL,
  reached_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, month, percent)
);

-- Emails that are still to be sent about a notice. Deleted when sent.
CREATE TABLE budget_notice_email (
  scope text NOT NULL,
  month date NOT NULL,
  percent int NOT NULL,
  email text NOT NULL,
  failed_attempts int NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, month, percent, email),
  FOREIGN KEY (scope, month, percent) REFERENCES budget_notice ON DELETE CASCADE
);
CREATE INDEX budget_notice_email_due ON budget_notice_email (due_at);
