import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  ConfigError,
  type EnvironmentVariables,
  loadApiConfig,
  loadBackupScheduleConfig,
  loadCredentialCommandConfig,
  loadMigrateConfig,
  loadRunnerConfig,
  loadServeConfig,
} from './config.ts'
import { generateSealingKeyPair } from './sealed-secrets/sealing-keys.ts'

const keys = generateSealingKeyPair()
const services = {
  COLOPHON_SEALING_PUBLIC_KEYS: keys.publicEntry,
  COLOPHON_SESSION_SECRET: 'x'.repeat(32),
  COLOPHON_SEALING_PRIVATE_KEYS: keys.privateEntry,
  COLOPHON_DATABASE_URL: 'postgres://colophon:hunter2@localhost:5432/colophon',
  COLOPHON_CLICKHOUSE_URL: 'http://localhost:8123/colophon',
  COLOPHON_TEMPORAL_ADDRESS: 'localhost:7233',
}

function errorsFrom(
  load: (environment: EnvironmentVariables) => unknown,
  environment: EnvironmentVariables,
): readonly string[] {
  try {
    load(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
  return []
}

test('the database roles of api and worker are set together', () => {
  const roles = { COLOPHON_DATABASE_API_ROLE: 'colophon_api', COLOPHON_DATABASE_WORKER_ROLE: 'colophon_worker' }
  expect(loadMigrateConfig(services).databaseRoles).toBeUndefined()
  expect(loadMigrateConfig({ ...services, ...roles }).databaseRoles).toEqual({
    api: 'colophon_api',
    worker: 'colophon_worker',
  })
  expect(errorsFrom(loadMigrateConfig, { ...services, COLOPHON_DATABASE_API_ROLE: 'colophon_api' })).toEqual([
    'COLOPHON_DATABASE_API_ROLE and COLOPHON_DATABASE_WORKER_ROLE must be set together: set both or neither',
  ])
})

test('needs only the services and secrets to start on loopback', () => {
  expect(loadServeConfig(services).api).toMatchObject({
    publicUrl: 'http://localhost:8080',
    http: { listen: { host: '127.0.0.1', port: 8080 }, tls: undefined, trustedProxies: [] },
    services: { postgres: { poolSize: 10 }, temporal: { namespace: 'colophon', tls: false } },
    log: { level: 'info' },
  })
})

test('accepts the settings of API clients in the same environment, and either half of a sealing key', () => {
  const client = { COLOPHON_URL: 'http://localhost:8080', COLOPHON_PROJECT_ID: 'prj_1', COLOPHON_API_KEY: 'colophon_1' }
  const halves = [
    { COLOPHON_SEALING_PUBLIC_KEYS: keys.publicEntry },
    { COLOPHON_SEALING_PRIVATE_KEYS: keys.privateEntry },
  ]
  for (const half of halves) expect(errorsFrom(loadCredentialCommandConfig, { ...client, ...half })).toEqual([])
  expect(errorsFrom(loadCredentialCommandConfig, client)).toEqual([
    expect.stringMatching(/^COLOPHON_SEALING_PUBLIC_KEYS is required/),
  ])
})

test('reports all errors together, each once', () => {
  const errors = errorsFrom(loadServeConfig, {
    COLOPHON_DATABASE_URL: 'mysql://root:hunter2@db/x',
    COLOPHON_LISTEN: 'somewhere',
    COLOPHON_LOG_LEVEL: 'loud',
    COLOPHON_DATABASE_POOL_SIZE: '0',
    COLOPHON_TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
    COLOPHON_TLS_CERT_FILE: '/tls/cert.pem',
    COLOPHON_CLICKHOUSE_ULR: 'http://localhost:8123',
  })
  expect(errors).toHaveLength(11)
  for (const start of [
    'COLOPHON_CLICKHOUSE_ULR is not a known setting; did you mean COLOPHON_CLICKHOUSE_URL?',
    'COLOPHON_DATABASE_URL must be a URL that starts with postgres:// or postgresql://: the PostgreSQL database, like',
    'COLOPHON_DATABASE_POOL_SIZE must be an integer from 1 to 1000, got 0',
    'COLOPHON_CLICKHOUSE_URL is required',
    'COLOPHON_TEMPORAL_ADDRESS is required',
    'COLOPHON_SEALING_PRIVATE_KEYS is required',
    'COLOPHON_SESSION_SECRET is required',
    'COLOPHON_LOG_LEVEL must be one of debug, info, warn, error, got loud',
    'COLOPHON_LISTEN must be host:port, like 0.0.0.0:8080 or [::]:8080, got somewhere',
    'COLOPHON_TRUSTED_PROXIES must be a comma-separated list of IP addresses or networks, like 10.0.0.0/8, got nonsense',
    'COLOPHON_TLS_CERT_FILE and COLOPHON_TLS_KEY_FILE must be set together',
  ]) {
    expect(errors.some((error) => error.startsWith(start))).toBe(true)
  }
  expect(errors.join()).not.toContain('hunter2')
})

test('an API key for Temporal requires TLS, because it would be sent unencrypted', () => {
  const withKey = { ...services, COLOPHON_TEMPORAL_API_KEY: 'temporal-key' }
  const message = 'COLOPHON_TEMPORAL_API_KEY requires COLOPHON_TEMPORAL_TLS=true: the key must not be sent unencrypted'
  expect(errorsFrom(loadServeConfig, withKey)).toEqual([message])
  expect(errorsFrom(loadServeConfig, { ...withKey, COLOPHON_TEMPORAL_TLS: 'false' })).toEqual([message])
  const { temporal } = loadServeConfig({ ...withKey, COLOPHON_TEMPORAL_TLS: 'true' }).api.services
  expect(temporal).toMatchObject({ tls: true, apiKey: 'temporal-key' })
})

test('says that the address of Temporal is missing, also if TLS is required', () => {
  const { COLOPHON_TEMPORAL_ADDRESS: _, ...incomplete } = { ...services, COLOPHON_REQUIRE_TLS: 'true' }
  expect(errorsFrom(loadServeConfig, incomplete)).toContainEqual(
    expect.stringContaining('COLOPHON_TEMPORAL_ADDRESS is required'),
  )
})

test('rejects every unencrypted connection to another machine if TLS is required', () => {
  const plain = {
    ...services,
    COLOPHON_REQUIRE_TLS: 'true',
    COLOPHON_DATABASE_URL: 'postgres://colophon:hunter2@db.internal/colophon?sslmode=require',
    COLOPHON_CLICKHOUSE_URL: 'http://clickhouse.internal:8123/colophon',
    COLOPHON_TEMPORAL_ADDRESS: 'temporal.internal:7233',
    COLOPHON_LISTEN: '0.0.0.0:8080',
    COLOPHON_PUBLIC_URL: 'https://docs.example.com',
    COLOPHON_GATEWAY_LISTEN: '0.0.0.0:8090',
    COLOPHON_SMTP_URL: 'smtp://mail.internal?ignoreTLS=true',
    COLOPHON_MAIL_FROM: 'docs@example.com',
    COLOPHON_OIDC_ISSUER: 'http://login.internal',
    COLOPHON_OIDC_CLIENT_ID: 'colophon',
    COLOPHON_OIDC_CLIENT_SECRET: 'secret',
    COLOPHON_AUDIT_WEBHOOK_URL: 'http://collector.internal',
    COLOPHON_AUDIT_WEBHOOK_SECRET: 'x'.repeat(32),
  }
  const errors = errorsFrom(loadServeConfig, plain)
  expect(errors.map((error) => /COLOPHON_(?!REQUIRE)\w+/.exec(error)?.[0]).toSorted()).toEqual([
    'COLOPHON_AUDIT_WEBHOOK_URL',
    'COLOPHON_CLICKHOUSE_URL',
    'COLOPHON_DATABASE_URL',
    'COLOPHON_GATEWAY_TLS_CERT_FILE',
    'COLOPHON_OIDC_ISSUER',
    'COLOPHON_SMTP_URL',
    'COLOPHON_TEMPORAL_TLS',
    'COLOPHON_TLS_CERT_FILE',
  ])
  expect(errors.join()).not.toContain('hunter2')
  expect(loadServeConfig({ ...plain, COLOPHON_REQUIRE_TLS: 'false' }).api.services.temporal.tls).toBe(false)
  const encrypted = {
    ...plain,
    COLOPHON_DATABASE_URL: 'postgres://colophon:hunter2@db.internal/colophon?sslmode=verify-full',
    COLOPHON_CLICKHOUSE_URL: 'https://clickhouse.internal:8443/colophon',
    COLOPHON_TEMPORAL_TLS: 'true',
    COLOPHON_TLS_CERT_FILE: '/etc/tls/cert.pem',
    COLOPHON_TLS_KEY_FILE: '/etc/tls/key.pem',
    COLOPHON_GATEWAY_LISTEN: '127.0.0.1:8090',
    COLOPHON_SMTP_URL: 'smtp://mail.internal',
    COLOPHON_OIDC_ISSUER: 'https://login.internal',
    COLOPHON_AUDIT_WEBHOOK_URL: 'https://collector.internal',
  }
  expect(loadServeConfig(encrypted).api.publicUrl).toBe('https://docs.example.com')
  const runner = { COLOPHON_REQUIRE_TLS: 'true', COLOPHON_RUNNER_TOKEN: 'x' }
  expect(errorsFrom(loadRunnerConfig, { ...runner, COLOPHON_GATEWAY_URL: 'http://worker.internal:8090' })).toEqual([
    'COLOPHON_REQUIRE_TLS is set, but COLOPHON_GATEWAY_URL is not encrypted: use an https:// URL',
  ])
  expect(loadRunnerConfig({ ...runner, COLOPHON_GATEWAY_URL: 'http://localhost:8090' }).token).toBe('x')
})

test('rejects an unencrypted public URL, except on loopback', () => {
  const environment = { ...services, COLOPHON_LISTEN: '0.0.0.0:8080' }
  expect(errorsFrom(loadApiConfig, environment)).toEqual([expect.stringContaining('COLOPHON_PUBLIC_URL is required')])
  expect(errorsFrom(loadApiConfig, { ...environment, COLOPHON_PUBLIC_URL: 'http://docs.example.com' })).toEqual([
    expect.stringContaining('must start with https://'),
  ])
  const config = loadApiConfig({ ...environment, COLOPHON_PUBLIC_URL: 'https://docs.example.com/colophon/' })
  expect(config.publicUrl).toBe('https://docs.example.com/colophon')
})

test('does not accept a host name that only looks like loopback', () => {
  const environment = { ...services, COLOPHON_PUBLIC_URL: 'http://127.example.com' }
  expect(errorsFrom(loadApiConfig, environment)).toEqual([expect.stringContaining('must start with https://')])
})

test('reads a secret from a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-config-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'token')
  writeFileSync(file, 'from-the-file\n')
  const environment = { COLOPHON_GATEWAY_URL: 'http://localhost:8090', COLOPHON_RUNNER_TOKEN_FILE: file }
  expect(loadRunnerConfig(environment).token).toBe('from-the-file')
  expect(errorsFrom(loadRunnerConfig, { ...environment, COLOPHON_RUNNER_TOKEN: 'x' })).toEqual([
    'COLOPHON_RUNNER_TOKEN and COLOPHON_RUNNER_TOKEN_FILE are both set: remove one',
  ])
  expect(errorsFrom(loadRunnerConfig, { ...environment, COLOPHON_RUNNER_TOKEN_FILE: '/nowhere' })).toContain(
    'COLOPHON_RUNNER_TOKEN_FILE must be the path of a readable file, got /nowhere',
  )
})

test('reads only secrets from files', () => {
  expect(errorsFrom(loadServeConfig, { ...services, COLOPHON_LOG_LEVEL_FILE: '/etc/level' })).toEqual([
    'COLOPHON_LOG_LEVEL_FILE is not a known setting; did you mean COLOPHON_LOG_LEVEL?',
  ])
})

test('accepts an IPv6 address to listen on', () => {
  const config = loadApiConfig({ ...services, COLOPHON_LISTEN: '[::1]:9000' })
  expect(config.http.listen).toEqual({ host: '::1', port: 9000 })
})

test('reads where to report vulnerabilities', () => {
  const contactFrom = (settings: EnvironmentVariables) => loadApiConfig({ ...services, ...settings }).securityContact
  expect(contactFrom({})).toBeUndefined()
  expect(
    contactFrom({
      COLOPHON_SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report',
      COLOPHON_SECURITY_POLICY_URL: 'https://example.com/policy',
    }),
  ).toEqual({
    contacts: ['mailto:security@example.com', 'https://example.com/report'],
    policyUrl: 'https://example.com/policy',
  })
})

test.each(['security@example.com', 'http://example.com', 'mailto:a@example.com\nContact: mailto:b@example.com'])(
  'rejects the security contact %j',
  (contact) => {
    expect(errorsFrom(loadApiConfig, { ...services, COLOPHON_SECURITY_CONTACT: contact })).toEqual([
      expect.stringContaining('COLOPHON_SECURITY_CONTACT must be a comma-separated list of URIs like mailto:'),
    ])
  },
)

test('rejects a security policy without TLS', () => {
  const settings = { ...services, COLOPHON_SECURITY_POLICY_URL: 'http://example.com/policy' }
  expect(errorsFrom(loadApiConfig, settings)).toEqual([
    'COLOPHON_SECURITY_POLICY_URL must be a URL that starts with https://, got http://example.com/policy',
  ])
})

const backupSchedule = {
  ...services,
  COLOPHON_BACKUP_STORAGE: '/var/backups',
  COLOPHON_BACKUP_RECIPIENTS: 'age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg',
}

test.each(['17 2 * * *', '*/15 0-6,22,23 1-15/2 12 0,7', '0 0 31 1 5'])('accepts the schedule %s', (schedule) => {
  const config = loadBackupScheduleConfig({ ...backupSchedule, COLOPHON_BACKUP_SCHEDULE: schedule })
  expect(config.schedule).toBe(schedule)
})

test.each([
  '0 25 * * *',
  '99 * * * *',
  '** * * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '0 0 0 * *',
  '0 0 * *',
  '@daily',
  '0 0 * JAN *',
])('rejects the schedule %s', (schedule) => {
  const load = () => loadBackupScheduleConfig({ ...backupSchedule, COLOPHON_BACKUP_SCHEDULE: schedule })
  expect(load).toThrow('must be five fields of cron')
})
