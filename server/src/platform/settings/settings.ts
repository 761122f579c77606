/**
 * All settings, each declared once. The types of the configuration, the known names and the tables of
 * docs/configuration.md come from here. Each top-level key is one of these tables; `npm run configuration` writes them.
 */
import { parseSealingPrivateKeys, parseSealingPublicKeys } from '../sealed-secrets/sealing-keys.ts'
import {
  ageIdentities,
  ageRecipients,
  boolean,
  claimValues,
  contacts,
  cronExpression,
  emailDomains,
  githubUrls,
  groupRoles,
  headerValues,
  hosts,
  httpsLink,
  inFile,
  integer,
  limit,
  listenAddress,
  longText,
  mapped,
  networks,
  oneOf,
  scopeNames,
  sealingKeys,
  secret,
  text,
  url,
  withoutTrailingSlashes,
} from './kinds.ts'
import { optional, required, withDefault } from './setting.ts'

const howToCreateKeys = 'create a pair with `colophon-server admin sealing-key generate`'
const jobSeconds = integer(1, 7 * 24 * 3600)

export const settings = {
  services: {
    postgres: {
      url: required('COLOPHON_DATABASE_URL', secret(url('postgres:', 'postgresql:')), {
        purpose: 'the PostgreSQL database, like postgres://user:password@host:5432/colophon',
        meaning:
          'PostgreSQL database (15 or newer), like `postgres://user:password@host:5432/colophon`. The database must ' +
          'exist. The user of `migrate` and `serve` owns the tables, and must be allowed to create them; `api` and `worker` ' +
          'should have [users of their own](operations/database-roles.md). For TLS, append `?sslmode=verify-full`.',
      }),
      poolSize: withDefault('COLOPHON_DATABASE_POOL_SIZE', integer(1, 1000), '10', {
        meaning: 'Maximum number of PostgreSQL connections per process. `serve` has two pools of this size.',
      }),
    },
    databaseRoles: {
      api: optional('COLOPHON_DATABASE_API_ROLE', text, {
        meaning:
          'PostgreSQL role that `api` connects with. `migrate` gives it the privileges that `api` needs. Set both roles or ' +
          'neither; without them, all processes connect with one role.',
      }),
      worker: optional('COLOPHON_DATABASE_WORKER_ROLE', text, {
        meaning: 'PostgreSQL role that `worker` connects with.',
      }),
    },
    clickhouse: {
      url: required('COLOPHON_CLICKHOUSE_URL', secret(url('http:', 'https:')), {
        purpose: 'the HTTP interface of ClickHouse, like http://user:password@host:8123/colophon',
        meaning:
          'HTTP interface of ClickHouse (26.3 or newer), like `http://user:password@host:8123/colophon`. If the ' +
          'database in the path does not exist, `migrate` creates it.',
      }),
    },
    temporal: {
      address: required('COLOPHON_TEMPORAL_ADDRESS', text, {
        purpose: 'the Temporal frontend, like host:7233',
        meaning: 'Temporal frontend, like `host:7233`.',
      }),
      namespace: withDefault('COLOPHON_TEMPORAL_NAMESPACE', text, 'colophon', {
        meaning: 'Temporal namespace. `migrate` creates it if it is missing, with a retention of 7 days.',
      }),
      tls: withDefault('COLOPHON_TEMPORAL_TLS', boolean, 'false', {
        meaning: 'Whether to connect to Temporal with TLS.',
      }),
      apiKey: optional('COLOPHON_TEMPORAL_API_KEY', secret(text), {
        meaning: 'API key, if your Temporal server requires one. Requires `COLOPHON_TEMPORAL_TLS`.',
      }),
    },
  },

  sealingKeys: {
    public: required('COLOPHON_SEALING_PUBLIC_KEYS', inFile(sealingKeys(parseSealingPublicKeys)), {
      purpose: `the public sealing keys; ${howToCreateKeys}`,
      meaning: 'Public keys. A private key is rejected here.',
    }),
    private: required('COLOPHON_SEALING_PRIVATE_KEYS', secret(sealingKeys(parseSealingPrivateKeys)), {
      purpose: `the private sealing keys; ${howToCreateKeys}`,
      meaning:
        'Private keys, which include the public ones. Anyone who has them can open every stored credential. If you ' +
        'lose them, the stored credentials are lost.',
    }),
  },

  publicHttp: {
    listen: withDefault('COLOPHON_LISTEN', listenAddress, '127.0.0.1:8080', {
      meaning: 'Host and port, like `0.0.0.0:8080` or `[::]:8080`.',
    }),
    publicUrl: optional('COLOPHON_PUBLIC_URL', url('http:', 'https:'), {
      documentedDefault:
        '`http://localhost:PORT` if `COLOPHON_LISTEN` is a loopback address (`https` with a certificate); otherwise ' +
        'required',
      purpose: 'the URL that API clients and browsers use, like https://docs-backend.example.com',
      meaning:
        'URL that API clients and browsers use, like `https://colophon.example.com`. Must be HTTPS unless it is a ' +
        'loopback address. No user, query or fragment.',
    }),
    tls: {
      certificateFile: optional('COLOPHON_TLS_CERT_FILE', text, {
        meaning:
          'PEM file with the certificate chain. Without it, a reverse proxy terminates TLS. A renewed certificate is used ' +
          'within half a minute.',
      }),
      keyFile: optional('COLOPHON_TLS_KEY_FILE', text, {
        meaning: 'PEM file with the private key. Set both or neither.',
      }),
    },
    requiresHttpsOfSubdomains: withDefault('COLOPHON_HSTS_SUBDOMAINS', boolean, 'false', {
      meaning:
        'Whether `Strict-Transport-Security`, which tells browsers to use HTTPS for a year, also covers the subdomains of the ' +
        'public URL. Set it if nobody uses one of them without HTTPS.',
    }),
    releasesUrl: optional('COLOPHON_RELEASES_URL', url('https:', 'http:'), {
      meaning:
        'URL that is read once a day to find out whether a newer release exists, which `/readyz` and the status page then show. For releases ' +
        'on GitHub: `https://api.github.com/repos/OWNER/NAME/releases`. Without it, nothing is looked up.',
    }),
    securityContact: {
      contacts: withDefault('COLOPHON_SECURITY_CONTACT', contacts, '', {
        meaning:
          'Where to report a vulnerability of this instance: `mailto:`, `https:` or `tel:` URIs, separated by commas, ' +
          'the preferred one first. Served at `/.well-known/security.txt` (RFC 9116), which does not exist otherwise.',
      }),
      policyUrl: optional('COLOPHON_SECURITY_POLICY_URL', httpsLink, {
        meaning: 'HTTPS URL of your security policy, for the same file.',
      }),
    },
  },

  people: {
    sessionSecret: required(
      'COLOPHON_SESSION_SECRET',
      secret(longText(32, 'like the output of `openssl rand -hex 32`')),
      {
        purpose: 'signs session cookies; at least 32 random characters, like the output of `openssl rand -hex 32`',
        meaning:
          'Signs session cookies. At least 32 random characters, like the output of `openssl rand -hex 32`. Changing ' +
          'it ends all sessions.',
      },
    ),
    sessionIdleHours: withDefault('COLOPHON_SESSION_IDLE_HOURS', integer(1, 168), '24', {
      meaning: 'Hours after which a session that is not used ends. A session always ends after 7 days.',
    }),
    requiresSecondFactor: withDefault('COLOPHON_REQUIRE_SECOND_FACTOR', boolean, 'false', {
      meaning:
        'Whether everyone who signs in with a password must set up a second factor before they can do anything else. API keys ' +
        'are not affected.',
    }),
    oidc: {
      issuer: required('COLOPHON_OIDC_ISSUER', mapped(url('https:', 'http:'), withoutTrailingSlashes), {
        documentedDefault: 'none',
        purpose: 'the issuer URL of your OpenID Connect provider, like https://id.example.com',
        meaning:
          'Issuer URL of an OpenID Connect provider, like `https://login.example.com/realms/docs`. Register the ' +
          'redirect URI `<public URL>/v2/auth/callback/oidc` with the provider.',
      }),
      clientId: required('COLOPHON_OIDC_CLIENT_ID', text, {
        documentedDefault: 'required with an issuer',
        purpose: 'the client ID of Colophon at the OpenID Connect provider',
        meaning: 'OAuth client ID.',
      }),
      clientSecret: required('COLOPHON_OIDC_CLIENT_SECRET', secret(text), {
        documentedDefault: 'required with an issuer',
        purpose: 'the client secret of Colophon at the OpenID Connect provider',
        meaning: 'OAuth client secret.',
      }),
      name: withDefault('COLOPHON_OIDC_NAME', text, 'single sign-on', {
        meaning: 'Label of the sign-in button.',
      }),
      isRequired: withDefault('COLOPHON_OIDC_REQUIRED', boolean, 'false', {
        meaning:
          'Whether people must sign in with the provider. Passwords are then off; in an emergency, `admin password-link create` ' +
          'signs in an operator.',
      }),
      allowedDomains: withDefault('COLOPHON_OIDC_ALLOWED_DOMAINS', emailDomains, '', {
        documentedDefault: 'all',
        meaning:
          'Domains of the email addresses that may sign in with the provider, separated by commas, like `example.com`.',
      }),
      secondFactorValues: withDefault('COLOPHON_OIDC_SECOND_FACTOR_VALUES', claimValues, '', {
        documentedDefault: 'none',
        meaning:
          'Values of the claims `amr` and `acr` with which the provider says that the person used a second factor, separated by ' +
          'commas, like `mfa`. If set, sign-ins without one of them are rejected.',
      }),
      extraScopes: withDefault('COLOPHON_OIDC_SCOPES', scopeNames, '', {
        documentedDefault: 'none',
        meaning:
          'Scopes to request besides `openid`, `email` and `profile`, separated by commas, if your provider needs one for the ' +
          'groups.',
      }),
      groupsClaim: withDefault('COLOPHON_OIDC_GROUPS_CLAIM', text, 'groups', {
        meaning: 'Claim that has the names of the groups of a person, as a list.',
      }),
      groupRoles: withDefault('COLOPHON_OIDC_GROUP_ROLES', groupRoles, '', {
        documentedDefault: 'none',
        meaning:
          'Roles of groups, separated by commas: `group=operator`, or `group=role:project ID`, like ' +
          '`docs-team=editor:prj_01m7ehpvk8eg2t3q9d4x5w0r7a`. They are applied at each sign-in with the provider.',
      }),
    },
    email: {
      smtpUrl: required('COLOPHON_SMTP_URL', secret(url('smtp:', 'smtps:')), {
        documentedDefault: 'none',
        purpose: 'the SMTP server that sends email, like smtps://user:password@mail.example.com',
        meaning:
          'SMTP server for invitations, notices about failed sign-ins, [budget notices](spend.md#notices) and [events](webhooks.md), like ' +
          '`smtps://user:password@mail.example.com`. With it, links of invitations are only emailed; without it, they are copied. ' +
          'With `smtp://`, the server must offer STARTTLS, unless it is on the same machine or `?ignoreTLS=true` is appended.',
      }),
      from: required('COLOPHON_MAIL_FROM', text, {
        documentedDefault: 'required with an SMTP server',
        purpose: 'the sender of emails, like Colophon <docs@example.com>',
        meaning: 'Sender of emails, like `Colophon <docs@example.com>`.',
      }),
    },
  },

  gateway: {
    listen: withDefault('COLOPHON_GATEWAY_LISTEN', listenAddress, '127.0.0.1:8090', {
      meaning: 'Host and port.',
    }),
    tls: {
      certificateFile: optional('COLOPHON_GATEWAY_TLS_CERT_FILE', text, {
        meaning: "PEM file with the gateway's certificate chain. A renewed certificate is used within half a minute.",
      }),
      keyFile: optional('COLOPHON_GATEWAY_TLS_KEY_FILE', text, {
        meaning: 'PEM file with the private key. Set both or neither.',
      }),
    },
  },

  egress: {
    allowedFor: {
      codeHosts: withDefault('COLOPHON_EGRESS_ALLOWED_CODE_HOSTS', hosts, '', {
        meaning:
          'Internal code hosts that may be called, also over plain HTTP, as `name:port`, like `gitea.internal:3000`. ' +
          'Every project can use them.',
      }),
      models: withDefault('COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS', hosts, '', {
        meaning: 'Internal model providers that may be called, also over plain HTTP, like `ollama.internal:11434`.',
      }),
      webhooks: withDefault('COLOPHON_EGRESS_ALLOWED_WEBHOOK_HOSTS', hosts, '', {
        meaning:
          'Internal receivers of [webhooks](webhooks.md), also over plain HTTP, like `ci.internal:8080`. Every project can use them.',
      }),
      issuers: withDefault('COLOPHON_EGRESS_ALLOWED_ISSUER_HOSTS', hosts, '', {
        meaning:
          'Internal issuers of the ID tokens of [CI runs](ci.md), also over plain HTTP, like `gitlab.internal:8443`. Every project can use ' +
          'them.',
      }),
      auditWebhook: withDefault('COLOPHON_EGRESS_ALLOWED_AUDIT_WEBHOOK_HOSTS', hosts, '', {
        meaning: 'Internal receivers of the audit log (`COLOPHON_AUDIT_WEBHOOK_URL`), like `siem.internal:8443`.',
      }),
    },
    allowedHosts: withDefault('COLOPHON_EGRESS_ALLOWED_HOSTS', hosts, '', {
      meaning:
        'Deprecated: internal hosts that may be called for every use. A project can then enter any of them as its code ' +
        'host. Use the lists above.',
    }),
    allowedNetworks: withDefault('COLOPHON_EGRESS_ALLOWED_NETWORKS', networks, '', {
      meaning:
        'Deprecated: private networks that may be called for every use, on every port, like `10.1.0.0/16`. Use the ' +
        'lists above.',
    }),
    proxyUrl: optional('COLOPHON_EGRESS_PROXY_URL', secret(text), {
      meaning: 'HTTP proxy for all other requests, like `http://user:password@proxy:3128`.',
    }),
    caBundlePem: optional('COLOPHON_EGRESS_CA_BUNDLE', inFile(text), {
      meaning: 'Additional trusted certificate authorities, in PEM format. Usually set with `_FILE`.',
    }),
  },

  github: {
    urls: withDefault('COLOPHON_GITHUB_URLS', githubUrls, 'https://github.com', {
      meaning:
        'Comma-separated base URLs of the GitHub servers on which the dashboard can create Apps, for example of a ' +
        "GitHub Enterprise Server. The dashboard's Content-Security-Policy allows forms to these only.",
    }),
  },

  /** Proofs shorten these times. */
  jobs: {
    deadlineSeconds: withDefault('COLOPHON_JOB_DEADLINE_SECONDS', jobSeconds, '1800', {
      meaning: 'Limit for a whole turn, from its first claim by a runner.',
    }),
    heartbeatTimeoutSeconds: withDefault('COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS', jobSeconds, '30', {
      meaning: 'A turn is queued again after this long without a heartbeat from its runner.',
    }),
    queueTimeoutSeconds: withDefault('COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS', jobSeconds, '21600', {
      meaning: 'A turn that no runner claims within this time fails with `no_runner_available`.',
    }),
    publishTimeoutSeconds: withDefault('COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS', jobSeconds, '3600', {
      meaning: 'A result that cannot be published within this time fails the turn with `publish_timeout`.',
    }),
    stallSeconds: withDefault('COLOPHON_JOB_STALL_SECONDS', jobSeconds, '60', {
      meaning: 'The dispatcher wakes an active job in which nothing has happened for this long.',
    }),
    idleArchiveDays: withDefault('COLOPHON_JOB_IDLE_ARCHIVE_DAYS', integer(1, 3650), '30', {
      meaning: 'A finished job is archived after this long without a change.',
    }),
    pullRequestPollSeconds: withDefault('COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS', jobSeconds, '300', {
      meaning:
        'How often an open pull request, its CI checks and comments are polled; if nothing has changed for a day, a third as often, and for a week, a twelfth. A webhook triggers a poll at once.',
    }),
    maxConcurrentPerProject: withDefault('COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT', integer(1, 10_000), '5', {
      meaning: 'Maximum number of running turns per project.',
    }),
    maxAgentFailures: withDefault('COLOPHON_JOB_MAX_AGENT_FAILURES', integer(1, 100), '2', {
      meaning: 'After this many failures of the agent, the turn fails with `agent_failed`.',
    }),
  },

  budget: {
    project: {
      maxTokensPerJob: withDefault('COLOPHON_BUDGET_MAX_TOKENS_PER_JOB', integer(0, 1e12), '5000000', {
        meaning:
          "Maximum tokens that one job's model calls may use, input and output together. Of a job with a `topic`: each of its " +
          'turns, because such a job goes on for as long as its pull request is open.',
      }),
      maxTokensPerMonth: optional('COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH', limit(1e12), {
        documentedDefault: '`100000000`',
        meaning: 'Maximum tokens per project per calendar month (UTC).',
      }),
      maxUsdPerMonth: optional('COLOPHON_BUDGET_MAX_USD_PER_MONTH', limit(1e9), {
        documentedDefault: '`100`',
        meaning:
          'Maximum US dollars per project per calendar month (UTC). Calls without a known price count only toward token ' +
          'budgets.',
      }),
      maxTokensPerHour: optional('COLOPHON_BUDGET_MAX_TOKENS_PER_HOUR', limit(1e12), {
        documentedDefault: '`20000000`',
        meaning: 'Maximum tokens per project per clock hour.',
      }),
      maxUsdPerHour: optional('COLOPHON_BUDGET_MAX_USD_PER_HOUR', limit(1e9), {
        documentedDefault: '`20`',
        meaning: 'Maximum US dollars per project per clock hour.',
      }),
    },
    instance: {
      maxTokensPerMonth: optional('COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_MONTH', limit(1e12), {
        documentedDefault: '`500000000`',
        meaning: 'Maximum tokens of all projects together per calendar month (UTC).',
      }),
      maxUsdPerMonth: optional('COLOPHON_INSTANCE_BUDGET_MAX_USD_PER_MONTH', limit(1e9), {
        documentedDefault: '`500`',
        meaning: 'Maximum US dollars of all projects together per calendar month (UTC).',
      }),
      maxTokensPerHour: optional('COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_HOUR', limit(1e12), {
        documentedDefault: '`100000000`',
        meaning: 'Maximum tokens of all projects together per clock hour.',
      }),
      maxUsdPerHour: optional('COLOPHON_INSTANCE_BUDGET_MAX_USD_PER_HOUR', limit(1e9), {
        documentedDefault: '`100`',
        meaning: 'Maximum US dollars of all projects together per clock hour.',
      }),
    },
  },

  audit: {
    retentionDays: withDefault('COLOPHON_AUDIT_RETENTION_DAYS', integer(90, 36_500), '730', {
      meaning: 'How long entries of the audit logs are kept.',
    }),
    webhook: {
      url: required('COLOPHON_AUDIT_WEBHOOK_URL', url('https:', 'http:'), {
        documentedDefault: 'none',
        purpose: 'the URL that receives the entries of the audit logs',
        meaning:
          'URL that receives the entries of all [audit logs](people.md#audit-logs), within seconds. In a private network, it has to ' +
          'be in `COLOPHON_EGRESS_ALLOWED_AUDIT_WEBHOOK_HOSTS`.',
      }),
      secret: required(
        'COLOPHON_AUDIT_WEBHOOK_SECRET',
        secret(longText(32, 'like the output of `openssl rand -hex 32`')),
        {
          documentedDefault: 'required with `COLOPHON_AUDIT_WEBHOOK_URL`',
          purpose: 'signs what is sent to COLOPHON_AUDIT_WEBHOOK_URL; at least 32 random characters',
          meaning: 'Signs what is sent to `COLOPHON_AUDIT_WEBHOOK_URL`. At least 32 random characters.',
        },
      ),
    },
  },

  views: {
    maxBufferBytes: withDefault(
      'COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES',
      mapped(integer(1, 1_000_000), (megabytes) => megabytes * 1024 * 1024),
      '1024',
      {
        meaning:
          'Maximum size of the buffer in PostgreSQL in which views wait for ClickHouse. When it is full, ingest ' +
          'responds with 503, and `import-logs` waits. A megabyte holds about 30,000 views, so the default holds about ' +
          '30 million. The IDs of beacons, about 105 bytes each for up to an hour, count as well: 2,000 beacons per ' +
          'second need 800 megabytes. So do those of views from log drains, for up to 30 hours: a million per day need ' +
          '160 megabytes.',
      },
    ),
    beacons: {
      maxPerSecondPerNetwork: withDefault('COLOPHON_BEACONS_MAX_PER_SECOND_PER_NETWORK', integer(1, 1_000_000), '20', {
        meaning:
          'Maximum page views per second that the script may report from one IPv4 address or IPv6 /64 network, for each ' +
          '`api`. Further ones are dropped as `rate_limited`. Does not apply to internal addresses, because they are those ' +
          'of reverse proxies: set `COLOPHON_TRUSTED_PROXIES` behind one.',
      }),
      maxPerSecondPerProject: withDefault(
        'COLOPHON_BEACONS_MAX_PER_SECOND_PER_PROJECT',
        integer(1, 1_000_000),
        '1000',
        {
          meaning:
            'Maximum page views per second that the script may report for one project, for each `api`. Further ones are ' +
            'dropped as `rate_limited`.',
        },
      ),
      maxPerDayPerProject: withDefault('COLOPHON_BEACONS_MAX_PER_DAY_PER_PROJECT', integer(1, 1e12), '10000000', {
        meaning:
          'Maximum page views per day (UTC) that the script may report for one project. Further ones are dropped as ' +
          '`daily_limit`.',
      }),
    },
    maxLoggedPerDayPerProject: withDefault('COLOPHON_LOG_DRAINS_MAX_PER_DAY_PER_PROJECT', integer(1, 1e12), '500000', {
      meaning:
        'Maximum page views per day (UTC) from the [log drains](log-drains.md) of one project. Further ones are dropped as ' +
        '`daily_limit`. Their IDs are in the buffer for a day, 160 megabytes for each million, and may take half of it. So raise ' +
        '`COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES` too.',
    }),
  },

  backups: {
    storage: optional('COLOPHON_BACKUP_STORAGE', text, {
      documentedDefault: 'required for `backup schedule`',
      purpose: 'the directory or bucket that backups are written to',
      meaning:
        'Directory that backups are written to and restored from, or a bucket like `s3://bucket/folder`. Each backup is a folder in it.',
    }),
    schedule: withDefault('COLOPHON_BACKUP_SCHEDULE', cronExpression, '17 2 * * *', {
      meaning:
        'When `backup schedule` writes a backup, in UTC: minute, hour, day of the month, month and day of the week, as for cron.',
    }),
    keep: withDefault('COLOPHON_BACKUP_KEEP', integer(1, 10_000), '14', {
      meaning: 'How many backups `backup schedule` keeps. It deletes older ones when it has written a new one.',
    }),
    recipients: withDefault('COLOPHON_BACKUP_RECIPIENTS', ageRecipients, '', {
      documentedDefault: 'required for `backup`',
      purpose: 'the public keys that backups are encrypted for; create a pair with colophon-server backup key generate',
      meaning:
        'Public keys of [age](https://age-encryption.org) that backups are encrypted for, separated by commas. Create a pair with ' +
        '`colophon-server backup key generate`, or with `age-keygen`.',
    }),
    s3: {
      endpoint: optional('COLOPHON_BACKUP_S3_ENDPOINT', url('https:', 'http:'), {
        purpose: 'the S3-compatible object storage, like https://s3.example.com',
        meaning:
          'URL of an S3-compatible object storage, like `https://s3.example.com`. Without it, the bucket is on AWS. Buckets are in the ' +
          'path of its URLs, not in the host name.',
      }),
      region: withDefault('COLOPHON_BACKUP_S3_REGION', text, 'us-east-1', { meaning: 'Region of the bucket.' }),
      accessKeyId: optional('COLOPHON_BACKUP_S3_ACCESS_KEY_ID', text, {
        documentedDefault: "what AWS's SDK finds, like the role of the machine",
        meaning: 'ID of the key for the bucket. It has to list, read, write and delete objects.',
      }),
      secretAccessKey: optional('COLOPHON_BACKUP_S3_SECRET_ACCESS_KEY', secret(text), {
        documentedDefault: 'required with the ID',
        meaning: 'The secret key for the bucket.',
      }),
    },
    identities: optional('COLOPHON_BACKUP_IDENTITY', secret(ageIdentities), {
      documentedDefault: 'required for `restore`',
      meaning:
        'Secret key of age that opens the backups: only for `backup verify` and `restore`. Keep it somewhere other than the ' +
        'backups, and not on the machine that writes them.',
    }),
  },

  runner: {
    gatewayUrl: required('COLOPHON_GATEWAY_URL', url('http:', 'https:'), {
      documentedDefault: 'required for `runner`',
      purpose: "the URL of the worker's gateway, like http://localhost:8090",
      meaning: 'URL of the gateway in `worker`, like `http://localhost:8090`. Use HTTPS across a network.',
    }),
    gatewayCaPem: optional('COLOPHON_GATEWAY_CA_BUNDLE', inFile(text), {
      meaning: 'Additional certificate authorities to trust for the gateway, in PEM format. Usually set with `_FILE`.',
    }),
    token: required('COLOPHON_RUNNER_TOKEN', secret(text), {
      purpose: 'the token of this runner; create one with `colophon-server admin runner create`',
      meaning: 'Runner token.',
    }),
    maxConcurrentTurns: withDefault('COLOPHON_RUNNER_MAX_CONCURRENT_TURNS', integer(1, 1000), '2', {
      meaning: 'Maximum number of concurrent turns. The runner divides its [memory](runners.md#memory) among them.',
    }),
    cgroups: withDefault(
      'COLOPHON_RUNNER_CGROUPS',
      oneOf('required', 'required-if-shared', 'optional'),
      'required-if-shared',
      {
        meaning:
          'Whether the runner starts without a [delegated cgroup](runners.md#cgroups). `required-if-shared`: only if it serves ' +
          'the projects that its token names, not if it serves all projects. `optional`: always, with weaker limits.',
      },
    ),
    shutdownGraceSeconds: withDefault('COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS', integer(0, 3600), '20', {
      meaning: 'How long running turns may continue after a stop signal before they are released.',
    }),
    http: {
      listen: withDefault('COLOPHON_RUNNER_LISTEN', listenAddress, '127.0.0.1:8070', {
        meaning: 'Host and port for `/healthz` and `/readyz`.',
      }),
    },
  },

  metrics: {
    listen: optional('COLOPHON_METRICS_LISTEN', listenAddress, {
      meaning:
        'Host and port at which the process serves [metrics](operations/monitoring.md) to Prometheus, at `/metrics`, like ' +
        '`127.0.0.1:9464`. Without it, the process serves none. The port must not be reachable from the internet.',
    }),
    projectLabels: withDefault('COLOPHON_METRICS_PROJECT_LABELS', boolean, 'false', {
      meaning:
        'Whether metrics of jobs, models and page views have the label `project` with the ID of the project. Each project ' +
        'adds up to some hundred series to your Prometheus.',
    }),
  },

  traces: {
    endpoint: required('COLOPHON_TRACES_ENDPOINT', mapped(url('http:', 'https:'), withoutTrailingSlashes), {
      documentedDefault: 'none',
      purpose: 'the collector of your traces, like http://127.0.0.1:4318',
      meaning:
        'URL of an OpenTelemetry collector that `api` and `worker` send [traces](operations/tracing.md) to, as OTLP over HTTP, like ' +
        '`http://127.0.0.1:4318`. `/v1/traces` is appended. Without it, nothing is traced.',
    }),
    headers: withDefault('COLOPHON_TRACES_HEADERS', secret(headerValues), '', {
      meaning: 'Headers of the requests to the collector, like `authorization=Bearer abc`, separated by commas.',
    }),
    samplePercent: withDefault('COLOPHON_TRACES_SAMPLE_PERCENT', integer(0, 100), '100', {
      meaning: 'How many traces are sent. A trace is sent whole or not at all.',
    }),
  },

  allProcesses: {
    logLevel: withDefault('COLOPHON_LOG_LEVEL', oneOf('debug', 'info', 'warn', 'error'), 'info', {
      meaning: 'The least severe messages to log.',
    }),
    trustedProxies: withDefault('COLOPHON_TRUSTED_PROXIES', networks, '', {
      meaning:
        'Comma-separated IP addresses and networks whose `X-Forwarded-*` headers are trusted, like ' +
        '`10.0.0.0/8,fd00::/8`.',
    }),
    requiresTls: withDefault('COLOPHON_REQUIRE_TLS', boolean, 'false', {
      meaning:
        'Whether a process refuses to start if one of its connections to another machine is not encrypted: to PostgreSQL, ' +
        'ClickHouse, Temporal, the gateway, the SMTP server, the OpenID provider, the audit webhook, the collector of traces or the ' +
        'storage of backups, or from its own clients.',
    }),
    shutdownDelaySeconds: withDefault('COLOPHON_SHUTDOWN_DELAY_SECONDS', integer(0, 300), '0', {
      meaning:
        'How long `/readyz` reports `stopping` before a shutdown begins, for load balancers that poll infrequently. ' +
        'The shutdown then has 60 seconds.',
    }),
  },

  /** No process reads these, but the CLI may run in the same shell. */
  apiClients: {
    url: optional('COLOPHON_URL', text, {
      documentedDefault: 'required unless you pass `--url`',
      meaning: 'URL of Colophon, like `https://colophon.example.com`.',
    }),
    projectId: optional('COLOPHON_PROJECT_ID', text, {
      documentedDefault: 'none; used in examples',
      meaning: 'ID of a project.',
    }),
    apiKey: optional('COLOPHON_API_KEY', text, {
      documentedDefault: 'none; used in examples',
      meaning: 'API key.',
    }),
  },
}
