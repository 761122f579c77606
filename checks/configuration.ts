/** npm run configuration: writes the tables of docs/configuration.md, which come from the declared settings. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processes } from '../server/src/platform/config.ts'
import type { Shape } from '../server/src/platform/settings/environment-reader.ts'
import { listSettings, type Setting } from '../server/src/platform/settings/setting.ts'
import { settings } from '../server/src/platform/settings/settings.ts'
import { formatTable } from './markdown-table.ts'

export const configurationFile = join(import.meta.dirname, '../docs/configuration.md')

const tablePattern = /(?<=<!-- settings: (\w+) -->\n)[\s\S]*?(?=<!-- end -->)/g

/** Replaces the tables in the text. Each must have its place, once. */
export function writeTables(text: string): string {
  const places = [...text.matchAll(tablePattern)].map(([, section]) => section ?? '')
  const sections: Readonly<Record<string, Shape>> = settings
  if (places.toSorted().join() !== Object.keys(sections).toSorted().join())
    throw new Error(
      `docs/configuration.md has tables for ${places.join(', ')}, not ${Object.keys(sections).join(', ')}`,
    )
  return text.replaceAll(
    tablePattern,
    (_, section: string) => `\n${formatSettings(listSettings(sections[section] ?? {}))}\n\n`,
  )
}

function formatSettings(listed: readonly Setting[]): string {
  const rows = listed.map((setting) => [
    `\`${setting.name}\``,
    formatDefault(setting),
    formatProcesses(setting),
    [setting.meaning, setting.kind.accepts].filter(Boolean).join(' '),
  ])
  return formatTable(['variable', 'default', 'for', 'meaning'], rows)
}

function formatDefault({ documentedDefault, kind }: Setting): string {
  const mark = { secret: ', **secret**', public: ', **file**' }
  return documentedDefault + (kind.file ? mark[kind.file] : '')
}

function formatProcesses(setting: Setting): string {
  const readers = Object.entries(processes).filter(([, shape]) => listSettings(shape).includes(setting))
  if (readers.length === Object.keys(processes).length) return 'all'
  return readers.map(([name]) => `\`${name}\``).join(', ') || 'API clients'
}

if (import.meta.main) writeFileSync(configurationFile, writeTables(readFileSync(configurationFile, 'utf8')))
