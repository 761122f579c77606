import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  ConfigError,
  type Environment,
  loadApiConfig,
  loadCodeHostConfig,
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

function mistakesOf(load: (environment: Environment) => unknown, environment: Environment): readonly string[] {
  try {
    load(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

test('three settings are enough for a start on loopback', () => {
  expect(loadServeConfig(services).api).toMatchObject({
    publicUrl: 'http://localhost:8080',
    http: { listen: { host: '127.0.0.1', port: 8080 }, tls: undefined, trustedProxies: [] },
    services: { postgres: { poolSize: 10 }, temporal: { namespace: 'colophon', tls: false } },
    log: { level: 'info' },
  })
})

test('what clients read may be set beside it, and either half of a key seals', () => {
  const client = { COLOPHON_URL: 'http://localhost:8080', COLOPHON_PROJECT_ID: 'prj_1', COLOPHON_API_KEY: 'colophon_1' }
  const halves = [
    { COLOPHON_SEALING_PUBLIC_KEYS: keys.publicEntry },
    { COLOPHON_SEALING_PRIVATE_KEYS: keys.privateEntry },
  ]
  for (const half of halves) expect(mistakesOf(loadCodeHostConfig, { ...client, ...half })).toEqual([])
  expect(mistakesOf(loadCodeHostConfig, client)).toEqual([
    expect.stringMatching(/^COLOPHON_SEALING_PUBLIC_KEYS is missing/),
  ])
})

test('every mistake is named at once, and once', () => {
  const mistakes = mistakesOf(loadServeConfig, {
    COLOPHON_DATABASE_URL: 'mysql://root:hunter2@db/x',
    COLOPHON_LISTEN: 'somewhere',
    COLOPHON_LOG_LEVEL: 'loud',
    COLOPHON_DATABASE_POOL_SIZE: '0',
    COLOPHON_TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
    COLOPHON_TLS_CERT_FILE: '/tls/cert.pem',
    COLOPHON_CLICKHOUSE_ULR: 'http://localhost:8123',
  })
  expect(mistakes).toHaveLength(11)
  for (const start of [
    'COLOPHON_CLICKHOUSE_ULR is not a setting of Colophon; did you mean COLOPHON_CLICKHOUSE_URL?',
    'COLOPHON_DATABASE_URL is not an address',
    'COLOPHON_DATABASE_POOL_SIZE has to be a whole number from 1 to 1000, not 0',
    'COLOPHON_CLICKHOUSE_URL is missing',
    'COLOPHON_TEMPORAL_ADDRESS is missing',
    'COLOPHON_SEALING_PRIVATE_KEYS is missing',
    'COLOPHON_SESSION_SECRET is missing',
    'COLOPHON_LOG_LEVEL has to be one of debug, info, warn, error, not loud',
    'COLOPHON_LISTEN has to be host:port',
    'COLOPHON_TRUSTED_PROXIES has to list addresses or networks, like 10.0.0.0/8, not nonsense',
    'COLOPHON_TLS_CERT_FILE and COLOPHON_TLS_KEY_FILE go together',
  ]) {
    expect(mistakes.some((mistake) => mistake.startsWith(start))).toBe(true)
  }
  expect(mistakes.join()).not.toContain('hunter2')
})

test('a public URL that strangers can listen to is refused, loopback is not', () => {
  const environment = { ...services, COLOPHON_LISTEN: '0.0.0.0:8080' }
  expect(mistakesOf(loadApiConfig, environment)).toEqual([expect.stringContaining('COLOPHON_PUBLIC_URL is missing')])
  expect(mistakesOf(loadApiConfig, { ...environment, COLOPHON_PUBLIC_URL: 'http://docs.example.com' })).toEqual([
    expect.stringContaining('must be https'),
  ])
  const config = loadApiConfig({ ...environment, COLOPHON_PUBLIC_URL: 'https://docs.example.com/colophon/' })
  expect(config.publicUrl).toBe('https://docs.example.com/colophon')
})

test('a name that only looks like loopback is not', () => {
  const environment = { ...services, COLOPHON_PUBLIC_URL: 'http://127.example.com' }
  expect(mistakesOf(loadApiConfig, environment)).toEqual([expect.stringContaining('must be https')])
})

test('a secret may come from a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-config-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'token')
  writeFileSync(file, 'from-the-file\n')
  const environment = { COLOPHON_GATEWAY_URL: 'http://localhost:8090', COLOPHON_RUNNER_TOKEN_FILE: file }
  expect(loadRunnerConfig(environment).token).toBe('from-the-file')
  expect(mistakesOf(loadRunnerConfig, { ...environment, COLOPHON_RUNNER_TOKEN: 'x' })).toEqual([
    'COLOPHON_RUNNER_TOKEN and COLOPHON_RUNNER_TOKEN_FILE are both set: keep one',
  ])
  expect(mistakesOf(loadRunnerConfig, { ...environment, COLOPHON_RUNNER_TOKEN_FILE: '/nowhere' })).toContain(
    'COLOPHON_RUNNER_TOKEN_FILE names /nowhere, which cannot be read',
  )
})

test('only a secret has a file', () => {
  expect(mistakesOf(loadServeConfig, { ...services, COLOPHON_LOG_LEVEL_FILE: '/etc/level' })).toEqual([
    'COLOPHON_LOG_LEVEL_FILE is not a setting of Colophon; did you mean COLOPHON_LOG_LEVEL?',
  ])
})

test('IPv6 addresses can be listened on', () => {
  const config = loadApiConfig({ ...services, COLOPHON_LISTEN: '[::1]:9000' })
  expect(config.http.listen).toEqual({ host: '::1', port: 9000 })
})
