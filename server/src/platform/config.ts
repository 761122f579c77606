/**
 * Reads the configuration once from the environment into a typed value. This is the only file that reads the environment.
 * All errors are reported together, with what to do; the value of a variable that may hold a secret is never printed.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isLoopback } from './is-loopback.ts'
import {
  parseSealingPrivateKeys,
  parseSealingPublicKeys,
  type SealingKeysParseResult,
  type SealingPrivateKeys,
  type SealingPublicKeys,
} from './sealed-secrets/sealing-keys.ts'

export interface ListenAddress {
  host: string
  port: number
}

export interface TlsFiles {
  certificateFile: string
  keyFile: string
}

export interface LogConfig {
  level: LogLevel
}

export interface HttpConfig {
  listen: ListenAddress
  /** Undefined where a reverse proxy terminates TLS. */
  tls: TlsFiles | undefined
  /** IP addresses and networks whose `X-Forwarded-*` headers are trusted. Empty: none. */
  trustedProxies: readonly string[]
  /** How long `/readyz` reports `stopping` before the shutdown begins, for load balancers that poll it infrequently. */
  shutdownDelaySeconds: number
}

export interface ServicesConfig {
  postgres: { url: string; poolSize: number }
  clickhouse: { url: string }
  temporal: { address: string; namespace: string; tls: boolean; apiKey: string | undefined }
}

export interface ApiConfig {
  log: LogConfig
  services: ServicesConfig
  http: HttpConfig
  /** The URL that API clients and browsers use, without a trailing slash. */
  publicUrl: string
  /** They can seal a secret, but not open one. */
  sealingKeys: SealingPublicKeys
  views: ViewBufferConfig
  /** For connection tests of a repository or a model that a user entered. */
  egress: EgressConfig
  /** Base URLs of the GitHub servers on which the dashboard can create Apps, without a trailing slash. */
  githubUrls: readonly string[]
  /** The URL of the gateway, which the dashboard shows to people who start a runner. Undefined: not configured. */
  gatewayUrl: string | undefined
  /** Default budget of projects that set none, for display. */
  budget: JobsConfig['budget']
  people: SignInConfig
  /** Undefined: not configured. */
  securityContact: SecurityContactConfig | undefined
}

/** Where vulnerabilities of this instance are reported. */
export interface SecurityContactConfig {
  /** URIs, the preferred one first. */
  contacts: readonly string[]
  policyUrl: string | undefined
}

/** How people sign in to the dashboard. */
export interface SignInConfig {
  /** Signs session cookies; the same for all replicas. */
  sessionSecret: string
  /** An OpenID Connect provider. Undefined: people sign in with passwords only. */
  oidc: OidcConfig | undefined
  /** Undefined: no email is sent, and invitations are links to copy. */
  email: EmailConfig | undefined
}

