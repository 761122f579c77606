import { gunzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import type { Id } from '../../platform/ids.ts'
import { loadClientDetector } from '../classify/client-detector.ts'
import { createLogLineParser } from '../log-formats/parse-log-line.ts'
import { findCoverage } from '../query/find-coverage.ts'
import { AnalyticsSettingsStore } from '../settings/analytics-settings-store.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import type { ImportSummary, LogFile } from './import-in-chunks.ts'
import { type ImportDeps, importLog } from './import-log.ts'
import { ImportStore } from './import-store.ts'

const instance = await createViewsTestInstance(inject('services'), 'import logs')
afterAll(() => instance.drop())

const clientDetector = loadClientDetector()
const readLine = createLogLineParser()
const settings = new AnalyticsSettingsStore(instance.db)

async function newSite(): Promise<ImportDeps & { projectId: Id<'prj'> }> {
  const projectId = await instance.newProject('Logs')
  await settings.change(projectId, { humanSource: 'servers' }, { kind: 'operator' })
  const buffer = instance.newBuffer()
  return {
    projectId,
    runs: new ImportStore(instance.db, projectId),
    append: (delivery) => buffer.append(delivery),
    recordOutcome: () => {},
    site: await settings.read(projectId),
    clientDetector,
  }
}

/** So old that views with this time are accepted only in imports. */
const line = (page: number, suffix = '') =>
  `203.0.113.7 - - [09/Mar/2016:23:59:58 +0000] "GET /page/${page} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11) Gecko/1 Firefox/1${suffix}"\n`
const lines = (count: number, from = 0) => Array.from({ length: count }, (_, index) => line(from + index)).join('')

const fileOf = (text: string, isBeingWritten = false): LogFile => ({
  isBeingWritten,
  async *read() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007)
  },
})

/** How often each page was counted. */
async function countsOf(projectId: Id<'prj'>): Promise<Map<string, number>> {
  const { rows } = await instance.pool.query<{ body: Buffer }>('SELECT body FROM view_batch')
  const counts = new Map<string, number>()
  for (const view of rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))) {
    const [project, , path] = JSON.parse(view) as [string, string, string]
    if (project === projectId) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return counts
}

async function expectEachOnce(projectId: Id<'prj'>, pages: number) {
  const counts = await countsOf(projectId)
  expect(counts.size).toBe(pages)
  expect(new Set(counts.values())).toEqual(new Set([1]))
}

test('reports humans of an import as measured, whichever source counts them afterwards', async () => {
  const { projectId, ...deps } = await newSite()
  await settings.change(projectId, { humanSource: 'script' }, { kind: 'operator' }) // during the import, or later
  await importLog(fileOf(lines(3)), readLine, deps)
  const year = (number: number) => ({ from: new Date(Date.UTC(number, 0)), to: new Date(Date.UTC(number + 1, 0)) })
  const coverage = (number: number) => findCoverage(instance.db, { projectId, range: year(number) })
  expect(await coverage(2016)).toEqual({ human: 'measured', ai: 'measured' })
  expect(await coverage(2017)).toEqual({ human: 'not_measured', ai: 'not_measured' })
})

test('counts a file of any age, but not a second time', async () => {
  const site = await newSite()
  const text = `${lines(12_000)}not a request\n${line(0).replace('GET', 'POST')}${'x'.repeat(300_000)}\n\n${line(12_000)}`
  expect(await importLog(fileOf(text), readLine, site)).toEqual({
    lines: 12_005,
    counted: 12_001,
    dropped: { not_get: 1 },
    unreadableLines: 3,
    ignoredLines: 0,
    alreadyImportedLines: 0,
  } satisfies ImportSummary)
  expect(await importLog(fileOf(text), readLine, site)).toEqual({
    lines: 12_005,
    counted: 0,
    dropped: {},
    unreadableLines: 0,
    ignoredLines: 0,
    alreadyImportedLines: 12_005,
  } satisfies ImportSummary)
  await expectEachOnce(site.projectId, 12_001)
  expect(JSON.stringify(await instance.db.selectFrom('import_run').selectAll().execute())).not.toContain('203.0.113')
})

