import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createClaimedTurn } from '../../../../testing/harness/claimed-turn.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { operator } from '../../../../testing/harness/test-instance.ts'
import { hashKey } from '../../keys/key-format.ts'

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