export interface OidcConfig {
  /** Label of the sign-in button. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
}

export interface EmailConfig {
  smtpUrl: string
  from: string
}

/** The buffer in which page views wait for ClickHouse. When it is full, further views are rejected. */
export interface ViewBufferConfig {
  maxBufferBytes: number
}

export interface WorkerConfig {
  log: LogConfig
  services: ServicesConfig
  /** The HTTP server for runners. */
  gateway: HttpConfig
  sealingKeys: SealingPrivateKeys
  jobs: JobsConfig
  egress: EgressConfig
}

/** Destinations that requests to user-supplied URLs may reach in addition to the public internet. */
export interface EgressConfig {
  allowedNetworks: readonly string[]
  /** As `host:port`. */
  allowedHosts: readonly string[]
  proxyUrl?: string
  caBundlePem?: string
}

/** Times and limits of agent jobs. Proofs shorten them. */
export interface JobsConfig {
  /** A turn is queued again after this long without a heartbeat from its runner. */
  heartbeatTimeoutSeconds: number
  /** Limit for a whole turn, from its first claim. */
  deadlineSeconds: number
  /** A turn that no runner claims within this time fails. */
  queueTimeoutSeconds: number
  publishTimeoutSeconds: number
  /** The dispatcher wakes a job in which nothing has happened for this long. */
  stallSeconds: number
  idleArchiveDays: number
  /** How often an open pull request is polled; a webhook triggers a poll at once. */
  pullRequestPollSeconds: number
  maxConcurrentPerProject: number
  maxAgentFailures: number
  /** Default budget of projects that set none. Null: no limit. */
  budget: { maxTokensPerJob: number; maxTokensPerMonth: number | null; maxUsdPerMonth: number | null }
}

export interface RunnerConfig {
  log: LogConfig
  gatewayUrl: string
  /** Certificate authorities to trust in addition to the public ones, for a gateway with a private certificate. */
  gatewayCaPem: string | undefined
  token: string
  maxConcurrentTurns: number
  /** How long turns in progress may continue after a stop signal before they are released. */
  shutdownGraceSeconds: number
  /** Serves `/healthz` and `/readyz`. */
  http: HttpConfig
}

export interface ServeConfig {
  api: ApiConfig
  worker: WorkerConfig
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  readonly errors: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.errors = mistakes
  }
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const loadApiConfig = (environment: EnvironmentVariables = process.env): ApiConfig =>
  read(environment, (env) => api(env, sealingPublicKeys(env)))
export const loadWorkerConfig = (environment: EnvironmentVariables = process.env): WorkerConfig =>
  read(environment, worker)
export const loadRunnerConfig = (environment: EnvironmentVariables = process.env): RunnerConfig =>
  read(environment, runner)
/** For the commands that need only PostgreSQL. */
export const loadPostgresConfig = (
  environment: EnvironmentVariables = process.env,
): Pick<ServicesConfig, 'postgres'> & { log: LogConfig } =>
  read(environment, (env) => ({ postgres: postgres(env), log: log(env) }))
/** For the commands that print a link to the dashboard, which `api` serves. */
export const loadPublicUrlConfig = (environment: EnvironmentVariables = process.env): Pick<ApiConfig, 'publicUrl'> =>
  read(environment, (env) => ({ publicUrl: publicUrl(env, publicHttp(env)) }))
/** For the import of logs, which fills the same buffer as ingest over HTTP. */
export const loadLogImportConfig = (environment: EnvironmentVariables = process.env) =>
  read(environment, (env) => ({ postgres: postgres(env), views: views(env), log: log(env) }))
export const loadServicesConfig = (
  environment: EnvironmentVariables = process.env,
): ServicesConfig & { log: LogConfig } => read(environment, (env) => ({ ...services(env), log: log(env) }))
/** A process that has the private sealing keys does not need the setting for the public ones. */
export const loadServeConfig = (environment: EnvironmentVariables = process.env): ServeConfig =>
  read(environment, (env) => {
    const workerConfig = worker(env)
    return { api: api(env, workerConfig.sealingKeys), worker: workerConfig }
  })
/** For the commands that test and store a credential. */
export const loadCredentialCommandConfig = (environment: EnvironmentVariables = process.env) =>
  read(environment, (env) => ({
    egress: egress(env),
    sealingKeys: eitherSealingKeys(env),
    publicUrl: env.optionalText('COLOPHON_PUBLIC_URL'),
  }))
export const loadSealingPrivateKeys = (environment: EnvironmentVariables = process.env): SealingPrivateKeys =>
  read(environment, sealingPrivateKeys)

function api(env: EnvironmentReader, sealingKeys: SealingPublicKeys): ApiConfig {
  const http = publicHttp(env)
  return {
    log: log(env),
    services: services(env),
    http,
    publicUrl: publicUrl(env, http),
    sealingKeys,
    views: views(env),
    egress: egress(env),
    githubUrls: githubUrls(env),
    gatewayUrl: gatewayUrl(env),
    budget: budget(env),
    people: people(env),
    securityContact: securityContact(env),
  }
}

const publicHttp = (env: EnvironmentReader) =>
  httpServer(env, { listen: 'COLOPHON_LISTEN', port: 8080, tls: 'COLOPHON_TLS' })

function people(env: EnvironmentReader): SignInConfig {
  const sessionSecret = env.text('COLOPHON_SESSION_SECRET', {
    purpose: 'signs session cookies; at least 32 random characters, like the output of `openssl rand -hex 32`',
    secret: true,
  })
  if (sessionSecret !== '' && sessionSecret.length < 32)
    env.addError('COLOPHON_SESSION_SECRET must have at least 32 characters, like the output of `openssl rand -hex 32`')
  return { sessionSecret, oidc: oidc(env), email: mail(env) }
}

function oidc(env: EnvironmentReader): OidcConfig | undefined {
  if (env.optionalText('COLOPHON_OIDC_ISSUER') === undefined) return undefined
  const schemes = ['https:', 'http:']
  return {
    name: env.text('COLOPHON_OIDC_NAME', { purpose: 'the label of the sign-in button', default: 'single sign-on' }),
    issuer: env
      .url('COLOPHON_OIDC_ISSUER', {
        schemes,
        purpose: 'the issuer URL of your OpenID Connect provider, like https://id.example.com',
      })
      .replace(/\/+$/, ''),
    clientId: env.text('COLOPHON_OIDC_CLIENT_ID', {
      purpose: 'the client ID of Colophon at the OpenID Connect provider',
    }),
    clientSecret: env.text('COLOPHON_OIDC_CLIENT_SECRET', {
      purpose: 'the client secret of Colophon at the OpenID Connect provider',
      secret: true,
    }),
  }
}

function mail(env: EnvironmentReader): EmailConfig | undefined {
  if (env.optionalText('COLOPHON_SMTP_URL', { secret: true }) === undefined) return undefined
  return {
    smtpUrl: env.url('COLOPHON_SMTP_URL', {
      schemes: ['smtp:', 'smtps:'],
      purpose: 'the SMTP server that sends email, like smtps://user:password@mail.example.com',
      secret: true,
    }),
    from: env.text('COLOPHON_MAIL_FROM', { purpose: 'the sender of invitations, like Colophon <docs@example.com>' }),
  }
}

function githubUrls(env: EnvironmentReader): string[] {
  const urls = env.list('COLOPHON_GITHUB_URLS').map((url) => url.replace(/\/+$/, ''))
  for (const url of urls) {
    const parsed = URL.parse(url)
    // The URL becomes a form-action source in the Content-Security-Policy of the dashboard: other characters could
    // change it.
    if (!parsed || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\/[a-z0-9.:[\]/_-]+$/i.test(url))
      env.addError(`COLOPHON_GITHUB_URLS must be a comma-separated list of URLs like https://github.com, got ${url}`)
  }
  return urls.length > 0 ? urls : ['https://github.com']
}

function securityContact(env: EnvironmentReader): SecurityContactConfig | undefined {
  const contacts = env.list('COLOPHON_SECURITY_CONTACT')
  for (const contact of contacts) {
    // Each becomes a line of security.txt: spaces and line breaks could add others.
    if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(contact))
      env.addError(
        'COLOPHON_SECURITY_CONTACT must be a comma-separated list of URIs like mailto:security@example.com or ' +
          `https://example.com/report, got ${contact}`,
      )
  }
  const policyUrl = env.optionalText('COLOPHON_SECURITY_POLICY_URL')
  if (policyUrl !== undefined && !/^https:\/\/\S+$/.test(policyUrl))
    env.addError(`COLOPHON_SECURITY_POLICY_URL must be a URL that starts with https://, got ${policyUrl}`)
  return contacts.length > 0 ? { contacts, policyUrl } : undefined
}

