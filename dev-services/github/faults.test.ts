import { expect, test } from 'vitest'
import { hookReceiver } from './testing/hook-receiver.ts'
import { testGithub } from './testing/test-github.ts'

async function withRepositories() {
  const github = await testGithub()
  const { control, api } = github
  const permissions = { contents: 'write', pull_requests: 'write', repository_hooks: 'write' } as const
  const tokens: Record<string, string> = {}
  for (const login of ['ada', 'bob']) {
    await control.makeUser(login)
    await control.makeRepository(login, 'docs')
    tokens[login] = await control.makeFineGrainedToken(login, { repositories: [`${login}/docs`], permissions })
  }
  const look = (login: string) => api(tokens[login], 'GET', `/repos/${login}/docs`)
  return { ...github, tokens, look }
}

test('the next calls go wrong, each in its own way, and only those of the account', async () => {
  const { control, look } = await withRepositories()
  const kinds = ['server_error', 'secondary_limit', 'too_many_requests', 'primary_limit', 'bad_credentials'] as const
  await control.faults('ada', { next: kinds.map((kind) => ({ kind })), retryAfterSeconds: 7 })
  expect((await look('ada')).status).toBeGreaterThanOrEqual(500)
  const secondary = await look('ada')
  expect(secondary).toMatchObject({ status: 403, body: { message: expect.stringContaining('secondary rate limit') } })
  expect(secondary.headers.get('retry-after')).toBe('7')
  expect((await look('ada')).status).toBe(429)
  const primary = await look('ada')
  expect([primary.status, primary.headers.get('x-ratelimit-remaining')]).toEqual([403, '0'])
  expect((await look('bob')).status).toBe(200)
  expect(await look('ada')).toMatchObject({ status: 401, body: { message: 'Bad credentials' } })
  expect((await look('ada')).status).toBe(200)
  expect(await control.violations()).toEqual([])
})

test('an answer is lost after the work was done', async () => {
  const { control, api, tokens } = await withRepositories()
  const { head } = await control.repository('ada/docs')
  await control.faults('ada', { next: [{ kind: 'lost_response', operation: 'git/create-ref' }] })
  const make = () => api(tokens.ada, 'POST', '/repos/ada/docs/git/refs', { ref: 'refs/heads/x', sha: head })
  await expect(make()).rejects.toThrow('fetch failed')
  expect((await control.branches('ada/docs')).x).toBe(head)
  expect((await make()).body.message).toBe('Reference already exists')
  expect((await control.calls()).filter(({ isLost }) => isLost)).toMatchObject([
    { operation: 'git/create-ref', status: 201 },
  ])
})

test('the same seed throws the same dice, for as long as it was told to', async () => {
  const { control, look } = await withRepositories()
  const thrown = async () => {
    await control.faults('ada', { chances: { server_error: 0.5 }, seed: 42, forSeconds: 60 })
    const statuses: boolean[] = []
    for (let call = 0; call < 12; call++) statuses.push((await look('ada')).status === 200)
    return statuses
  }
  const first = await thrown()
  expect(new Set(first).size).toBe(2)
  expect(await thrown()).toEqual(first)
  await control.faults('ada', { chances: { server_error: 1 }, forSeconds: 0 })
  expect((await look('ada')).status).toBe(200)
})

test('webhooks are dropped, doubled, sent again', async () => {
  const { control, api, tokens } = await withRepositories()
  const receiver = await hookReceiver()
  const config = { url: receiver.url, content_type: 'json', secret: 's' }
  await api(tokens.ada, 'POST', '/repos/ada/docs/hooks', { config, events: ['push'] })
  await control.faults('ada', { webhooks: { drop: 1 } })
  await control.pushFile('ada/docs', 'main', 'a.md', 'A')
  await control.faults('ada', { webhooks: { double: 1, maxDelayMs: 50 } })
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
