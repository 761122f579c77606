import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { startHookReceiver } from './testing/hook-receiver.ts'
import { startTestGithub } from './testing/test-github.ts'

const permissions = {
  contents: 'write',
  pull_requests: 'write',
  statuses: 'read',
  deployments: 'read',
  actions: 'read',
  issues: 'read',
  repository_hooks: 'write',
} as const

async function withPullRequest() {
  const github = await startTestGithub()
  const { control, api } = github
  await control.createUser('ada')
  await control.createRepository('ada', 'docs')
  const token = await control.createFineGrainedToken('ada', { repositories: ['ada/docs'], permissions })
  const head = await control.pushFile('ada/docs', 'x', 'docs/a.md', 'A')
  await api(token, 'POST', '/repos/ada/docs/pulls', { title: 'T', head: 'x', base: 'main' })
  return { ...github, token, head }
}

test('returns checks, statuses, logs and deployments as GitHub does', async () => {
  const { api, control, token, head } = await withPullRequest()
  await control.setVisibility('ada/docs', false)
  const output = { title: 'Broken', summary: 'Two links are broken' }
  const annotations = [{ path: 'docs/a.md', startLine: 1, endLine: 1, level: 'failure', message: 'no' }] as const
  const failed = {
    name: 'build',
    status: 'completed',
    conclusion: 'failure',
    output,
    annotations: [...annotations],
  } as const
  const id = await control.setCheckRun('ada/docs', head, { ...failed, log: 'line 1\nline 2\n' })
  const other = await control.setCheckRun('ada/docs', head, { name: 'lint', status: 'in_progress' })
  const runs = await api(token, 'GET', `/repos/ada/docs/commits/${head}/check-runs`)
  expect(runs.body).toMatchObject({
    total_count: 2,
    check_runs: [{ id, conclusion: 'failure', output }, { conclusion: null }],
  })
  expect((await api(token, 'GET', `/repos/ada/docs/check-runs/${id}`)).body.app.slug).toBe('github-actions')
  expect((await api(token, 'GET', `/repos/ada/docs/check-runs/${id}/annotations`)).body[0].message).toBe('no')
  const log = await api(token, 'GET', `/repos/ada/docs/actions/jobs/${id}/logs`)
  expect(log).toMatchObject({ status: 302, body: undefined })
  expect((await api(undefined, 'GET', log.headers.get('location') ?? '')).body).toBe('line 1\nline 2\n')
  expect((await api(token, 'GET', `/repos/ada/docs/actions/jobs/${other}/logs`)).status).toBe(404)

  await control.setStatus('ada/docs', head, { context: 'ci', state: 'failure', description: 'no' })
  await control.setStatus('ada/docs', head, { context: 'ci', state: 'success' })
  expect((await api(token, 'GET', '/repos/ada/docs/commits/x/status')).body).toMatchObject({
    state: 'success',
    statuses: [{ context: 'ci' }],
  })

  await control.setDeployment('ada/docs', head, { environmentUrl: 'https://preview.example.com' })
  const [deployment] = (await api(token, 'GET', `/repos/ada/docs/deployments?sha=${head}`)).body
  const statuses = await api(token, 'GET', `/repos/ada/docs/deployments/${deployment.id}/statuses`)
  expect(statuses.body[0].environment_url).toBe('https://preview.example.com')
  // Fine-grained tokens cannot have a permission for checks.
  await control.setVisibility('ada/docs', true)
  expect((await api(token, 'GET', `/repos/ada/docs/check-runs/${id}`)).status).toBe(403)
  expect(await control.violations()).toEqual([])
})

test('lists comments since a time, and adds a reaction only once', async () => {
  const { api, control, token } = await withPullRequest()
  await control.createUser('helper[bot]', { isBot: true })
  const id = await control.comment('ada/docs', 1, 'ada', '@colophon shorter, please')
  await control.comment('ada/docs', 1, 'helper[bot]', 'Preview is ready')
  const comments = await api(token, 'GET', '/repos/ada/docs/issues/1/comments?since=2020-01-01T00:00:00Z')
  expect(comments.body.map((comment: { user: { type: string } }) => comment.user.type)).toEqual(['User', 'Bot'])
  const later = new Date(Date.now() + 60_000).toISOString()
  expect((await api(token, 'GET', `/repos/ada/docs/issues/1/comments?since=${later}`)).body).toEqual([])
  const react = () => api(token, 'POST', `/repos/ada/docs/issues/comments/${id}/reactions`, { content: 'eyes' })
  expect([(await react()).status, (await react()).status]).toEqual([201, 200])
  expect(await control.reactions('ada/docs', id)).toEqual([{ content: 'eyes', login: 'ada' }])
  expect((await api(token, 'GET', '/repos/ada/docs/collaborators/ada/permission')).body.permission).toBe('admin')
  await control.createUser('eve')
  expect((await api(token, 'GET', '/repos/ada/docs/collaborators/eve/permission')).body.permission).toBe('none')
  expect((await api(token, 'GET', '/repos/ada/docs/collaborators/nobody/permission')).status).toBe(404)
  expect(await control.violations()).toEqual([])
})

test('signs a webhook with its secret, and updates and deletes it', async () => {
  const receiver = await startHookReceiver()
  const { api, control, token } = await withPullRequest()
  const hook = {
    name: 'web',
    active: true,
    events: ['pull_request'],
    config: { url: receiver.url, content_type: 'json', secret: 's1' },
  }
  const created = await api(token, 'POST', '/repos/ada/docs/hooks', hook)
  expect(created).toMatchObject({ status: 201, body: { config: { secret: '********' } } })
  expect((await api(token, 'POST', '/repos/ada/docs/hooks', hook)).status).toBe(422)
  expect((await api(token, 'GET', '/repos/ada/docs/hooks')).body).toHaveLength(1)
  await api(token, 'PATCH', `/repos/ada/docs/hooks/${created.body.id}`, { config: { ...hook.config, secret: 's2' } })
  await control.closePullRequest('ada/docs', 1)
  await control.deliveries()
  expect(receiver.received.map(({ headers }) => headers['x-github-event'])).toEqual(['ping', 'pull_request'])
  const last = receiver.received.at(-1)
  const signature = createHmac('sha256', 's2')
    .update(last?.body ?? '')
    .digest('hex')
  expect(last?.headers).toMatchObject({
    'x-hub-signature-256': `sha256=${signature}`,
    'x-github-hook-id': String(created.body.id),
    'x-github-hook-installation-target-type': 'repository',
  })
  expect((await api(token, 'DELETE', `/repos/ada/docs/hooks/${created.body.id}`)).status).toBe(204)
  const reader = await control.createFineGrainedToken('ada', {
    repositories: ['ada/docs'],
    permissions: { contents: 'read' },
  })
  expect((await api(reader, 'GET', '/repos/ada/docs/hooks')).status).toBe(403)
  expect(await control.violations()).toEqual([])
})