function gatewayUrl(env: EnvironmentReader): string | undefined {
  const { host, port } = env.listenAddress('COLOPHON_GATEWAY_LISTEN', { host: '127.0.0.1', port: 8090 })
  return env.optionalText('COLOPHON_GATEWAY_URL') ?? (isLoopback(host) ? `http://localhost:${port}` : undefined)
}

function views(env: EnvironmentReader): ViewBufferConfig {
  const maxMegabytes = env.integer('COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES', { min: 1, max: 1_000_000, default: 1024 })
  return { maxBufferBytes: maxMegabytes * 1024 * 1024 }
}

function worker(env: EnvironmentReader): WorkerConfig {
  const gateway = httpServer(env, { listen: 'COLOPHON_GATEWAY_LISTEN', port: 8090, tls: 'COLOPHON_GATEWAY_TLS' })
  return {
    log: log(env),
    services: services(env),
    gateway,
    sealingKeys: sealingPrivateKeys(env),
    jobs: jobs(env),
    egress: egress(env),
  }
}

function egress(env: EnvironmentReader): EgressConfig {
  const proxyUrl = env.optionalText('COLOPHON_EGRESS_PROXY_URL', { secret: true })
  const caBundlePem = env.optionalText('COLOPHON_EGRESS_CA_BUNDLE', { secret: true })
  return {
    allowedNetworks: env.networks('COLOPHON_EGRESS_ALLOWED_NETWORKS'),
    allowedHosts: env.list('COLOPHON_EGRESS_ALLOWED_HOSTS'),
    ...(proxyUrl && { proxyUrl }),
    ...(caBundlePem && { caBundlePem }),
  }
}

