/** npm run monitoring: writes the tables of docs/operations/monitoring.md, which come from the catalog of metrics and the alert rules. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type MetricDefinition, metricCatalog } from '../server/src/platform/metrics/catalog.ts'
import { formatTable } from './markdown-table.ts'

export const monitoringPage = join(import.meta.dirname, '../docs/operations/monitoring.md')

const metricTable = /(?<=<!-- metrics -->\n)[\s\S]*?(?=<!-- end -->)/
const alertTable = /(?<=<!-- alerts -->\n)[\s\S]*?(?=<!-- end of alerts -->)/

export const writeTables = (text: string): string =>
  text
    .replace(metricTable, () => `\n${formatMetrics()}\n\n`)
    .replace(alertTable, () => `\n${formatAlerts(readAlerts())}\n\n`)

export const alertsFile = join(import.meta.dirname, '../deploy/monitoring/alerts.yml')

export interface Alert {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

export const readAlerts = (): Alert[] =>
  (parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules)

/** `ColophonProcessDown` → `process-down`: the name of its page in docs/operations/runbooks. */
export const runbookOf = ({ alert }: Pick<Alert, 'alert'>): string =>
  alert
    .replace(/^Colophon/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()

const formatAlerts = (alerts: readonly Alert[]) =>
  formatTable(
    ['alert', 'severity', 'after', 'meaning'],
    alerts.map((alert) => [
      `[${alert.alert}](runbooks/${runbookOf(alert)}.md)`,
      alert.labels.severity,
      alert.for,
      alert.annotations.summary,
    ]),
  )

function formatMetrics(): string {
  const rows = Object.entries<MetricDefinition>(metricCatalog).map(([name, metric]) => [
    `\`${name}\``,
    metric.type,
    metric.processes.length === 3 ? 'all' : metric.processes.map((process) => `\`${process}\``).join(', '),
    formatLabels(metric),
    metric.help,
  ])
  return formatTable(['metric', 'type', 'of', 'labels', 'meaning'], rows)
}

/** Long lists of values are in the API description or explain themselves. */
const maxShownValues = 7

function formatLabels({ labels, perProject }: MetricDefinition): string {
  const shown = Object.entries(labels).map(([label, values]) =>
    values && values.length <= maxShownValues ? `\`${label}\`: ${values.join(', ')}` : `\`${label}\``,
  )
  return [...shown, ...(perProject ? ['(`project`)'] : [])].join('; ')
}

if (import.meta.main) writeFileSync(monitoringPage, writeTables(readFileSync(monitoringPage, 'utf8')))
