/** Catalog, alert rules, dashboard, runbooks and docs name the same metrics and alerts. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type MetricDefinition, metricCatalog } from '../server/src/platform/metrics/catalog.ts'
import { alertsFile, monitoringPage, readAlerts, runbookOf, writeTables } from './monitoring.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = readFileSync(monitoringPage, 'utf8')
const metrics = Object.entries<MetricDefinition>(metricCatalog)
const alerts = readAlerts()
const dashboard = read('deploy/monitoring/dashboard.json')
const rules = readFileSync(alertsFile, 'utf8')
const runbooks = globSync('docs/operations/runbooks/*.md', { cwd: root })

/** The names of series of a metric. */
const seriesOf = (name: string, { type }: MetricDefinition) =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
const namedIn = (text: string) => [...new Set(text.match(/\bcolophon_[a-z_]+[a-z]\b/g))]
const knownSeries = new Set(metrics.flatMap(([name, metric]) => seriesOf(name, metric)))

test('the tables of docs/operations/monitoring.md match the catalog and the rules; if not, run `npm run monitoring`', () => {
  expect(page).toBe(writeTables(page))
})

test.each(metrics)('%s follows the conventions of Prometheus', (name, { type, help, buckets }) => {
  expect(name).toMatch(/^colophon_[a-z_]+$/)
  expect(name.endsWith('_total')).toBe(type === 'counter')
  expect(buckets !== undefined).toBe(type === 'histogram')
  if (type === 'histogram') expect(name).toMatch(/_seconds$/)
  expect(help).toMatch(/^[A-Z1].*\.$/s)
})

test('no label can have values that users choose, except the version', () => {
  const open = metrics.flatMap(([name, { labels }]) =>
    Object.entries(labels).flatMap(([label, values]) => (values === null ? `${name} ${label}` : [])),
  )
  expect(open).toEqual(['colophon_process_info version'])
})

test.each([
  ['deploy/monitoring/alerts.yml', rules],
  ['deploy/monitoring/dashboard.json', dashboard],
  ['deploy/monitoring/alerts.test.yml', read('deploy/monitoring/alerts.test.yml')],
])('%s names only series that exist', (_, text) => {
  expect(namedIn(text).filter((name) => !knownSeries.has(name))).toEqual([])
})

test('every metric is shown on the dashboard or alerted on', () => {
  const used = new Set([...namedIn(rules), ...namedIn(dashboard)])
  expect(metrics.filter(([name, metric]) => !seriesOf(name, metric).some((series) => used.has(series)))).toEqual([])
})

test.each(['alerts.yml', 'dashboard.json'])('%s selects only labels and values that exist', (file) => {
  const selectors = [...read(`deploy/monitoring/${file}`).matchAll(/\b(colophon_[a-z_]+)\{([^}]+)\}/g)]
  expect(selectors.length).toBeGreaterThan(0)
  for (const [, series = '', matchers = ''] of selectors) {
    const [, { labels }] = metrics.find(([name, metric]) => seriesOf(name, metric).includes(series)) ?? [
      '',
      { labels: {} },
    ]
    for (const [, label = '', operator, pattern = ''] of matchers.matchAll(/(\w+)(=~|!=|=)\\?"([^"\\]*)\\?"/g)) {
      const values = (labels as MetricDefinition['labels'])[label]
      expect(values, `${series} has the label ${label}`).toBeTruthy()
      const alternatives = operator === '=~' ? pattern.split('|') : [pattern]
      for (const alternative of alternatives)
        expect(
          values?.some((value) => new RegExp(`^(?:${alternative})$`).test(value)),
          `${label}=${alternative}`,
        ).toBe(true)
    }
  }
})

test.each(alerts)('$alert has a severity, texts and a runbook', (alert) => {
  const { labels, annotations } = alert
  expect(alert.alert).toMatch(/^Colophon([A-Z][a-z]+)+$/)
  expect(alert.for).toMatch(/^\d+[mh]$/)
  expect(['critical', 'warning', 'info']).toContain(labels.severity)
  expect(annotations.summary).toMatch(/^[A-Z].*[^.]$/)
  expect(annotations.description).toMatch(/\.$/)
  expect(annotations.runbook_url).toBe(`https://colophon.example.com/docs/operations/runbooks/${runbookOf(alert)}`)
  const text = read(`docs/operations/runbooks/${runbookOf(alert)}.md`)
  expect(text.split('\n').slice(0, 3)).toEqual([
    `# ${alert.alert}`,
    '',
    `${annotations.summary}. Severity: ${labels.severity}.`,
  ])
  expect(text.match(/^## .*$/gm)).toEqual([
    '## Symptom',
    '## Likely causes',
    '## Commands',
    '## What to do',
    '## Who to call',
  ])
})

test('every runbook belongs to an alert, and names only metrics that exist', () => {
  expect(runbooks.map((file) => basename(file, '.md')).toSorted()).toEqual(alerts.map(runbookOf).toSorted())
  const named = runbooks.flatMap((file) =>
    [...read(file).matchAll(/`(colophon_[a-z_]+)`/g)].map(([, name = '']) => name),
  )
  expect(named.filter((name) => !knownSeries.has(name))).toEqual([])
})

test('every alert has a test in which it fires, and one in which its metrics are healthy', () => {
  const { tests } = parse(read('deploy/monitoring/alerts.test.yml')) as {
    tests: {
      input_series: { series: string }[]
      promql_expr_test: { exp_samples: { labels: string }[] }[]
    }[]
  }
  const cases = tests.map(({ input_series, promql_expr_test }) => ({
    series: input_series.map(({ series }) => series.replace(/\{.*/, '')),
    firing: promql_expr_test.flatMap(({ exp_samples }) => exp_samples.map(({ labels }) => labels)),
  }))
  for (const { alert, expr } of alerts) {
    expect(
      cases.filter(({ firing }) => firing.includes(`{alertname="${alert}"}`)),
      alert,
    ).toHaveLength(1)
    const healthy = cases.filter(
      ({ series, firing }) => firing.length === 0 && series.some((name) => new RegExp(`\\b${name}\\b`).test(expr)),
    )
    expect(healthy.length, `${alert} with healthy metrics`).toBeGreaterThan(0)
  }
})