function jobs(env: EnvironmentReader): JobsConfig {
  const seconds = (name: string, defaultSeconds: number) =>
    env.integer(name, { min: 1, max: 7 * 24 * 3600, default: defaultSeconds })
  return {
    heartbeatTimeoutSeconds: seconds('COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS', 30),
    deadlineSeconds: seconds('COLOPHON_JOB_DEADLINE_SECONDS', 30 * 60),
    queueTimeoutSeconds: seconds('COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS', 6 * 3600),
    publishTimeoutSeconds: seconds('COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS', 3600),
    stallSeconds: seconds('COLOPHON_JOB_STALL_SECONDS', 60),
    pullRequestPollSeconds: seconds('COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS', 300),
    idleArchiveDays: env.integer('COLOPHON_JOB_IDLE_ARCHIVE_DAYS', { min: 1, max: 3650, default: 30 }),
    maxConcurrentPerProject: env.integer('COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT', {
      min: 1,
      max: 10_000,
      default: 5,
    }),
    maxAgentFailures: env.integer('COLOPHON_JOB_MAX_AGENT_FAILURES', { min: 1, max: 100, default: 2 }),
    budget: budget(env),
  }
}

const budget = (env: EnvironmentReader): JobsConfig['budget'] => ({
  maxTokensPerJob: env.integer('COLOPHON_BUDGET_MAX_TOKENS_PER_JOB', { min: 0, max: 1e12, default: 5_000_000 }),
  maxTokensPerMonth: env.optionalInteger('COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH', { min: 0, max: 1e12 }),
  maxUsdPerMonth: env.optionalInteger('COLOPHON_BUDGET_MAX_USD_PER_MONTH', { min: 0, max: 1e9 }),
})

const howToCreateKeys = 'create a pair with `colophon-server admin sealing-key generate`'

const sealingPublicKeys = (env: EnvironmentReader) =>
  env.sealingKeys('COLOPHON_SEALING_PUBLIC_KEYS', parseSealingPublicKeys, {
    purpose: `the public sealing keys; ${howToCreateKeys}`,
    secret: true,
  })

const sealingPrivateKeys = (env: EnvironmentReader) =>
  env.sealingKeys('COLOPHON_SEALING_PRIVATE_KEYS', parseSealingPrivateKeys, {
    purpose: `the private sealing keys; ${howToCreateKeys}`,
    secret: true,
  })

/**
 * Both halves of a key can seal, so a command that only stores a credential runs with the settings of `api` or of
 * `worker`.
 */
const eitherSealingKeys = (env: EnvironmentReader): SealingPublicKeys =>
  env.optionalText('COLOPHON_SEALING_PRIVATE_KEYS', { secret: true }) === undefined
    ? sealingPublicKeys(env)
    : sealingPrivateKeys(env)

function runner(env: EnvironmentReader): RunnerConfig {
  return {
    log: log(env),
    gatewayUrl: env.url('COLOPHON_GATEWAY_URL', {
      schemes: ['http:', 'https:'],
      purpose: "the URL of the worker's gateway, like http://localhost:8090",
    }),
    gatewayCaPem: env.optionalText('COLOPHON_GATEWAY_CA_BUNDLE', { secret: true }),
    token: env.text('COLOPHON_RUNNER_TOKEN', {
      purpose: 'the token of this runner; create one with `colophon-server admin runner create`',
      secret: true,
    }),
    maxConcurrentTurns: env.integer('COLOPHON_RUNNER_MAX_CONCURRENT_TURNS', { min: 1, max: 1000, default: 2 }),
    shutdownGraceSeconds: env.integer('COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS', { min: 0, max: 3600, default: 20 }),
    http: httpServer(env, { listen: 'COLOPHON_RUNNER_LISTEN', port: 8070, tls: undefined }),
  }
}

function log(env: EnvironmentReader): LogConfig {
  return { level: env.oneOf('COLOPHON_LOG_LEVEL', logLevels, 'info') }
}

