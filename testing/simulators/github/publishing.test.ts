import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git } from './git.ts'
import { startTestGithub, type TestGithub } from './testing/test-github.ts'

const writer = { contents: 'write', pull_requests: 'write' } as const

async function withRepository(permissions: Record<string, 'read' | 'write' | 'admin'> = writer) {
  const github = await startTestGithub()
  await github.control.createUser('ada')
  const repository = await github.control.createRepository('ada', 'docs', {
    files: { 'docs/index.md': '# Hello\n', 'docs/other.md': 'Other\n' },
    labels: ['docs'],
  })
  const token = await github.control.createFineGrainedToken('ada', { repositories: ['ada/docs'], permissions })
  return { ...github, repository, token }
}

/** Commits as Colophon does: tree, commit, ref. */
async function commitOn(
  { api }: TestGithub,
  token: string,
  parent: string,
  branch: string,
  files: Record<string, string | null>,
): Promise<string> {
  const base = (await api(token, 'GET', `/repos/ada/docs/git/commits/${parent}`)).body.tree.sha
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    mode: '100644',
    type: 'blob',
    ...(content === null ? { sha: null } : { content }),
  }))
  const tree = await api(token, 'POST', '/repos/ada/docs/git/trees', { base_tree: base, tree: entries })
  const commit = await api(token, 'POST', '/repos/ada/docs/git/commits', {
    message: 'A change',
    tree: tree.body.sha,
    parents: [parent],
  })
  expect(commit.status).toBe(201)
  const ref = await api(token, 'POST', '/repos/ada/docs/git/refs', {
    ref: `refs/heads/${branch}`,
    sha: commit.body.sha,
  })
  expect(ref.status).toBe(201)
  return commit.body.sha
}

test('turns a change into a branch, a pull request and a merge, with responses that fit the description', async () => {
  const github = await withRepository()
  const { api, control, token, repository } = github
  expect((await api(token, 'GET', '/repos/ada/docs')).body).toMatchObject({ id: repository.id, full_name: 'ada/docs' })
  const sha = await commitOn(github, token, repository.head, 'colophon/x', {
    'docs/new.md': 'New\n',
    'docs/other.md': null,
  })

  expect((await api(token, 'GET', '/repos/ada/docs/git/ref/heads/colophon/x')).body.object.sha).toBe(sha)
  expect((await api(token, 'GET', `/repos/ada/docs/git/trees/${sha}?recursive=1`)).body.tree).toHaveLength(3)

  const created = await api(token, 'POST', '/repos/ada/docs/pulls', {
    title: 'Change',
    body: 'Why',
    head: 'colophon/x',
    base: 'main',
    draft: false,
  })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    number: 1,
    state: 'open',
    head: { sha },
    base: { ref: 'main' },
    additions: 1,
    deletions: 1,
    changed_files: 2,
  })
  const again = await api(token, 'POST', '/repos/ada/docs/pulls', { title: 'Change', head: 'colophon/x', base: 'main' })
  expect(again.status).toBe(422)
  expect(again.body.errors[0].message).toBe('A pull request already exists for ada:colophon/x.')
  expect((await api(token, 'GET', '/repos/ada/docs/pulls?head=ada:colophon/x&state=all')).body).toHaveLength(1)
  expect((await api(token, 'GET', '/repos/ada/docs/pulls/1')).body.mergeable).toBeNull()
  expect((await api(token, 'GET', '/repos/ada/docs/pulls/1')).body.mergeable).toBe(true)
  expect((await api(token, 'POST', '/repos/ada/docs/issues/1/labels', { labels: ['docs'] })).body).toHaveLength(1)
  expect((await api(token, 'PATCH', '/repos/ada/docs/pulls/1', { title: 'Better' })).body.title).toBe('Better')
  expect((await api(token, 'GET', '/repos/ada/docs/pulls/1/commits')).body).toHaveLength(1)

  await control.mergePullRequest('ada/docs', 1)
  expect((await api(token, 'GET', '/repos/ada/docs/pulls/1')).body).toMatchObject({ merged: true, state: 'closed' })
  expect(await control.readFile('ada/docs', 'main', 'docs/new.md')).toBe('New\n')
  expect(await control.violations()).toEqual([])
})