test('a file in which a wrong host matched no line can be imported with the right one', async () => {
  const site = await newSite()
  const jsonLine = (page: number) =>
    JSON.stringify({ at: 1_457_567_998, method: 'GET', host: 'docs.example.com', path: `/page/${page}`, status: 200 })
  const text = Array.from({ length: 12_000 }, (_, page) => `${jsonLine(page)}\n`).join('')
  const importWith = (host: string) => importLog(fileOf(text), createLogLineParser({ host }), site)
  expect(await importWith('docs.exmaple.com')).toMatchObject({ lines: 12_000, counted: 0, ignoredLines: 12_000 })
  expect(await site.runs.list()).toEqual([])
  expect(await importWith('docs.example.com')).toMatchObject({ counted: 12_000, alreadyImportedLines: 0 })
  expect(await importWith('docs.example.com')).toMatchObject({ counted: 0, alreadyImportedLines: 12_000 })
  await expectEachOnce(site.projectId, 12_000)
})

test('continues a file that has grown, and counts an incomplete line once it is complete', async () => {
  const site = await newSite()
  const text = lines(9_000)
  const oneThird = text.length / 3
  const insideLastLine = text.length - 10
  for (const end of [1000, oneThird, insideLastLine]) await importLog(fileOf(text.slice(0, end), true), readLine, site)
  expect((await countsOf(site.projectId)).size).toBe(8_999)
  await importLog(fileOf(text), readLine, site)
  await expectEachOnce(site.projectId, 9_000)
})

test('treats a file with the same beginning but other lines as a different file', async () => {
  const site = await newSite()
  await importLog(fileOf(lines(10)), readLine, site)
  const otherText = lines(5) + line(100) + line(101)
  expect(await importLog(fileOf(otherText), readLine, site)).toMatchObject({
    counted: 7,
    alreadyImportedLines: 0,
  } satisfies Partial<ImportSummary>)
})

test('counts every line once when it is killed at any moment and restarted on a longer file', async () => {
  const site = await newSite()
  const killed = new Error('killed')
  const failAt = (at: number, when: 'before' | 'after'): ImportDeps['append'] => {
    let calls = 0
    return async (delivery) => {
      if (++calls < at) return site.append(delivery)
      if (when === 'after') await site.append(delivery)
      throw killed
    }
  }
  for (const [pages, at, when] of [
    [3_000, 1, 'before'],
    [4_000, 1, 'after'],
    [16_000, 2, 'after'],
    [16_500, 2, 'before'],
    [17_000, 2, 'after'],
  ] as const) {
    const deps = { ...site, append: failAt(at, when) }
    await expect(importLog(fileOf(lines(pages)), readLine, deps)).rejects.toBe(killed)
  }
  await importLog(fileOf(lines(17_500)), readLine, site)
  await expectEachOnce(site.projectId, 17_500)
  const [run, ...others] = await site.runs.list()
  expect([run?.views, others]).toEqual([17_500, []])
})

test('counts a request with a future time as of now', async () => {
  const site = await newSite()
  const now = Date.now()
  const times: number[] = []
  const append: ImportDeps['append'] = async ({ views }) => {
    times.push(...views.map(({ at }) => at.getTime()))
    return 'stored'
  }
  await importLog(fileOf(line(1).replace('2016', '9016')), readLine, { ...site, append })
  expect(times).toHaveLength(1)
  expect(Math.abs((times[0] ?? 0) - now)).toBeLessThan(10_000)
})

test('the header of a file says how to read lines that were added after an earlier import', async () => {
  const site = await newSite()
  const header = '#Version: 1.0\n#Fields: date time cs-uri-stem sc-status cs-method cs(User-Agent)\n'
  const entry = (page: number) => `2016-03-09\t23:59:58\t/page/${page}\t200\tGET\tMozilla/5.0%20Gecko/1%20Firefox/1\n`
  const first = await importLog(fileOf(`${header}${entry(0)}`), createLogLineParser(), site)
  expect(first).toMatchObject({ lines: 3, counted: 1, ignoredLines: 2, unreadableLines: 0 })
  const second = await importLog(fileOf(`${header}${entry(0)}${entry(1)}`), createLogLineParser(), site)
  expect(second).toMatchObject({ lines: 4, counted: 1, alreadyImportedLines: 3, unreadableLines: 0 })
  await expectEachOnce(site.projectId, 2)
})
