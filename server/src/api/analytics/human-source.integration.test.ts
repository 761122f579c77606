import { gunzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api human source')
afterAll(() => api.drop())

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36'

async function newProject() {
  const { projectId, client, key } = await api.createProject('Handbook')
  return {
    projectId,
    client,
    apiKeyId: key.id,
    ingest: async (path: string) => {
      const { counted, dropped } = await client.views.ingest(projectId, { views: [{ path, userAgent: browser }] })
      return { counted, dropped }
    },
  }
}

const sendBeacon = (siteKey: string, path: string) =>
  fetch(`${api.url}/v1/collect`, {
    method: 'POST',
    headers: { 'user-agent': browser },
    body: JSON.stringify({ key: siteKey, id: path.slice(1), path }),
  })

/** The paths and sources of the buffered views of a project. */
async function bufferedViews(projectId: string): Promise<unknown[]> {
  const { rows } = await api.pool.query<{ body: Buffer }>('SELECT body FROM view_batch ORDER BY id')
  const lines = rows.flatMap(({ body }) => gunzipSync(body).toString().trim().split('\n'))
  const views = lines.map((line) => JSON.parse(line) as unknown[]).filter(([owner]) => owner === projectId)
  return views.map(([, , path, , , , , , , source]) => `${path} from ${source}`)
}

test('counts humans from servers in a new project, and from the script after the first site key', async () => {
  const { projectId, client, apiKeyId, ingest } = await newProject()
  expect(await ingest('/before')).toEqual({ counted: 1, dropped: {} })

  const { key, humanSourceSwitched } = await client.views.createSiteKey(projectId)
  expect(humanSourceSwitched).toBe(true)
  expect(await client.views.settings(projectId)).toMatchObject({ humanSource: 'script' })
  expect(await ingest('/after')).toEqual({ counted: 0, dropped: { counted_elsewhere: 1 } })
  expect((await sendBeacon(key, '/after')).status).toBe(204)
  expect(await bufferedViews(projectId)).toEqual(['/before from servers', '/after from script'])

  const { entries } = await client.audit.list(projectId, { limit: 2 })
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'analytics.settings_changed',
      actor: apiKeyId,
      subject: projectId,
      detail: { humanSource: 'script', reason: 'first_site_key' },
    }),
  )
  expect(await client.views.createSiteKey(projectId)).toMatchObject({ humanSourceSwitched: false })
})

test('keeps an explicit choice when the first site key is created, and lets it be changed later', async () => {
  const { projectId, client, ingest } = await newProject()
  await client.views.changeSettings(projectId, { humanSource: 'servers' })
  const { key, humanSourceSwitched } = await client.views.createSiteKey(projectId)
  expect(humanSourceSwitched).toBe(false)
  expect(await ingest('/chosen')).toEqual({ counted: 1, dropped: {} })
  await sendBeacon(key, '/chosen')
  expect(await bufferedViews(projectId)).toEqual(['/chosen from servers'])

  await client.views.changeSettings(projectId, { humanSource: 'script' })
  expect(await ingest('/changed')).toEqual({ counted: 0, dropped: { counted_elsewhere: 1 } })
  await sendBeacon(key, '/changed')
  expect(await bufferedViews(projectId)).toEqual(['/chosen from servers', '/changed from script'])
})