test('updates refs by the rules of GitHub', async () => {
  const github = await withRepository()
  const { api, control, token, repository } = github
  const sha = await commitOn(github, token, repository.head, 'x', { 'docs/a.md': 'A' })
  const refs = '/repos/ada/docs/git/refs'
  expect(await api(token, 'POST', refs, { ref: 'refs/heads/x', sha })).toMatchObject({
    status: 422,
    body: { message: 'Reference already exists' },
  })
  const later = await control.pushFile('ada/docs', 'x', 'docs/b.md', 'B')
  expect(await api(token, 'PATCH', `${refs}/heads/x`, { sha, force: false })).toMatchObject({
    status: 422,
    body: { message: 'Update is not a fast forward' },
  })
  expect((await api(token, 'PATCH', `${refs}/heads/x`, { sha: later })).status).toBe(200)
  expect((await api(token, 'DELETE', `${refs}/heads/x`)).status).toBe(204)
  expect((await api(token, 'DELETE', `${refs}/heads/x`)).status).toBe(422)
  expect((await api(token, 'GET', '/repos/ada/docs/git/ref/heads/x')).status).toBe(404)
  expect(await control.violations()).toEqual([])
})

test('updates pull requests when their branches change', async () => {
  const github = await withRepository()
  const { api, control, token, repository } = github
  await commitOn(github, token, repository.head, 'x', { 'docs/index.md': 'Mine\n' })
  const pulls = '/repos/ada/docs/pulls'
  expect((await api(token, 'POST', pulls, { title: 'T', head: 'main', base: 'main' })).body.errors[0].message).toBe(
    'No commits between main and main',
  )
  await api(token, 'POST', pulls, { title: 'T', head: 'x', base: 'main' })
  await control.pushFile('ada/docs', 'main', 'docs/index.md', 'Theirs\n')
  expect((await api(token, 'GET', `${pulls}/1`)).body.mergeable).toBeNull()
  expect((await api(token, 'GET', `${pulls}/1`)).body).toMatchObject({ mergeable: false, mergeable_state: 'dirty' })
  const head = await control.pushFile('ada/docs', 'x', 'docs/more.md', 'More')
  expect((await api(token, 'GET', `${pulls}/1`)).body.head.sha).toBe(head)
  await control.deleteBranch('ada/docs', 'x')
  expect((await api(token, 'GET', `${pulls}/1`)).body).toMatchObject({ state: 'closed', merged: false })
  expect(await control.violations()).toEqual([])
})

test('limits tokens to their repositories and permissions', async () => {
  const { api, control, repository } = await withRepository()
  await control.createUser('eve')
  await control.createRepository('eve', 'own')
  const reader = await control.createFineGrainedToken('ada', {
    repositories: ['ada/docs'],
    permissions: { contents: 'read' },
  })
  const stranger = await control.createFineGrainedToken('eve', { repositories: ['eve/own'], permissions: writer })
  const greedy = await control.createFineGrainedToken('eve', { repositories: ['ada/docs'], permissions: writer })
  const old = await control.createFineGrainedToken('ada', {
    repositories: ['ada/docs'],
    permissions: writer,
    expiresInSeconds: 0,
  })
  expect((await api(undefined, 'GET', '/repos/ada/docs')).status).toBe(404)
  expect((await api(stranger, 'GET', '/repos/ada/docs')).status).toBe(404)
  expect((await api(greedy, 'GET', '/repos/ada/docs')).status).toBe(404)
  expect(await api(old, 'GET', '/repos/ada/docs')).toMatchObject({ status: 401, body: { message: 'Bad credentials' } })
  expect(
    await api(reader, 'POST', '/repos/ada/docs/git/refs', { ref: 'refs/heads/x', sha: repository.head }),
  ).toMatchObject({
    status: 403,
    body: { message: 'Resource not accessible by personal access token' },
  })
  await control.archive('ada/docs')
  const wide = await control.createFineGrainedToken('ada', { repositories: ['ada/docs'], permissions: writer })
  expect(
    (await api(wide, 'POST', '/repos/ada/docs/git/refs', { ref: 'refs/heads/x', sha: repository.head })).status,
  ).toBe(403)
  expect(await control.violations()).toEqual([])
})

