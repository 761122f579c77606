import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findTagProblems } from './tag-problems.ts'

const directory = mkdtempSync(join(tmpdir(), 'colophon-tag-test-'))
const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim()
const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']

/** What GitHub and the registry respond in the current test. */
let passedRuns: { commit: string; branch: string; event: string }[]
let tokenStatus: number
let images: string[]
let manifestStatus: number | undefined

const tokens = { github: 'github-token', registry: 'registry-token' }
let server: Server
let url: string
let mainCommit: string
let otherCommit: string

beforeAll(async () => {
  git('init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ version: '0.2.0' }))
  git('add', '.')
  git(...identity, 'commit', '--quiet', '--message', 'release: 0.2.0')
  mainCommit = git('rev-parse', 'HEAD')
  git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'later')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  git('checkout', '--quiet', '-b', 'other', mainCommit)
  git(...identity, 'commit', '--quiet', '--allow-empty', '--message', 'not merged')
  otherCommit = git('rev-parse', 'HEAD')

  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const respond = (status: number, body?: object) => response.writeHead(status).end(body && JSON.stringify(body))
    if (pathname === '/repos/Example/Colophon/actions/workflows/ci.yml/runs') {
      if (request.headers.authorization !== `Bearer ${tokens.github}`) return respond(401)
      const found = passedRuns.filter(
        ({ commit, branch, event }) =>
          searchParams.get('status') === 'success' &&
          searchParams.get('head_sha') === commit &&
          searchParams.get('branch') === branch &&
          searchParams.get('event') === event,
      )
      return respond(200, { total_count: found.length })
    }
    if (pathname === '/token') return respond(tokenStatus, { token: tokens.registry })
    const [, name, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname) ?? []
    if (request.headers.authorization !== `Bearer ${tokens.registry}`) return respond(401)
    const accepts = request.headers.accept?.includes('application/vnd.oci.image.index.v1+json')
    return respond(manifestStatus ?? (accepts && images.includes(`${name}:${tag}`) ? 200 : 404))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

beforeEach(() => {
  passedRuns = [mainCommit, otherCommit].map((commit) => ({ commit, branch: 'main', event: 'push' }))
  tokenStatus = 200
  images = ['example/colophon/server:0.1.0']
  manifestStatus = undefined
})

afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

const findProblems = (change: { name?: string; commit?: string; token?: string } = {}) =>
  findTagProblems(
    { name: change.name ?? 'v0.2.0', commit: change.commit ?? mainCommit, repository: 'Example/Colophon' },
    { directory, githubApiUrl: url, registryUrl: url, user: 'someone', token: change.token ?? tokens.github },
  )

test('a commit on main that passed CI can be released', async () => {
  expect(await findProblems()).toEqual([])
})

test('the tag must be the version in package.json', async () => {
  expect(await findProblems({ name: 'v0.2.1' })).toEqual(['The tag is v0.2.1, but package.json has version 0.2.0.'])
})

test('the commit must be on main', async () => {
  expect(await findProblems({ commit: otherCommit })).toEqual([`Commit ${otherCommit} is not on the branch main.`])
})

test.each([
  ['no run', () => []],
  ['a run of another commit', () => [{ commit: otherCommit, branch: 'main', event: 'push' }]],
  ['a run for a pull request', () => [{ commit: mainCommit, branch: 'main', event: 'pull_request' }]],
  ['a run on another branch', () => [{ commit: mainCommit, branch: 'other', event: 'push' }]],
])('CI must have passed on main: %s', async (_, runs) => {
  passedRuns = runs()
  expect(await findProblems()).toEqual([
    `CI has not passed for commit ${mainCommit} on main. When it has, run this job again.`,
  ])
})

test.each(['server', 'runner', 'demo'])('the image %s must not exist', async (target) => {
  images.push(`example/colophon/${target}:0.2.0`)
  expect(await findProblems()).toEqual([
    `The image example/colophon/${target}:0.2.0 exists already. A version is released once: release the next one.`,
  ])
})

test('before the first release, the registry has no package to give access to', async () => {
  tokenStatus = 403
  expect(await findProblems()).toEqual([])
})

test('an unexpected response is not taken for a missing image, or for a run that passed', async () => {
  manifestStatus = 500
  await expect(findProblems()).rejects.toThrow('with 500')
  manifestStatus = undefined
  tokenStatus = 401
  await expect(findProblems()).rejects.toThrow('with 401')
  tokenStatus = 200
  await expect(findProblems({ token: 'wrong' })).rejects.toThrow('with 401')
})
