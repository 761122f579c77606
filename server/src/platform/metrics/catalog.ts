/**
 * Every metric, declared once. The code can record only these, with these labels; the table of docs/operations/monitoring.md is
 * generated from here, and a test compares the alert rules, the dashboard and the docs with it.
 *
 * Each label has a closed set of values, so that no client, project or person can add series. `perProject`: has also the label
 * `project`, if the operator turned that on.
 */

export type MetricProcess = 'api' | 'worker' | 'runner'
/** `serve` is api and worker in one process. */
export type NamedProcess = MetricProcess | 'serve'

/** Values of a label. Null: one value for each process. */
type Labels = Readonly<Record<string, readonly string[] | null>>

export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly processes: readonly MetricProcess[]
  readonly labels: Labels
  readonly buckets?: readonly number[]
  readonly perProject?: boolean
}

const all = ['api', 'worker', 'runner'] as const
const apiAndWorker = ['api', 'worker'] as const
const api = ['api'] as const
const worker = ['worker'] as const
const runner = ['runner'] as const

const httpServers = ['public', 'gateway', 'runner'] as const
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
const problemCodes = [
  'invalid_request',
  'unauthenticated',
  'insufficient_scope',
  'insufficient_role',
  'cross_origin',
  'reauthentication_required',
  'second_factor_required',
  'ip_not_allowed',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'job_archived',
  'not_cancellable',
  'not_awaiting_approval',
  'project_not_ready',
  'queue_full',
  'too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const
const codeHosts = ['gitea', 'github'] as const
const fastSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const slowSeconds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800]

