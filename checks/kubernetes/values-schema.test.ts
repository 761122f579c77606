/** The Helm chart fits the server of the same commit. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { listSettings } from '../../server/src/platform/settings/setting.ts'
import { settings } from '../../server/src/platform/settings/settings.ts'
import { supportedKubernetes } from './tools.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const schema = JSON.parse(read('deploy/helm/values.schema.json'))
const chart = parse(read('deploy/helm/Chart.yaml'))

/** Settings that have a value of their own in the chart, or none. */
const otherValues = new Set([
  'COLOPHON_API_KEY', // of API clients
  'COLOPHON_BACKUP_KEEP',
  'COLOPHON_BACKUP_RECIPIENTS',
  'COLOPHON_BACKUP_S3_ACCESS_KEY_ID',
  'COLOPHON_BACKUP_S3_ENDPOINT',
  'COLOPHON_BACKUP_S3_REGION',
  'COLOPHON_BACKUP_SCHEDULE',
  'COLOPHON_BACKUP_STORAGE',
  'COLOPHON_DATABASE_API_ROLE',
  'COLOPHON_DATABASE_WORKER_ROLE',
  'COLOPHON_GATEWAY_LISTEN',
  'COLOPHON_GATEWAY_TLS_CERT_FILE',
  'COLOPHON_GATEWAY_TLS_KEY_FILE',
  'COLOPHON_GATEWAY_URL',
  'COLOPHON_LISTEN',
  'COLOPHON_LOG_LEVEL',
  'COLOPHON_METRICS_LISTEN',
  'COLOPHON_PROJECT_ID', // of API clients
  'COLOPHON_PUBLIC_URL',
  'COLOPHON_REQUIRE_TLS', // api has no TLS of its own in the cluster
  'COLOPHON_RUNNER_CGROUPS',
  'COLOPHON_RUNNER_LISTEN',
  'COLOPHON_RUNNER_MAX_CONCURRENT_TURNS',
  'COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS',
  'COLOPHON_SEALING_PUBLIC_KEYS',
  'COLOPHON_SHUTDOWN_DELAY_SECONDS',
  'COLOPHON_TEMPORAL_ADDRESS',
  'COLOPHON_TEMPORAL_NAMESPACE',
  'COLOPHON_TEMPORAL_TLS',
  'COLOPHON_TLS_CERT_FILE', // api has no TLS of its own in the cluster: the Ingress terminates it
  'COLOPHON_TLS_KEY_FILE',
  'COLOPHON_TRUSTED_PROXIES',
  'COLOPHON_URL', // of API clients
])

test('`settings` accepts every setting that has no value of its own and is not a secret', () => {
  const known = listSettings(settings)
  expect(known.length).toBeGreaterThan(40)
  expect([...otherValues.difference(new Set(known.map(({ name }) => name)))]).toEqual([])
  const expected = known.filter(({ name, kind }) => !kind.file && !otherValues.has(name)).map(({ name }) => name)
  expect(Object.keys(schema.properties.settings.properties).toSorted()).toEqual(expected.toSorted())
})

test('the schema rejects unknown names at every level', () => {
  const openObjects = (node: unknown, path: string): string[] => {
    if (typeof node !== 'object' || node === null) return []
    const isOpen = 'properties' in node && 'type' in node && !('additionalProperties' in node)
    return [
      ...(isOpen ? [path] : []),
      ...Object.entries(node).flatMap(([name, child]) => openObjects(child, `${path}/${name}`)),
    ]
  }
  expect(openObjects(schema, '')).toEqual([])
})

test('the chart has the version of the server, and supports the Kubernetes versions that it is checked with', () => {
  const { version } = JSON.parse(read('server/package.json'))
  expect([chart.version, chart.appVersion]).toEqual([version, version])
  const oldest = supportedKubernetes.at(-1)?.version.match(/^v(\d+\.\d+)/)?.[1]
  expect(chart.kubeVersion).toBe(`>=${oldest}.0-0`)
})
