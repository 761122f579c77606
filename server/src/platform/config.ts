/**
 * Configuration: read once from the environment into a typed value. This is the only file that reads the environment.
 * Every mistake is named at once, with what to do; the value of a variable that may hold a secret is never repeated.
 */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isLoopback } from './is-loopback.ts'
import {
  type ParsedSealingKeys,
  parseSealingPrivateKeys,
  parseSealingPublicKeys,
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
  /** Undefined where a proxy in front ends TLS. */
  tls: TlsFiles | undefined
  /** Addresses and networks whose `X-Forwarded-*` headers are believed; empty: nobody's. */
  trustedProxies: readonly string[]
  /** How long `/readyz` says that we stop before we do, for load balancers that look only now and then. */
  stopDelaySeconds: number
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
  /** Where clients and browsers find us, without a trailing slash. */
  publicUrl: string
  /** Enough to seal a secret, not to open one. */
  sealingKeys: SealingPublicKeys
  views: ViewsConfig
  /** For tests of what users type: a repository, a model. */
  egress: EgressConfig
  /** Of the GitHubs for which the dashboard makes Apps, without a trailing slash. */
  githubUrls: readonly string[]
  /** Where runners find the gateway, to be shown to who starts one. Undefined: nobody said. */
  gatewayUrl: string | undefined
  /** What calls of models may use, in projects that have no values of their own: to be shown. */
  budget: JobsConfig['budget']
  people: PeopleConfig
}

/** How people sign in to the dashboard. */
export interface PeopleConfig {
  /** Signs the cookies of sessions; the same for all replicas. */
  sessionSecret: string
  /** A provider of OpenID Connect, for those who have one. */
  oidc: OidcConfig | undefined
  /** Undefined: invitations are links to copy. */
  mail: MailConfig | undefined
}