export const metricCatalog = {
  colophon_process_info: {
    type: 'gauge',
    help: 'Always 1. The labels say which process it is, and which version it runs.',
    processes: all,
    labels: { process: ['api', 'worker', 'runner', 'serve'], version: null },
  },
  colophon_process_start_timestamp_seconds: {
    type: 'gauge',
    help: 'When the process started, as a Unix time.',
    processes: all,
    labels: {},
  },
  colophon_process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time that the process has used. Not that of sandboxes.',
    processes: all,
    labels: {},
  },
  colophon_process_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process: resident, JavaScript heap in use, and buffers outside the heap.',
    processes: all,
    labels: { kind: ['resident', 'heap', 'external'] },
  },
  colophon_process_open_files: {
    type: 'gauge',
    help: 'Open files and connections of the process. Linux only.',
    processes: all,
    labels: {},
  },
  colophon_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'How late timers ran in the last ten seconds. Everything that the process does waits this long.',
    processes: all,
    labels: { quantile: ['0.5', '0.99', '1'] },
  },
  colophon_background_failures_total: {
    type: 'counter',
    help: 'Rounds and steps of background work that failed. The log says which, and why.',
    processes: all,
    labels: {},
  },
  colophon_component_up: {
    type: 'gauge',
    help: '1 if the component works, as on /readyz; otherwise 0.',
    processes: all,
    labels: { component: ['postgres', 'temporal', 'clickhouse', 'gateway'] },
  },
  colophon_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until the response begins. A claim of a runner waits for work for up to half a minute.',
    processes: all,
    labels: { server: httpServers, status: statusClasses },
    buckets: fastSeconds,
  },
  colophon_http_problems_total: {
    type: 'counter',
    help: 'Responses that report an error, by its code. `rate_limited`: requests that exceeded a rate limit.',
    processes: all,
    labels: { server: httpServers, code: problemCodes },
  },
  colophon_tls_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the certificate in use expires, as a Unix time. Only if the process terminates TLS itself.',
    processes: apiAndWorker,
    labels: { server: httpServers },
  },

  colophon_database_pool_connections: {
    type: 'gauge',
    help: 'Open PostgreSQL connections of a pool.',
    processes: apiAndWorker,
    labels: { pool: ['api', 'worker', 'loader'], state: ['active', 'idle'] },
  },
  colophon_database_pool_limit: {
    type: 'gauge',
    help: 'Maximum number of connections of a pool.',
    processes: apiAndWorker,
    labels: { pool: ['api', 'worker', 'loader'] },
  },
  colophon_database_pool_waiting: {
    type: 'gauge',
    help: 'Callers that are waiting for a connection, because all are in use.',
    processes: apiAndWorker,
    labels: { pool: ['api', 'worker', 'loader'] },
  },
  colophon_database_pool_wait_seconds: {
    type: 'histogram',
    help: 'How long callers waited for a connection of a pool.',
    processes: apiAndWorker,
    labels: { pool: ['api', 'worker', 'loader'] },
    buckets: fastSeconds,
  },
  colophon_clickhouse_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until ClickHouse responds, including health checks.',
    processes: apiAndWorker,
    labels: { operation: ['query', 'insert', 'command'], result: ['ok', 'failed'] },
    buckets: fastSeconds,
  },

  colophon_sign_ins_total: {
    type: 'counter',
    help: 'Sessions that were started, by how the person signed in.',
    processes: api,
    labels: {
      method: ['password', 'passkey', 'provider', 'invitation', 'password_link', 'owner_link', 'second_factor'],
    },
  },
  colophon_sign_in_failures_total: {
    type: 'counter',
    help: 'Failed sign-ins: a wrong password, passkey or second factor, or a provider that reported an error.',
    processes: api,
    labels: { method: ['password', 'passkey', 'provider', 'second_factor'] },
  },
  colophon_work_accepted_total: {
    type: 'counter',
    help: 'Jobs that were created, and messages to jobs. Counted by the process that accepted them.',
    processes: apiAndWorker,
    labels: { kind: ['job', 'message'] },
    perProject: true,
  },

  colophon_backlog_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the worker last read the state of all queues from PostgreSQL, as a Unix time. If it fails, the metrics that it reads are NaN.',
    processes: worker,
    labels: {},
  },
  colophon_backlog_read_seconds: {
    type: 'gauge',
    help: 'How long reading the state of all queues took.',
    processes: worker,
    labels: {},
  },
  colophon_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    help:
      'When `colophon-server backup` last finished a backup, as a Unix time. Before the first one, when a schedule for backups was set. NaN: ' +
      'neither.',
    processes: worker,
    labels: {},
  },
  colophon_turns: {
    type: 'gauge',
    help: 'Turns that have not ended. A message that waits for an earlier turn of its job is not included, and neither are paused projects.',
    processes: worker,
    labels: { status: ['queued', 'running', 'publishing'] },
  },
  colophon_turn_oldest_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest of these turns has been in this state. 0 if there is none.',
    processes: worker,
    labels: { status: ['queued', 'running', 'publishing'] },
  },
  colophon_attempts: {
    type: 'gauge',
    help: 'Attempts at turns that wait for a runner, and those that a runner has claimed.',
    processes: worker,
    labels: { state: ['waiting', 'claimed'] },
  },
  colophon_attempt_oldest_waiting_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest attempt has been waiting for a runner. 0 if none is waiting.',
    processes: worker,
    labels: {},
  },
  colophon_attempt_queue_wait_seconds: {
    type: 'histogram',
    help: 'How long claimed attempts had waited for a runner.',
    processes: worker,
    labels: {},
    buckets: slowSeconds,
  },
  colophon_attempts_lost_total: {
    type: 'counter',
    help: 'Attempts whose runner sent no heartbeat for too long. Their turns are run again.',
    processes: worker,
    labels: {},
  },
  colophon_stalled_jobs_total: {
    type: 'counter',
    help: 'Jobs without progress that the dispatcher woke, or whose workflow it replaced.',
    processes: worker,
    labels: {},
  },
  colophon_turns_ended_total: {
    type: 'counter',
    help: 'Turns that ended, by outcome. For those that failed, the result is the code of the error.',
    processes: worker,
    labels: {
      result: [
        'pull_request',
        'diff',
        'no_changes',
        'awaiting_approval',
        'cancelled',
        'deadline_exceeded',
        'agent_failed',
        'no_runner_available',
        'runner_lost',
        'publish_timeout',
        'branch_moved',
        'result_refused',
        'code_host_access_denied',
        'budget_exhausted',
        'model_unavailable',
        'project_not_ready',
        'internal_error',
      ],
    },
    perProject: true,
  },
  colophon_runners: {
    type: 'gauge',
    help: 'Valid runner tokens. `online`: those whose runner has called in the last 90 seconds or is running a turn.',
    processes: worker,
    labels: { state: ['registered', 'online'] },
  },

  colophon_publish_duration_seconds: {
    type: 'histogram',
    help: 'How long publishing a result took, by kind of code host. Retries are included.',
    processes: worker,
    labels: { host: codeHosts, result: ['published', 'failed'] },
    buckets: slowSeconds,
  },
  colophon_publish_failures_total: {
    type: 'counter',
    help: 'Errors of code hosts while publishing, by kind of host. Most are retried.',
    processes: worker,
    labels: {
      host: codeHosts,
      reason: [
        'unreachable',
        'server_error',
        'rate_limited',
        'unexpected_response',
        'address_not_allowed',
        'token_rejected',
        'forbidden',
        'not_found',
        'conflict',
        'rejected',
        'moved',
        'too_large',
        'push_rejected',
      ],
    },
  },

  colophon_model_calls_total: {
    type: 'counter',
    help: 'Model calls that were sent to a provider. `interrupted`: the response ended too early; `failed`: the provider reported an error or could not be reached.',
    processes: worker,
    labels: { result: ['complete', 'interrupted', 'failed'] },
    perProject: true,
  },
  colophon_model_call_wait_seconds: {
    type: 'histogram',
    help: 'Time until the response of the provider begins.',
    processes: worker,
    labels: {},
    buckets: slowSeconds,
  },
  colophon_model_tokens_total: {
    type: 'counter',
    help: 'Tokens of model calls, as they count for budgets.',
    processes: worker,
    labels: { kind: ['input', 'cache_read', 'cache_write', 'output'] },
    perProject: true,
  },
  colophon_model_cost_usd_total: {
    type: 'counter',
    help: 'Cost of model calls in US dollars, for models with prices.',
    processes: worker,
    labels: {},
    perProject: true,
  },
  colophon_model_refusals_total: {
    type: 'counter',
    help: 'Model calls that were refused because of a budget, or because too many calls of the job failed.',
    processes: worker,
    labels: {
      reason: [
        'job_tokens',
        'month_tokens',
        'month_usd',
        'hour_tokens',
        'hour_usd',
        'instance_month_tokens',
        'instance_month_usd',
        'instance_hour_tokens',
        'instance_hour_usd',
        'too_many_failures',
      ],
    },
    perProject: true,
  },

  colophon_view_events_total: {
    type: 'counter',
    help: 'Events for page views: those that were counted, and those that were dropped, by reason.',
    processes: api,
    labels: {
      source: ['script', 'servers', 'logs'],
      outcome: [
        'counted',
        'not_get',
        'not_successful',
        'prefetch',
        'invalid_path',
        'path_too_long',
        'not_a_page',
        'counted_elsewhere',
        'too_old',
        'opted_out',
        'origin_not_allowed',
        'rate_limited',
        'daily_limit',
      ],
    },
    perProject: true,
  },
  colophon_view_buffer_bytes: {
    type: 'gauge',
    help: 'Size of the page views that wait in PostgreSQL to be loaded into ClickHouse.',
    processes: worker,
    labels: {},
  },
  colophon_view_delivery_id_bytes: {
    type: 'gauge',
    help: 'Size of the IDs of deliveries, by which a repeated one is recognized. They share the limit of the buffer.',
    processes: worker,
    labels: {},
  },
  colophon_view_buffer_limit_bytes: {
    type: 'gauge',
    help: 'Maximum size of the buffer for page views, with the IDs of deliveries. When it is full, page views are rejected.',
    processes: api,
    labels: {},
  },
  colophon_view_buffer_oldest_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest page views have waited to be loaded: the lag of the loader. Quarantined ones are not included. 0 if none are waiting.',
    processes: worker,
    labels: {},
  },
  colophon_view_batches: {
    type: 'gauge',
    help: 'Batches of page views that wait to be loaded, and those that are quarantined because ClickHouse rejects them.',
    processes: worker,
    labels: { state: ['waiting', 'quarantined'] },
  },
  colophon_views_loaded_total: {
    type: 'counter',
    help: 'Page views that were loaded into ClickHouse.',
    processes: worker,
    labels: {},
  },
  colophon_view_loads_total: {
    type: 'counter',
    help: 'Blocks of page views that were sent to ClickHouse. `rejected`: because of their contents.',
    processes: worker,
    labels: { result: ['loaded', 'failed', 'rejected'] },
  },

  colophon_webhook_deliveries_waiting: {
    type: 'gauge',
    help: 'Deliveries of events that have not ended, including those that wait for a retry.',
    processes: worker,
    labels: {},
  },
  colophon_webhook_oldest_due_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest delivery has been due, except those to endpoints that are disabled or whose last delivery failed. 0 if none is due.',
    processes: worker,
    labels: {},
  },
  colophon_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver an event, by kind of endpoint.',
    processes: worker,
    labels: { kind: ['webhook', 'slack', 'teams', 'email'], result: ['delivered', 'failed'] },
  },

  colophon_runner_capacity: {
    type: 'gauge',
    help: 'Turns that the runner can run at the same time.',
    processes: runner,
    labels: {},
  },
  colophon_runner_turns_running: {
    type: 'gauge',
    help: 'Turns that the runner runs now.',
    processes: runner,
    labels: {},
  },
  colophon_runner_turns_total: {
    type: 'counter',
    help: 'Turns that ended on the runner, by what it reported. `none`: the attempt was no longer valid.',
    processes: runner,
    labels: { report: ['result', 'agent_failed', 'stopped', 'released', 'none'] },
  },
  colophon_runner_claim_failures_total: {
    type: 'counter',
    help: 'Attempts to claim a turn that failed, because the gateway did not respond or rejected the token.',
    processes: runner,
    labels: {},
  },
  colophon_runner_self_test_success: {
    type: 'gauge',
    help: '1 if the self-test of the sandbox succeeded when the runner started, otherwise 0. In that case, the runner exits.',
    processes: runner,
    labels: {},
  },
} as const satisfies Record<string, MetricDefinition>

export type MetricCatalog = typeof metricCatalog
export type MetricName = keyof MetricCatalog
export type MetricOfType<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: MetricCatalog[Name]['type'] extends Type ? Name : never
}[MetricName]

/** The values of the labels of a metric. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof MetricCatalog[Name]['labels']]: MetricCatalog[Name]['labels'][Label] extends readonly (infer Value)[]
    ? Value
    : string
}
