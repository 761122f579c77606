import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createClaimedTurn } from '../../../../testing/harness/claimed-turn.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { operator } from '../../../../testing/harness/test-instance.ts'
import { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { hashKey } from '../../keys/key-format.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { loadApiConfig } from '../../platform/config.ts'
import { exportProjectRoute } from './export-project.ts'

const api = await startTestApi(inject('services'), 'export project')
afterAll(() => api.drop())
await api.addModel()

test('exports everything of a project, and no secret', async () => {
  const { projectId, client, secret } = await api.createProject('Handbook')
  const neighbor = await api.createProject('Neighbor')
  await createClaimedTurn(api, neighbor.projectId, 'test-model')
  const { jobId, attemptToken } = await createClaimedTurn(api, projectId, 'test-model')
  const attempt = await api.stores.attempts.findLive(hashKey(attemptToken))
  if (!attempt) throw new Error('no attempt')
  await api.stores.events.append(attempt, 0, [{ type: 'text', text: 'Reading the page.' }])
  const siteKey = await api.stores.analyticsSettings.createSiteKey(projectId, operator)

  const directory = mkdtempSync(join(tmpdir(), 'colophon-export-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const archive = Buffer.from(await new Response(await client.projects.export(projectId)).arrayBuffer())
  writeFileSync(join(directory, 'project.tar.gz'), archive)
  execFileSync('tar', ['--extract', '--gzip', '--file', 'project.tar.gz'], { cwd: directory })
  const read = (name: string) => readFileSync(join(directory, projectId, name), 'utf8')
  const readLines = (name: string) =>
    read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  expect(JSON.parse(read('manifest.json'))).toMatchObject({
    formatVersion: 1,
    projectId,
    counts: { jobs: 1, events: 1, keys: 1, members: 0, views: 0, spend: 0 },
  })
  expect(JSON.parse(read('project.json'))).toMatchObject({ name: 'Handbook', siteKeys: [{ key: siteKey.key }] })
  expect(readLines('jobs/000001.ndjson')).toMatchObject([{ id: jobId, messages: [{ prompt: 'Fix it.' }], diff: null }])
  expect(readLines('events/000001.ndjson')).toMatchObject([{ jobId, event: { text: 'Reading the page.' } }])
  expect(readLines('audit/000001.ndjson').map(({ action }) => action)).toContain('project.created')
  const everything = execFileSync('tar', ['--extract', '--gzip', '--to-stdout', '--file', 'project.tar.gz'], {
    cwd: directory,
    encoding: 'utf8',
  })
  expect(everything).not.toContain(secret)
  expect(everything).not.toContain(neighbor.projectId)
})

test('is for owners, one at a time', async () => {
  const { projectId, client } = await api.createProject('Busy')
  const viewer = await api.signIn({ projectId, role: 'viewer' })
  await expect(viewer.client.projects.export(projectId)).rejects.toMatchObject({ code: 'insufficient_role' })
  const first = await client.projects.export(projectId)
  await first.cancel()
  const exportAgain = async () => (await new Response(await client.projects.export(projectId)).arrayBuffer()).byteLength
  await expect.poll(() => exportAgain().catch(() => 0)).toBeGreaterThan(0)
})

test('an export whose recipient stops reading ends, and others can begin', async () => {
  const { projectId } = await api.createProject('Large')
  const { attemptToken } = await createClaimedTurn(api, projectId, 'test-model')
  const attempt = await api.stores.attempts.findLive(hashKey(attemptToken))
  if (!attempt) throw new Error('no attempt')
  const text = () => randomBytes(20_000).toString('base64') // more than fits into the buffers, also compressed
  const events = Array.from({ length: 20 }, () => ({ type: 'text' as const, text: text() }))
  await api.stores.events.append(attempt, 0, events)

  const clickhouse = createClickhouse(loadApiConfig(api.environment).services.clickhouse)
  onTestFinished(() => clickhouse.close())
  const siteCache = new AnalyticsSiteCache(api.stores.analyticsSettings)
  const viewReports = new ViewReportReader(clickhouse, api.database, siteCache)
  const { handle } = exportProjectRoute({ ...api.stores, viewReports }, 1)
  const http = { requestId: 'req_test', ipAddress: '127.0.0.1', cookieHeader: '', userAgent: '' }
  const unused = { params: {}, query: {}, headers: {}, body: undefined }
  const request = { projectId, http, recheckAccess: async () => {}, ...unused }
  const open = async () => (await handle(request as Parameters<typeof handle>[0])).body as Readable
  const unread = await open()
  const ended = once(unread, 'error')
  await expect(open()).rejects.toMatchObject({ code: 'rate_limited' })
  expect(String(await ended)).toContain('stopped reading')
  const next = await vi.waitFor(open)
  next.on('error', () => {}).destroy()
})