export interface OidcConfig {
  /** What its button says. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
}

export interface MailConfig {
  smtpUrl: string
  from: string
}

/** Of the buffer in which page views wait for ClickHouse: with so much in it no more are taken. */
export interface ViewsConfig {
  limitBytes: number
}

export interface WorkerConfig {
  log: LogConfig
  services: ServicesConfig
  /** The port for runners: their API and the gateway. */
  gateway: HttpConfig
  sealingKeys: SealingPrivateKeys
  jobs: JobsConfig
  egress: EgressConfig
}

/** Where calls to addresses that users type may lead besides the public internet. */
export interface EgressConfig {
  allowedNetworks: readonly string[]
  /** As `name:port`. */
  allowedHosts: readonly string[]
  proxyUrl?: string
  caBundlePem?: string
}

/** The times and limits of agent jobs; proofs make them short. */
export interface JobsConfig {
  /** A turn whose runner shows no sign of life for this long is offered again. */
  heartbeatTimeoutSeconds: number
  /** What a turn may take in all, from its first claim. */
  deadlineSeconds: number
  noRunnerSeconds: number
  publishTimeoutSeconds: number
  /** A job in which nothing moved for this long is woken. */
  standStillSeconds: number
  idleArchiveDays: number
  /** How often an open pull request is asked for; a webhook makes it at once. */
  pullRequestAskSeconds: number
  maxConcurrentPerProject: number
  maxAgentFailures: number
  /** What calls of models may use, in projects that have no values of their own. Null: no limit. */
  budget: { maxTokensPerJob: number; maxTokensPerMonth: number | null; maxUsdPerMonth: number | null }
}

export interface RunnerConfig {
  log: LogConfig
  gatewayUrl: string
  /** Whom to trust besides the usual authorities, where the gateway has a certificate of its own making. */
  gatewayCaPem: string | undefined
  token: string
  turnsAtOnce: number
  /** How long turns in hand may go on after a request to stop, before they are handed back. */
  finishSeconds: number
  /** Where `/healthz` and `/readyz` answer. */
  http: HttpConfig
}

export interface ServeConfig {
  api: ApiConfig
  worker: WorkerConfig
}

export type Environment = Readonly<Record<string, string | undefined>>

export class ConfigError extends Error {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export const loadApiConfig = (environment: Environment = process.env): ApiConfig =>
  read(environment, (from) => api(from, sealingPublicKeys(from)))
export const loadWorkerConfig = (environment: Environment = process.env): WorkerConfig => read(environment, worker)
export const loadRunnerConfig = (environment: Environment = process.env): RunnerConfig => read(environment, runner)
/** For the commands that need nothing else. */
export const loadPostgresConfig = (
  environment: Environment = process.env,
): Pick<ServicesConfig, 'postgres'> & { log: LogConfig } =>
  read(environment, (from) => ({ postgres: postgres(from), log: log(from) }))
/** For the commands that print a link to the dashboard: it is where `api` is. */
export const loadLinkConfig = (environment: Environment = process.env): Pick<ApiConfig, 'publicUrl'> =>
  read(environment, (from) => ({ publicUrl: publicUrl(from, publicHttp(from)) }))
/** For the import of logs, which goes into the same buffer as what comes over HTTP. */
export const loadImportConfig = (environment: Environment = process.env) =>
  read(environment, (from) => ({ postgres: postgres(from), views: views(from), log: log(from) }))
export const loadServicesConfig = (environment: Environment = process.env): ServicesConfig & { log: LogConfig } =>
  read(environment, (from) => ({ ...services(from), log: log(from) }))
/** One process with the private halves needs no other setting for the public ones. */
export const loadServeConfig = (environment: Environment = process.env): ServeConfig =>
  read(environment, (from) => {
    const workerConfig = worker(from)
    return { api: api(from, workerConfig.sealingKeys), worker: workerConfig }
  })
/** For the commands that store a credential, having tried it. */
export const loadCodeHostConfig = (environment: Environment = process.env) =>
  read(environment, (from) => ({
    egress: egress(from),
    sealingKeys: eitherSealingKeys(from),
    publicUrl: from.optionalText('COLOPHON_PUBLIC_URL'),
  }))
export const loadSealingPrivateKeys = (environment: Environment = process.env): SealingPrivateKeys =>
  read(environment, sealingPrivateKeys)

function api(from: Reader, sealingKeys: SealingPublicKeys): ApiConfig {
  const http = publicHttp(from)
  return {
    log: log(from),
    services: services(from),
    http,
    publicUrl: publicUrl(from, http),
    sealingKeys,
    views: views(from),
    egress: egress(from),
    githubUrls: githubUrls(from),
    gatewayUrl: gatewayUrl(from),
    budget: budget(from),
    people: people(from),
  }
}

const publicHttp = (from: Reader) => httpServer(from, { listen: 'COLOPHON_LISTEN', port: 8080, tls: 'COLOPHON_TLS' })

function people(from: Reader): PeopleConfig {
  const sessionSecret = from.text('COLOPHON_SESSION_SECRET', {
    purpose:
      'signs the cookies of people who sign in: at least 32 random characters, like those of openssl rand -hex 32',
    secret: true,
  })
  if (sessionSecret !== '' && sessionSecret.length < 32)
    from.mistake('COLOPHON_SESSION_SECRET has fewer than 32 characters')
  return { sessionSecret, oidc: oidc(from), mail: mail(from) }
}

function oidc(from: Reader): OidcConfig | undefined {
  if (from.optionalText('COLOPHON_OIDC_ISSUER') === undefined) return undefined
  const schemes = ['https:', 'http:']
  return {
    name: from.text('COLOPHON_OIDC_NAME', { purpose: 'what the button says', otherwise: 'single sign-on' }),
    issuer: from
      .url('COLOPHON_OIDC_ISSUER', { schemes, purpose: 'the address of your OpenID provider' })
      .replace(/\/+$/, ''),
    clientId: from.text('COLOPHON_OIDC_CLIENT_ID', { purpose: 'what the OpenID provider calls us' }),
    clientSecret: from.text('COLOPHON_OIDC_CLIENT_SECRET', {
      purpose: 'with which we show the OpenID provider who we are',
      secret: true,
    }),
  }
}

function mail(from: Reader): MailConfig | undefined {
  if (from.optionalText('COLOPHON_SMTP_URL', { secret: true }) === undefined) return undefined
  return {
    smtpUrl: from.url('COLOPHON_SMTP_URL', {
      schemes: ['smtp:', 'smtps:'],
      purpose: 'where mail goes out, like smtps://user:password@mail.example.com',
      secret: true,
    }),
    from: from.text('COLOPHON_MAIL_FROM', { purpose: 'whom invitations come from, like Colophon <docs@example.com>' }),
  }
}

function githubUrls(from: Reader): string[] {
  const urls = from.list('COLOPHON_GITHUB_URLS').map((url) => url.replace(/\/+$/, ''))
  for (const url of urls) {
    const parsed = URL.parse(url)
    // Browsers are let post to it: no more than an address, or the page's headers would say something else.
    if (!parsed || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\/[a-z0-9.:[\]/_-]+$/i.test(url))
      from.mistake(`COLOPHON_GITHUB_URLS has to list addresses like https://github.com, not ${url}`)
  }
  return urls.length > 0 ? urls : ['https://github.com']
}

function gatewayUrl(from: Reader): string | undefined {
  const { host, port } = from.listenAddress('COLOPHON_GATEWAY_LISTEN', { host: '127.0.0.1', port: 8090 })
  return from.optionalText('COLOPHON_GATEWAY_URL') ?? (isLoopback(host) ? `http://localhost:${port}` : undefined)
}

function views(from: Reader): ViewsConfig {
  const megabytes = from.integer('COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES', { least: 1, most: 1_000_000, otherwise: 1024 })
  return { limitBytes: megabytes * 1024 * 1024 }
}

function worker(from: Reader): WorkerConfig {
  const gateway = httpServer(from, { listen: 'COLOPHON_GATEWAY_LISTEN', port: 8090, tls: 'COLOPHON_GATEWAY_TLS' })
  return {
    log: log(from),
    services: services(from),
    gateway,
    sealingKeys: sealingPrivateKeys(from),
    jobs: jobs(from),
    egress: egress(from),
  }
}

function egress(from: Reader): EgressConfig {
  const proxyUrl = from.optionalText('COLOPHON_EGRESS_PROXY_URL', { secret: true })
  const caBundlePem = from.optionalText('COLOPHON_EGRESS_CA_BUNDLE', { secret: true })
  return {
    allowedNetworks: from.networks('COLOPHON_EGRESS_ALLOWED_NETWORKS'),
    allowedHosts: from.list('COLOPHON_EGRESS_ALLOWED_HOSTS'),
    ...(proxyUrl && { proxyUrl }),
    ...(caBundlePem && { caBundlePem }),
  }
}

function jobs(from: Reader): JobsConfig {
  const seconds = (name: string, otherwise: number) => from.integer(name, { least: 1, most: 7 * 24 * 3600, otherwise })
  return {
    heartbeatTimeoutSeconds: seconds('COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS', 30),
    deadlineSeconds: seconds('COLOPHON_JOB_DEADLINE_SECONDS', 30 * 60),
    noRunnerSeconds: seconds('COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS', 6 * 3600),
    publishTimeoutSeconds: seconds('COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS', 3600),
    standStillSeconds: seconds('COLOPHON_JOB_STALL_SECONDS', 60),
    pullRequestAskSeconds: seconds('COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS', 300),
    idleArchiveDays: from.integer('COLOPHON_JOB_IDLE_ARCHIVE_DAYS', { least: 1, most: 3650, otherwise: 30 }),
    maxConcurrentPerProject: from.integer('COLOPHON_JOB_MAX_CONCURRENT_PER_PROJECT', {
      least: 1,
      most: 10_000,
      otherwise: 5,
    }),
    maxAgentFailures: from.integer('COLOPHON_JOB_MAX_AGENT_FAILURES', { least: 1, most: 100, otherwise: 2 }),
    budget: budget(from),
  }
}

const budget = (from: Reader): JobsConfig['budget'] => ({
  maxTokensPerJob: from.integer('COLOPHON_BUDGET_MAX_TOKENS_PER_JOB', { least: 0, most: 1e12, otherwise: 5_000_000 }),
  maxTokensPerMonth: from.optionalInteger('COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH', { least: 0, most: 1e12 }),
  maxUsdPerMonth: from.optionalInteger('COLOPHON_BUDGET_MAX_USD_PER_MONTH', { least: 0, most: 1e9 }),
})

const makeThem = 'make a pair with `colophon-server admin sealing-key`'

const sealingPublicKeys = (from: Reader) =>
  from.sealingKeys('COLOPHON_SEALING_PUBLIC_KEYS', parseSealingPublicKeys, {
    purpose: `the public halves of the sealing keys; ${makeThem}`,
  })

const sealingPrivateKeys = (from: Reader) =>
  from.sealingKeys('COLOPHON_SEALING_PRIVATE_KEYS', parseSealingPrivateKeys, {
    purpose: `the private halves of the sealing keys; ${makeThem}`,
    secret: true,
  })

/** Either half can seal, so a command that only stores a credential works beside `api` as beside `worker`. */
const eitherSealingKeys = (from: Reader): SealingPublicKeys =>
  from.optionalText('COLOPHON_SEALING_PRIVATE_KEYS', { secret: true }) === undefined
    ? sealingPublicKeys(from)
    : sealingPrivateKeys(from)

function runner(from: Reader): RunnerConfig {
  return {
    log: log(from),
    gatewayUrl: from.url('COLOPHON_GATEWAY_URL', {
      schemes: ['http:', 'https:'],
      purpose: "the worker's gateway, like http://localhost:8090",
    }),
    gatewayCaPem: from.optionalText('COLOPHON_GATEWAY_CA_BUNDLE', { secret: true }),
    token: from.text('COLOPHON_RUNNER_TOKEN', {
      purpose: "the runner's own token; make one with `colophon-server admin runner create`",
      secret: true,
    }),
    turnsAtOnce: from.integer('COLOPHON_RUNNER_MAX_CONCURRENT_TURNS', { least: 1, most: 1000, otherwise: 2 }),
    finishSeconds: from.integer('COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS', { least: 0, most: 3600, otherwise: 20 }),
    http: httpServer(from, { listen: 'COLOPHON_RUNNER_LISTEN', port: 8070, tls: undefined }),
  }
}

function log(from: Reader): LogConfig {
  return { level: from.oneOf('COLOPHON_LOG_LEVEL', logLevels, 'info') }
}

function postgres(from: Reader): ServicesConfig['postgres'] {
  return {
    url: from.url('COLOPHON_DATABASE_URL', {
      schemes: ['postgres:', 'postgresql:'],
      purpose: 'the PostgreSQL database, like postgres://user:password@host:5432/colophon',
      secret: true,
    }),
    poolSize: from.integer('COLOPHON_DATABASE_POOL_SIZE', { least: 1, most: 1000, otherwise: 10 }),
  }
}

function services(from: Reader): ServicesConfig {
  return {
    postgres: postgres(from),
    clickhouse: {
      url: from.url('COLOPHON_CLICKHOUSE_URL', {
        schemes: ['http:', 'https:'],
        purpose: "ClickHouse's HTTP address, like http://user:password@host:8123/colophon",
        secret: true,
      }),
    },
    temporal: {
      address: from.text('COLOPHON_TEMPORAL_ADDRESS', { purpose: "Temporal's frontend, like host:7233" }),
      namespace: from.text('COLOPHON_TEMPORAL_NAMESPACE', { purpose: "Temporal's namespace", otherwise: 'colophon' }),
      tls: from.oneOf('COLOPHON_TEMPORAL_TLS', ['true', 'false'], 'false') === 'true',
      apiKey: from.optionalText('COLOPHON_TEMPORAL_API_KEY', { secret: true }),
    },
  }
}

function httpServer(from: Reader, names: { listen: string; port: number; tls: string | undefined }): HttpConfig {
  const certificateFile = names.tls && from.optionalText(`${names.tls}_CERT_FILE`)
  const keyFile = names.tls && from.optionalText(`${names.tls}_KEY_FILE`)
  if (Boolean(certificateFile) !== Boolean(keyFile)) {
    from.mistake(`${names.tls}_CERT_FILE and ${names.tls}_KEY_FILE go together: set both or none`)
  }
  return {
    listen: from.listenAddress(names.listen, { host: '127.0.0.1', port: names.port }),
    tls: certificateFile && keyFile ? { certificateFile, keyFile } : undefined,
    trustedProxies: from.networks('COLOPHON_TRUSTED_PROXIES'),
    stopDelaySeconds: from.integer('COLOPHON_SHUTDOWN_DELAY_SECONDS', { least: 0, most: 300, otherwise: 0 }),
  }
}

function publicUrl(from: Reader, http: HttpConfig): string {
  const scheme = http.tls ? 'https' : 'http'
  const url = from.url('COLOPHON_PUBLIC_URL', {
    schemes: ['http:', 'https:'],
    purpose: 'where clients and browsers find the service, like https://docs-backend.example.com',
    ...(isLoopback(http.listen.host) && { otherwise: `${scheme}://localhost:${http.listen.port}` }),
  })
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'http:' && !isLoopback(parsed.hostname)) {
    from.mistake('COLOPHON_PUBLIC_URL must be https: keys and sessions would cross the network in the clear')
  }
  if (parsed && (parsed.search || parsed.hash || parsed.username)) {
    from.mistake('COLOPHON_PUBLIC_URL must be an address without user, query or fragment')
  }
  return url.replace(/\/+$/, '')
}

function read<Config>(environment: Environment, parse: (from: Reader) => Config): Config {
  const from = new Reader(environment)
  const config = parse(from)
  if (from.mistakes.size > 0) throw new ConfigError([...from.mistakes])
  return config
}

/**
 * Variables of other processes are known too, so that one file of settings can serve all; what no process knows is
 * taken for a slip of the pen.
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
  'COLOPHON_API_KEY', // of the command line and of clients, in the same shell perhaps
]

/** These may also come from a file. */
const secretNames = [
  'COLOPHON_EGRESS_CA_BUNDLE',
  'COLOPHON_EGRESS_PROXY_URL',
  'COLOPHON_GATEWAY_CA_BUNDLE',
  'COLOPHON_CLICKHOUSE_URL',
  'COLOPHON_DATABASE_URL',
  'COLOPHON_RUNNER_TOKEN',
  'COLOPHON_SEALING_PRIVATE_KEYS',
  'COLOPHON_TEMPORAL_API_KEY',
  'COLOPHON_SESSION_SECRET',
  'COLOPHON_SMTP_URL',
  'COLOPHON_OIDC_CLIENT_SECRET',
]

interface TextOptions {
  /** Completes "X is missing: …". */
  purpose: string
  otherwise?: string
  /** One of `secretNames`: may also come from a file named by X_FILE, and is never repeated in a message. */
  secret?: boolean
}

class Reader {
  /** A set: two processes in one (`serve`) read some variables twice. */
  readonly mistakes = new Set<string>()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
    for (const name of Object.keys(environment)) {
      if (!name.startsWith('COLOPHON_') || isKnown(name)) continue
      this.mistake(`${name} is not a setting of Colophon${suggestion(name)}`)
    }
  }

