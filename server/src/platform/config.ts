/**
 * What each process reads, as typed values, once, from the environment. `settings/settings.ts` declares the settings.
 * This is the only file that reads the environment. All errors are reported together, with what to do.
 */
import { isLoopback } from './is-loopback.ts'
import { describeSettings } from './settings/describe-settings.ts'
import {
  EnvironmentReader,
  type EnvironmentVariables,
  type Reader,
  type Shape,
  type ValueOf,
} from './settings/environment-reader.ts'
import { withoutTrailingSlashes } from './settings/kinds.ts'
import { computed, type Setting, textOf, whenSet } from './settings/setting.ts'
import { settings } from './settings/settings.ts'
import { describeUnknownNames } from './settings/unknown-names.ts'

export type { EnvironmentVariables }

export class ConfigError extends Error {
  readonly errors: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.errors = mistakes
  }
}

const { egress, budget, views } = settings
const { logLevel, trustedProxies, shutdownDelaySeconds, requiresTls } = settings.allProcesses
const log = { level: logLevel }
const { metrics } = settings

/** If TLS is required, a URL that leads to another machine without it is an error. */
const encrypted = <Value>(setting: Setting<Value>, isEncrypted: (url: URL) => boolean, advice: string) =>
  computed({ setting, requiresTls }, (inputs, env) => {
    const url = URL.parse(env.text(setting) ?? '')
    if (url && env.read(requiresTls) && !isLoopback(url.hostname) && !isEncrypted(url))
      env.addError(`COLOPHON_REQUIRE_TLS is set, but ${setting.name} is not encrypted: ${advice}`)
    return env.read(inputs).setting
  })
const https = <Value>(setting: Setting<Value>) =>
  encrypted(setting, ({ protocol }) => protocol === 'https:', 'use an https:// URL')

/** Undefined: nothing is traced. */
const traces = whenSet({ ...settings.traces, endpoint: https(settings.traces.endpoint) }, settings.traces.endpoint)

const postgres = {
  ...settings.services.postgres,
  url: encrypted(
    settings.services.postgres.url,
    ({ searchParams }) => searchParams.get('sslmode') === 'verify-full',
    'append ?sslmode=verify-full',
  ),
}
const clickhouse = { url: https(settings.services.clickhouse.url) }
const temporal = computed({ temporal: settings.services.temporal, requiresTls }, (inputs, env) => {
  const { temporal, requiresTls } = env.read(inputs)
  if (temporal.apiKey && !temporal.tls)
    env.addError('COLOPHON_TEMPORAL_API_KEY requires COLOPHON_TEMPORAL_TLS=true: the key must not be sent unencrypted')
  if (requiresTls && temporal.address && !temporal.tls && !isLoopback(temporal.address.split(':')[0] ?? ''))
    env.addError('COLOPHON_REQUIRE_TLS is set, but Temporal is not encrypted: set COLOPHON_TEMPORAL_TLS=true')
  return temporal
})
const services = { postgres, clickhouse, temporal }

/** Undefined: all processes connect with the role that owns the tables. */
const databaseRoles = computed(settings.services.databaseRoles, (inputs, env) => {
  const { api, worker } = env.read(inputs)
  if (Boolean(api) !== Boolean(worker))
    env.addError(`${inputs.api.name} and ${inputs.worker.name} must be set together: set both or neither`)
  return api && worker ? { api, worker } : undefined
})

/** Undefined where a reverse proxy terminates TLS. */
const tlsFiles = ({ listen, tls: files }: Pick<typeof settings.gateway, 'listen' | 'tls'>) =>
  computed({ listen, files, requiresTls }, (inputs, env) => {
    const { listen, files: set, requiresTls } = env.read(inputs)
    const { certificateFile, keyFile } = set
    if (Boolean(certificateFile) !== Boolean(keyFile))
      env.addError(`${files.certificateFile.name} and ${files.keyFile.name} must be set together: set both or neither`)
    if (requiresTls && !certificateFile && !isLoopback(listen.host))
      env.addError(`COLOPHON_REQUIRE_TLS is set: set ${files.certificateFile.name}, or listen on 127.0.0.1`)
    return certificateFile && keyFile ? { certificateFile, keyFile } : undefined
  })

const httpServer = <Tls>(server: { listen: typeof settings.gateway.listen }, tls: Reader<Tls>) => ({
  tls,
  listen: server.listen,
  trustedProxies,
  shutdownDelaySeconds,
})
const publicHttp = httpServer(settings.publicHttp, tlsFiles(settings.publicHttp))