function postgres(env: EnvironmentReader): ServicesConfig['postgres'] {
  return {
    url: env.url('COLOPHON_DATABASE_URL', {
      schemes: ['postgres:', 'postgresql:'],
      purpose: 'the PostgreSQL database, like postgres://user:password@host:5432/colophon',
      secret: true,
    }),
    poolSize: env.integer('COLOPHON_DATABASE_POOL_SIZE', { min: 1, max: 1000, default: 10 }),
  }
}

function services(env: EnvironmentReader): ServicesConfig {
  return {
    postgres: postgres(env),
    clickhouse: {
      url: env.url('COLOPHON_CLICKHOUSE_URL', {
        schemes: ['http:', 'https:'],
        purpose: 'the HTTP interface of ClickHouse, like http://user:password@host:8123/colophon',
        secret: true,
      }),
    },
    temporal: temporal(env),
  }
}

function temporal(env: EnvironmentReader): ServicesConfig['temporal'] {
  const tls = env.oneOf('COLOPHON_TEMPORAL_TLS', ['true', 'false'], 'false') === 'true'
  const apiKey = env.optionalText('COLOPHON_TEMPORAL_API_KEY', { secret: true })
  if (apiKey && !tls)
    env.addError('COLOPHON_TEMPORAL_API_KEY requires COLOPHON_TEMPORAL_TLS=true: the key must not be sent unencrypted')
  return {
    address: env.text('COLOPHON_TEMPORAL_ADDRESS', { purpose: 'the Temporal frontend, like host:7233' }),
    namespace: env.text('COLOPHON_TEMPORAL_NAMESPACE', { purpose: 'the Temporal namespace', default: 'colophon' }),
    tls,
    apiKey,
  }
}

function httpServer(
  env: EnvironmentReader,
  names: { listen: string; port: number; tls: string | undefined },
): HttpConfig {
  const certificateFile = names.tls && env.optionalText(`${names.tls}_CERT_FILE`)
  const keyFile = names.tls && env.optionalText(`${names.tls}_KEY_FILE`)
  if (Boolean(certificateFile) !== Boolean(keyFile)) {
    env.addError(`${names.tls}_CERT_FILE and ${names.tls}_KEY_FILE must be set together: set both or neither`)
  }
  return {
    listen: env.listenAddress(names.listen, { host: '127.0.0.1', port: names.port }),
    tls: certificateFile && keyFile ? { certificateFile, keyFile } : undefined,
    trustedProxies: env.networks('COLOPHON_TRUSTED_PROXIES'),
    shutdownDelaySeconds: env.integer('COLOPHON_SHUTDOWN_DELAY_SECONDS', { min: 0, max: 300, default: 0 }),
  }
}

function publicUrl(env: EnvironmentReader, http: HttpConfig): string {
  const scheme = http.tls ? 'https' : 'http'
  const url = env.url('COLOPHON_PUBLIC_URL', {
    schemes: ['http:', 'https:'],
    purpose: 'the URL that API clients and browsers use, like https://docs-backend.example.com',
    ...(isLoopback(http.listen.host) && { default: `${scheme}://localhost:${http.listen.port}` }),
  })
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'http:' && !isLoopback(parsed.hostname)) {
    env.addError('COLOPHON_PUBLIC_URL must start with https://: API keys and sessions must not be sent unencrypted')
  }
  if (parsed && (parsed.search || parsed.hash || parsed.username)) {
    env.addError('COLOPHON_PUBLIC_URL must not contain a user, a query or a fragment')
  }
  return url.replace(/\/+$/, '')
}

function read<Config>(environment: EnvironmentVariables, parse: (env: EnvironmentReader) => Config): Config {
  const env = new EnvironmentReader(environment)
  const config = parse(env)
  if (env.errors.size > 0) throw new ConfigError([...env.errors])
  return config
}

/**
 * Includes the variables of other processes, so that all can share one file of settings. A variable that no process
 * knows is treated as a typo.
 */