  mistake(text: string): void {
    this.mistakes.add(text)
  }

  optionalText(name: string, options: { secret?: boolean } = {}): string | undefined {
    if (!knownNames.includes(name)) throw new Error(`${name} is read, but not among the known names`)
    if (options.secret && !secretNames.includes(name)) throw new Error(`${name} is a secret, but not among their names`)
    const value = this.#environment[name]
    const file = options.secret ? this.#environment[`${name}_FILE`] : undefined
    if (value && file) this.mistake(`${name} and ${name}_FILE are both set: keep one`)
    if (!file) return value || undefined
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      // A secret that was put here by mistake is no path, and is not repeated.
      this.mistake(`${name}_FILE names ${/^[./]/.test(file) ? file : 'a file'}, which cannot be read`)
      return undefined
    }
  }

  text(name: string, { purpose, otherwise, secret = false }: TextOptions): string {
    const value = this.optionalText(name, { secret }) ?? otherwise
    if (value === undefined) this.mistake(`${name} is missing: ${purpose}`)
    return value ?? ''
  }

  url(name: string, options: TextOptions & { schemes: readonly string[] }): string {
    const value = this.text(name, options)
    if (value === '') return value
    const scheme = URL.parse(value)?.protocol
    if (!scheme || !options.schemes.includes(scheme)) {
      this.mistake(
        `${name} is not an address: it has to be ${options.purpose}${options.secret ? '' : `, not ${value}`}`,
      )
    }
    return value
  }

  integer(name: string, { least, most, otherwise }: { least: number; most: number; otherwise: number }): number {
    const value = this.optionalText(name)
    if (value === undefined) return otherwise
    const number = Number(value)
    if (Number.isInteger(number) && number >= least && number <= most) return number
    this.mistake(`${name} has to be a whole number from ${least} to ${most}, not ${value}`)
    return otherwise
  }

  optionalInteger(name: string, range: { least: number; most: number }): number | null {
    return this.optionalText(name) === undefined ? null : this.integer(name, { ...range, otherwise: range.least })
  }

  oneOf<const Choice extends string>(name: string, choices: readonly Choice[], otherwise: NoInfer<Choice>): Choice {
    const value = this.optionalText(name)
    if (value === undefined) return otherwise
    const found = choices.find((choice) => choice === value)
    if (found === undefined) this.mistake(`${name} has to be one of ${choices.join(', ')}, not ${value}`)
    return found ?? otherwise
  }

  listenAddress(name: string, otherwise: ListenAddress): ListenAddress {
    const value = this.optionalText(name)
    if (value === undefined) return otherwise
    const [, host, digits] = value.match(/^\[?([^\]]+?)\]?:(\d{1,5})$/) ?? []
    const port = Number(digits)
    if (host && port <= 65_535) return { host, port }
    this.mistake(`${name} has to be host:port, like 0.0.0.0:8080 or [::]:8080, not ${value}`)
    return otherwise
  }

  sealingKeys<Keys>(name: string, parse: (text: string) => ParsedSealingKeys<Keys>, options: TextOptions): Keys {
    const text = this.text(name, options)
    const parsed = text === '' ? { ok: false as const, mistakes: [] } : parse(text)
    if (parsed.ok) return parsed.keys
    for (const mistake of parsed.mistakes) this.mistake(`${name}: ${mistake}`)
    return undefined as Keys // never seen: there is a mistake, so `read` throws
  }

  list(name: string): string[] {
    const entries = (this.optionalText(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '')
  }

  networks(name: string): string[] {
    const networks = this.list(name)
    for (const network of networks) {
      if (!isNetwork(network))
        this.mistake(`${name} has to list addresses or networks, like 10.0.0.0/8, not ${network}`)
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
    .map((known) => ({ known, edits: editsBetween(name, known) }))
    .sort((a, b) => a.edits - b.edits)
  return closest && closest.edits <= 5 ? `; did you mean ${closest.known}?` : ''
}

/** Levenshtein's distance. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...to].entries()) {
      const left = next[column] ?? 0
      const above = row[column + 1] ?? 0
      const diagonal = row[column] ?? 0
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