/** Without a trailing slash. */
const publicUrl = computed({ http: publicHttp, url: settings.publicHttp.publicUrl }, (inputs, env) => {
  const { http, url: configuredUrl } = env.read(inputs)
  const localUrl = `${http.tls ? 'https' : 'http'}://localhost:${http.listen.port}`
  const url = configuredUrl ?? (isLoopback(http.listen.host) ? localUrl : undefined)
  if (url === undefined) {
    env.addMissing(inputs.url)
    return ''
  }
  const parsed = URL.parse(url)
  if (parsed?.protocol === 'http:' && !isLoopback(parsed.hostname))
    env.addError('COLOPHON_PUBLIC_URL must start with https://: API keys and sessions must not be sent unencrypted')
  if (parsed && (parsed.search || parsed.hash || parsed.username))
    env.addError('COLOPHON_PUBLIC_URL must not contain a user, a query or a fragment')
  return withoutTrailingSlashes(url)
})

/** The URL of the gateway, which the dashboard shows to people who start a runner. Undefined: not configured. */
const shownGatewayUrl = computed(
  { url: textOf(settings.runner.gatewayUrl), listen: settings.gateway.listen },
  (inputs, env) => {
    const { url, listen } = env.read(inputs)
    return url ?? (isLoopback(listen.host) ? `http://localhost:${listen.port}` : undefined)
  },
)

/** Undefined: not configured. */
const securityContact = computed(settings.publicHttp.securityContact, (inputs, env) => {
  const securityContact = env.read(inputs)
  return securityContact.contacts.length > 0 ? securityContact : undefined
})

const { sessionSecret, sessionIdleHours, requiresSecondFactor, oidc, email } = settings.people
const encryptedSmtpUrl = encrypted(
  email.smtpUrl,
  ({ searchParams }) => searchParams.get('ignoreTLS') !== 'true',
  'remove ignoreTLS',
)
const people = {
  sessionSecret,
  sessionIdleHours,
  requiresSecondFactor,
  oidc: whenSet({ ...oidc, issuer: https(oidc.issuer) }, oidc.issuer),
  email: whenSet({ ...email, smtpUrl: encryptedSmtpUrl }, email.smtpUrl),
}

/**
 * Both halves of a key can seal, so a command that only stores a credential runs with the settings of `api` or of
 * `worker`.
 */
const eitherSealingKeys = computed(settings.sealingKeys, (keys, env) =>
  env.read(env.text(keys.private) === undefined ? keys.public : keys.private),
)

const { retentionDays, webhook: auditWebhook } = settings.audit

/** Errors are reported in the order of the keys. */
const apiWithoutSealingKeys = {
  http: publicHttp,
  log,
  metrics,
  traces,
  services,
  publicUrl,
  requiresHttpsOfSubdomains: settings.publicHttp.requiresHttpsOfSubdomains,
  views,
  /** For connection tests of a repository or a model that a user entered. */
  egress,
  githubUrls: settings.github.urls,
  gatewayUrl: shownGatewayUrl,
  /** For display, and to reject budgets above a ceiling. */
  budget,
  people,
  securityContact,
  releasesUrl: settings.publicHttp.releasesUrl,
}
/** It can seal a secret, but not open one. */
const api = { sealingKeys: settings.sealingKeys.public, ...apiWithoutSealingKeys }

const worker = {
  gateway: httpServer(settings.gateway, tlsFiles(settings.gateway)),
  log,
  metrics,
  traces,
  services,
  sealingKeys: settings.sealingKeys.private,
  jobs: { ...settings.jobs, budget },
  audit: { retentionDays, webhook: whenSet({ ...auditWebhook, url: https(auditWebhook.url) }, auditWebhook.url) },
  egress,
  /** For messages about events. */
  email: people.email,
  /** For links to the dashboard in these messages. */
  publicUrl: textOf(settings.publicHttp.publicUrl),
}

const noTls = computed({}, () => undefined)
const runner = {
  log,
  metrics,
  ...settings.runner,
  gatewayUrl: https(settings.runner.gatewayUrl),
  http: httpServer(settings.runner.http, noTls),
}

/** The private sealing keys include the public ones. */
const serve = { worker, api: { sealingKeys: worker.sealingKeys, ...apiWithoutSealingKeys } }

const migrate = { ...services, databaseRoles, log }

const { endpoint: s3Endpoint, region: s3Region, ...s3Keys } = settings.backups.s3
const s3 = {
  endpoint: https(s3Endpoint),
  region: s3Region,
  credentials: computed(s3Keys, (inputs, env) => {
    const { accessKeyId, secretAccessKey } = env.read(inputs)
    if (Boolean(accessKeyId) !== Boolean(secretAccessKey))
      env.addError(
        `${inputs.accessKeyId.name} and ${inputs.secretAccessKey.name} must be set together: set both or neither`,
      )
    return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  }),
}

