import { expect, test } from 'vitest'
import { startHookReceiver } from './testing/hook-receiver.ts'
import { startTestGithub } from './testing/test-github.ts'

async function withRepositories() {
  const github = await startTestGithub()
  const { control, api } = github
  const permissions = { contents: 'write', pull_requests: 'write', repository_hooks: 'write' } as const
  const tokens: Record<string, string> = {}
  for (const login of ['ada', 'bob']) {
    await control.createUser(login)
    await control.createRepository(login, 'docs')
    tokens[login] = await control.createFineGrainedToken(login, { repositories: [`${login}/docs`], permissions })
  }
  const readRepository = (login: string) => api(tokens[login], 'GET', `/repos/${login}/docs`)
  return { ...github, tokens, readRepository }
}

test('fails the next calls of one account, each with the given fault', async () => {
  const { control, readRepository } = await withRepositories()
  const kinds = ['server_error', 'secondary_limit', 'too_many_requests', 'primary_limit', 'bad_credentials'] as const
  await control.setFaults('ada', { next: kinds.map((kind) => ({ kind })), retryAfterSeconds: 7 })
  expect((await readRepository('ada')).status).toBeGreaterThanOrEqual(500)
  const secondary = await readRepository('ada')
  expect(secondary).toMatchObject({ status: 403, body: { message: expect.stringContaining('secondary rate limit') } })
  expect(secondary.headers.get('retry-after')).toBe('7')
  expect((await readRepository('ada')).status).toBe(429)
  const primary = await readRepository('ada')
  expect([primary.status, primary.headers.get('x-ratelimit-remaining')]).toEqual([403, '0'])
  expect((await readRepository('bob')).status).toBe(200)
  expect(await readRepository('ada')).toMatchObject({ status: 401, body: { message: 'Bad credentials' } })
  expect((await readRepository('ada')).status).toBe(200)
  expect(await control.violations()).toEqual([])
})

test('loses a response after the operation was performed', async () => {
  const { control, api, tokens } = await withRepositories()
  const { head } = await control.repository('ada/docs')
  await control.setFaults('ada', { next: [{ kind: 'lost_response', operation: 'git/create-ref' }] })
  const createRef = () => api(tokens.ada, 'POST', '/repos/ada/docs/git/refs', { ref: 'refs/heads/x', sha: head })
  await expect(createRef()).rejects.toThrow('fetch failed')
  expect((await control.branches('ada/docs')).x).toBe(head)
  expect((await createRef()).body.message).toBe('Reference already exists')
  expect((await control.calls()).filter(({ isLost }) => isLost)).toMatchObject([
    { operation: 'git/create-ref', status: 201 },
  ])
})

test('repeats the same faults for the same seed, for the given time', async () => {
  const { control, readRepository } = await withRepositories()
  const drawFaults = async () => {
    await control.setFaults('ada', { chances: { server_error: 0.5 }, seed: 42, forSeconds: 60 })
    const statuses: boolean[] = []
    for (let call = 0; call < 12; call++) statuses.push((await readRepository('ada')).status === 200)
    return statuses
  }
  const first = await drawFaults()
  expect(new Set(first).size).toBe(2)
  expect(await drawFaults()).toEqual(first)
  await control.setFaults('ada', { chances: { server_error: 1 }, forSeconds: 0 })
  expect((await readRepository('ada')).status).toBe(200)
})

test('drops, duplicates and redelivers webhooks', async () => {
  const { control, api, tokens } = await withRepositories()
  const receiver = await startHookReceiver()
  const config = { url: receiver.url, content_type: 'json', secret: 's' }
  await api(tokens.ada, 'POST', '/repos/ada/docs/hooks', { config, events: ['push'] })
  await control.setFaults('ada', { webhooks: { drop: 1 } })
  await control.pushFile('ada/docs', 'main', 'a.md', 'A')
  await control.setFaults('ada', { webhooks: { duplicate: 1, maxDelayMs: 50 } })
  await control.pushFile('ada/docs', 'main', 'a.md', 'B')
  const sent = await control.deliveries('ada')
  expect(sent.map(({ event, isDropped }) => [event, isDropped])).toEqual([
    ['ping', false],
    ['push', true],
    ['push', false],
  ])
  expect(receiver.received).toHaveLength(3)
  await control.redeliver(2)
  await control.deliveries()
  expect(receiver.received.at(-1)?.headers['x-github-delivery']).toBe(sent[1]?.guid)
  expect(await control.deliveries('bob')).toEqual([])
})