test('redirects from an old name to the repository ID', async () => {
  const { api, control, token, repository } = await withRepository()
  await control.rename('ada/docs', 'handbook')
  const moved = await api(token, 'GET', '/repos/ada/docs')
  expect(moved.status).toBe(301)
  expect(moved.headers.get('location')).toMatch(new RegExp(`/api/v3/repositories/${repository.id}$`))
  const found = await api(token, 'GET', moved.headers.get('location') ?? '')
  expect(found).toMatchObject({ status: 200, body: { full_name: 'ada/handbook', id: repository.id } })
  expect(await control.violations()).toEqual([])
})

test('rejects and records requests that do not fit the description', async () => {
  const { api, control, token } = await withRepository()
  expect((await api(token, 'GET', '/repos/ada/docs/pulls?stat=open')).status).toBe(500)
  expect(
    (await api(token, 'POST', '/repos/ada/docs/pulls', { title: 'T', head: 'x', base: 'main', labels: [] })).status,
  ).toBe(500)
  expect((await api(token, 'GET', '/repos/ada/docs/no-such-thing')).status).toBe(500)
  expect((await control.violations()).map(({ source }) => source)).toEqual(['request', 'request', 'request'])
})

test('serves git over HTTP with the same tokens', async () => {
  const { control, token, url, repository } = await withRepository()
  const directory = mkdtempSync(join(tmpdir(), 'github-clone-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const as = (accessToken: string) => [
    '-c',
    `http.extraHeader=authorization: Basic ${btoa(`x-access-token:${accessToken}`)}`,
  ]
  await git(directory, [...as(token), 'clone', '--quiet', repository.cloneUrl, 'clone'])
  const clone = join(directory, 'clone')
  expect(readFileSync(join(clone, 'docs/index.md'), 'utf8')).toBe('# Hello\n')
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await git(clone, ['checkout', '--quiet', '-b', 'mine'])
  await git(clone, [...author, 'commit', '--quiet', '--allow-empty', '--message', 'Empty'])
  await git(clone, [...as(token), 'push', '--quiet', 'origin', 'mine'])
  expect((await control.branches('ada/docs')).mine).toBe(await git(clone, ['rev-parse', 'HEAD']))

  await git(clone, ['checkout', '--quiet', '-b', 'workflow'])
  await git(clone, [
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${await git(clone, ['hash-object', '-w', 'docs/index.md'])},.github/workflows/ci.yml`,
  ])
  await git(clone, [...author, 'commit', '--quiet', '--message', 'Workflow'])
  await expect(git(clone, [...as(token), 'push', 'origin', 'workflow'])).rejects.toThrow(
    'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml`',
  )

  const reader = await control.createFineGrainedToken('ada', {
    repositories: ['ada/docs'],
    permissions: { contents: 'read' },
  })
  await expect(git(clone, [...as(reader), 'push', 'origin', 'mine:other'])).rejects.toThrow('403')
  await expect(git(clone, [...as('wrong'), 'fetch'])).rejects.toThrow(
    /401|Authentication failed|could not read Username/,
  )
  await expect(git(clone, [...as(token), 'ls-remote', `${url}/ada/nothing.git`])).rejects.toThrow('not found')
})