const backup = {
  postgres,
  clickhouse,
  storage: settings.backups.storage,
  s3,
  recipients: settings.backups.recipients,
  log,
}

const backupSchedule = {
  ...services,
  storage: computed({ storage: settings.backups.storage }, (inputs, env) => {
    const { storage } = env.read(inputs)
    if (storage === undefined) env.addMissing(inputs.storage)
    return storage ?? ''
  }),
  recipients: computed({ recipients: settings.backups.recipients }, (inputs, env) => {
    const { recipients } = env.read(inputs)
    if (recipients.length === 0) env.addMissing(inputs.recipients)
    return recipients
  }),
  s3,
  schedule: settings.backups.schedule,
  keep: settings.backups.keep,
  log,
}

/** The IDs of the configured sealing keys, to compare them with those that a backup needs. Undefined: none are configured here. */
const configuredSealingKeyIds = computed(settings.sealingKeys, (keys, env) => {
  const text = env.text(keys.private) ?? env.text(keys.public)
  return text?.match(/\b[0-9a-f]{16}(?=:)/g) ?? undefined
})

/** It also migrates what it has restored. */
const restore = {
  ...migrate,
  storage: settings.backups.storage,
  s3,
  identities: settings.backups.identities,
  sealingKeyIds: configuredSealingKeyIds,
}

export const processes = {
  api,
  worker,
  serve,
  runner,
  migrate,
  backup,
  'backup schedule': backupSchedule,
  restore,
} satisfies Record<string, Shape>

export type ApiConfig = ValueOf<typeof api>
export type WorkerConfig = ValueOf<typeof worker>
export type RunnerConfig = ValueOf<typeof runner>
export type ServeConfig = ValueOf<typeof serve>
export type ServicesConfig = ValueOf<typeof services>
/** Without the log. */
export type MigrateConfig = ServicesConfig & { databaseRoles: ValueOf<typeof databaseRoles> }
export type BackupScheduleConfig = ValueOf<typeof backupSchedule>
export type LogConfig = ValueOf<typeof log>
export type MetricsConfig = ValueOf<typeof metrics>
export type TracesConfig = NonNullable<ValueOf<typeof traces>>
export type HttpConfig = ValueOf<typeof publicHttp>
export type EgressConfig = ValueOf<typeof egress>
export type OidcConfig = ValueOf<typeof oidc>
export type EmailConfig = ValueOf<typeof email>
export type SecurityContactConfig = ValueOf<typeof settings.publicHttp.securityContact>

/** For the support bundle: without anything that a stranger must not read. */
export const describeEnvironment = (environment: EnvironmentVariables = process.env) => ({
  settings: describeSettings(environment),
  unknownNames: describeUnknownNames(environment).length,
})

export const loadApiConfig = createLoader(api)
export const loadWorkerConfig = createLoader(worker)
export const loadRunnerConfig = createLoader(runner)
export const loadServeConfig = createLoader(serve)
export const loadMigrateConfig = createLoader(migrate)
/** For the commands that need only PostgreSQL. */
export const loadPostgresConfig = createLoader({ postgres: services.postgres, log })
/** For the commands that print a link to the dashboard, which `api` serves. */
export const loadPublicUrlConfig = createLoader({ publicUrl })
/** For the import of logs, which fills the same buffer as ingest over HTTP. */
export const loadLogImportConfig = createLoader({ postgres: services.postgres, views, log })
export const loadBackupConfig = createLoader(backup)
export const loadBackupScheduleConfig = createLoader(backupSchedule)
export const loadRestoreConfig = createLoader(restore)
/** For the commands that read backups without a database. */
export const loadBackupReaderConfig = createLoader({ storage: backup.storage, s3, identities: restore.identities })
/** For the commands that test and store a credential. */
export const loadCredentialCommandConfig = createLoader({
  egress,
  sealingKeys: eitherSealingKeys,
  publicUrl: textOf(settings.publicHttp.publicUrl),
})
/** For the support bundle. */
export const loadSupportConfig = createLoader(services)
export const loadSealingPrivateKeys = createLoader(settings.sealingKeys.private)

function createLoader<const Part extends Shape>(shape: Part) {
  return (environment: EnvironmentVariables = process.env): ValueOf<Part> => {
    const env = new EnvironmentReader(environment)
    for (const error of describeUnknownNames(environment)) env.addError(error)
    const config = env.read(shape)
    if (env.errors.size > 0) throw new ConfigError([...env.errors])
    return config
  }
}