const knownNames = [
  'COLOPHON_EGRESS_ALLOWED_HOSTS',
  'COLOPHON_EGRESS_ALLOWED_NETWORKS',
  'COLOPHON_EGRESS_CA_BUNDLE',
  'COLOPHON_EGRESS_PROXY_URL',
  'COLOPHON_CLICKHOUSE_URL',
  'COLOPHON_DATABASE_POOL_SIZE',
  'COLOPHON_DATABASE_URL',
  'COLOPHON_GATEWAY_LISTEN',
  'COLOPHON_GITHUB_URLS',
  'COLOPHON_GATEWAY_TLS_CERT_FILE',
  'COLOPHON_GATEWAY_TLS_KEY_FILE',
  'COLOPHON_GATEWAY_URL',
  'COLOPHON_LISTEN',
  'COLOPHON_JOB_DEADLINE_SECONDS',
  'COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS',
  'COLOPHON_JOB_IDLE_ARCHIVE_DAYS',
  'COLOPHON_JOB_MAX_AGENT_FAILURES',
  'COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT',
  'COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS',
  'COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS',
  'COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS',
  'COLOPHON_JOB_STALL_SECONDS',
  'COLOPHON_BUDGET_MAX_TOKENS_PER_JOB',
  'COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH',
  'COLOPHON_BUDGET_MAX_USD_PER_MONTH',
  'COLOPHON_LOG_LEVEL',
  'COLOPHON_PUBLIC_URL',
  'COLOPHON_RUNNER_LISTEN',
  'COLOPHON_RUNNER_TOKEN',
  'COLOPHON_GATEWAY_CA_BUNDLE',
  'COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS',
  'COLOPHON_RUNNER_MAX_CONCURRENT_TURNS',
  'COLOPHON_SECURITY_CONTACT',
  'COLOPHON_SECURITY_POLICY_URL',
  'COLOPHON_SEALING_PRIVATE_KEYS',
  'COLOPHON_SEALING_PUBLIC_KEYS',
  'COLOPHON_SHUTDOWN_DELAY_SECONDS',
  'COLOPHON_TEMPORAL_ADDRESS',
  'COLOPHON_TEMPORAL_API_KEY',
  'COLOPHON_TEMPORAL_NAMESPACE',
  'COLOPHON_TEMPORAL_TLS',
  'COLOPHON_TLS_CERT_FILE',
  'COLOPHON_TLS_KEY_FILE',
  'COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES',
  'COLOPHON_SESSION_SECRET',
  'COLOPHON_SMTP_URL',
  'COLOPHON_MAIL_FROM',
  'COLOPHON_OIDC_NAME',
  'COLOPHON_OIDC_ISSUER',
  'COLOPHON_OIDC_CLIENT_ID',
  'COLOPHON_OIDC_CLIENT_SECRET',
  'COLOPHON_TRUSTED_PROXIES',
  'COLOPHON_URL',
  'COLOPHON_PROJECT_ID',
  'COLOPHON_API_KEY', // these three are for the CLI and API clients, which may run in the same shell
]

/** Each may also be read from a file, which X_FILE names. */
const secretNames = [
  'COLOPHON_EGRESS_CA_BUNDLE',
  'COLOPHON_EGRESS_PROXY_URL',
  'COLOPHON_GATEWAY_CA_BUNDLE',
  'COLOPHON_CLICKHOUSE_URL',
  'COLOPHON_DATABASE_URL',
  'COLOPHON_RUNNER_TOKEN',
  'COLOPHON_SEALING_PRIVATE_KEYS',
  'COLOPHON_SEALING_PUBLIC_KEYS', // not secret, but created together with the private ones
  'COLOPHON_TEMPORAL_API_KEY',
  'COLOPHON_SESSION_SECRET',
  'COLOPHON_SMTP_URL',
  'COLOPHON_OIDC_CLIENT_SECRET',
]

interface TextOptions {
  /** Completes "X is required: …". */
  purpose: string
  default?: string
  /** One of `secretNames`: may also be read from the file that X_FILE names, and is never printed. */
  secret?: boolean
}

class EnvironmentReader {
  /** A set, because `serve` is two processes in one and reads some variables twice. */
  readonly errors = new Set<string>()
  readonly #environment: EnvironmentVariables

  constructor(environment: EnvironmentVariables) {
    this.#environment = environment
    for (const name of Object.keys(environment)) {
      if (!name.startsWith('COLOPHON_') || isKnown(name)) continue
      this.addError(`${name} is not a known setting${suggestion(name)}`)
    }
  }

  addError(text: string): void {
    this.errors.add(text)
  }

  optionalText(name: string, options: { secret?: boolean } = {}): string | undefined {
    if (!knownNames.includes(name)) throw new Error(`${name} is missing from knownNames`)
    if (options.secret && !secretNames.includes(name)) throw new Error(`${name} is missing from secretNames`)
    const value = this.#environment[name]
    const file = options.secret ? this.#environment[`${name}_FILE`] : undefined
    if (value && file) this.addError(`${name} and ${name}_FILE are both set: remove one`)
    if (!file) return value || undefined
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      // A secret that was put here by mistake does not look like a path, and is not printed.
      this.addError(`${name}_FILE must be the path of a readable file${/^[./]/.test(file) ? `, got ${file}` : ''}`)
      return undefined
    }
  }

  text(name: string, { purpose, default: defaultValue, secret = false }: TextOptions): string {
    const value = this.optionalText(name, { secret }) ?? defaultValue
    if (value === undefined) this.addError(`${name} is required: ${purpose}`)
    return value ?? ''
  }

  url(name: string, options: TextOptions & { schemes: readonly string[] }): string {
    const value = this.text(name, options)
    if (value === '') return value
    const scheme = URL.parse(value)?.protocol
    if (!scheme || !options.schemes.includes(scheme)) {
      const prefixes = options.schemes.map((allowed) => `${allowed}//`).join(' or ')
      const actual = options.secret ? '' : `, got ${value}`
      this.addError(`${name} must be a URL that starts with ${prefixes}${actual}: ${options.purpose}`)
    }
    return value
  }

  integer(name: string, range: { min: number; max: number; default: number }): number {
    const value = this.optionalText(name)
    if (value === undefined) return range.default
    const number = Number(value)
    if (Number.isInteger(number) && number >= range.min && number <= range.max) return number
    this.addError(`${name} must be an integer from ${range.min} to ${range.max}, got ${value}`)
    return range.default
  }

  optionalInteger(name: string, range: { min: number; max: number }): number | null {
    return this.optionalText(name) === undefined ? null : this.integer(name, { ...range, default: range.min })
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[], defaultChoice: NoInfer<Choice>): Choice {
    const value = this.optionalText(name)
    if (value === undefined) return defaultChoice
    const chosen = choices.find((choice) => choice === value)
    if (chosen === undefined) this.addError(`${name} must be one of ${choices.join(', ')}, got ${value}`)
    return chosen ?? defaultChoice
  }

  listenAddress(name: string, defaultAddress: ListenAddress): ListenAddress {
    const value = this.optionalText(name)
    if (value === undefined) return defaultAddress
    const [, host, digits] = value.match(/^\[?([^\]]+?)\]?:(\d{1,5})$/) ?? []
    const port = Number(digits)
    if (host && port <= 65_535) return { host, port }
    this.addError(`${name} must be host:port, like 0.0.0.0:8080 or [::]:8080, got ${value}`)
    return defaultAddress
  }

  sealingKeys<Keys>(name: string, parse: (text: string) => SealingKeysParseResult<Keys>, options: TextOptions): Keys {
    const text = this.text(name, options)
    const parsed = text === '' ? { ok: false as const, errors: [] } : parse(text)
    if (parsed.ok) return parsed.keys
    for (const error of parsed.errors) this.addError(`${name}: ${error}`)
    return undefined as Keys // never used: an error was added, so `read` throws
  }

  list(name: string): string[] {
    const entries = (this.optionalText(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '')
  }

  networks(name: string): string[] {
    const networks = this.list(name)
    for (const network of networks) {
      if (!isNetwork(network))
        this.addError(
          `${name} must be a comma-separated list of IP addresses or networks, like 10.0.0.0/8, got ${network}`,
        )
    }
    return networks
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

const isKnown = (name: string) => knownNames.includes(name) || secretNames.some((secret) => name === `${secret}_FILE`)

function suggestion(name: string): string {
  const [closest] = knownNames
    .map((known) => ({ known, distance: levenshteinDistance(name, known) }))
    .sort((a, b) => a.distance - b.distance)
  return closest && closest.distance <= 5 ? `; did you mean ${closest.known}?` : ''
}

function levenshteinDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, target] of [...to].entries()) {
      const left = next[column] ?? 0
      const above = row[column + 1] ?? 0
      const diagonal = row[column] ?? 0
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === target ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
