/** A repository of its own on a running Gitea, for one test. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import type { CodeHost } from '../code-host.ts'
import { openCodeHost } from '../open-code-host.ts'
import { type CraftedCommit, type CraftedFiles, craftCommit } from './craft-commit.ts'
import { packOf } from './craft-objects.ts'

const run = promisify(execFile)

export type GiteaAddress = { url: string; adminName: string; adminToken: string }

export type GiteaPerson = { name: string; password: string; token: string }

export type GiteaRepository = {
  owner: string
  name: string
  base: CraftedCommit
  egress: Egress
  host: CodeHost
  /** Gitea's API as the administrator, below the repository. */
  asPerson(method: string, path: string, body?: unknown): Promise<unknown>
  /** Somebody new, who may do this in the repository, with a token that may do that. */
  addPerson(permission: 'read' | 'write' | 'none', tokenScopes: readonly string[]): Promise<GiteaPerson>
  /** The repository as seen with another token. */
  hostWith(token: string): CodeHost
  /** A commit that somebody else pushes. */
  pushAsPerson(commit: CraftedCommit, branch: string): Promise<void>
  /** What an honest runner makes with git itself: a shallow clone, changed files, one commit, a bundle. */
  bundleByGit(branch: string, files: Readonly<Record<string, string>>): Promise<Buffer>
  /** Of a branch: each file and its contents. */
  filesOf(branch: string): Promise<Record<string, string>>
  logOf(branch: string): Promise<string[]>
  remove(): Promise<void>
}

export const baseFiles: CraftedFiles = {
  'README.md': '# Project\n',
  'docs/index.md': '# Welcome\n\nOne.\n\nTwo.\n\nThree.\n',
  'docs/guide/start.md': '# Start\n',
  'docs/image.png': 'not really an image, but nobody looks',
  'src/main.ts': 'export {}\n',
}

export async function createGiteaRepository(gitea: GiteaAddress, files = baseFiles): Promise<GiteaRepository> {
  const name = `repository-${randomBytes(6).toString('hex')}`
  const owner = gitea.adminName

  async function call(method: string, path: string, body?: unknown, authorization = `token ${gitea.adminToken}`) {
    const response = await fetch(`${gitea.url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as unknown)
  }

  async function addPerson(permission: 'read' | 'write' | 'none', scopes: readonly string[]): Promise<GiteaPerson> {
    const person = `person-${randomBytes(6).toString('hex')}`
    const password = randomBytes(12).toString('hex')
    const email = `${person}@localhost.invalid`
    await call('POST', '/admin/users', { username: person, email, password, must_change_password: false })
    if (permission !== 'none') await call('PUT', `/repos/${owner}/${name}/collaborators/${person}`, { permission })
    const basic = `Basic ${Buffer.from(`${person}:${password}`).toString('base64')}`
    const made = await call('POST', `/users/${person}/tokens`, { name: 'test', scopes }, basic)
    return { name: person, password, token: (made as { sha1: string }).sha1 }
  }
  await call('POST', '/user/repos', { name, private: true, default_branch: 'main' })

  const remoteUrl = `${gitea.url}/${owner}/${name}.git`
  const directory = await mkdtemp(join(tmpdir(), 'colophon-person-'))
  const basic = Buffer.from(`${owner}:${gitea.adminToken}`).toString('base64')
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
  const git = async (...args: string[]) =>
    (await run('git', ['-C', directory, ...args], { env, maxBuffer: 64 * 1024 * 1024 })).stdout
  await git('init', '--quiet', '--bare')

  async function pushAsPerson(commit: CraftedCommit, branch: string): Promise<void> {
    const child = execFile('git', ['-C', directory, 'unpack-objects', '-q'])
    child.stdin?.end(packOf(commit.objects.values()))
    await once(child, 'close')
    await git('push', '--quiet', '--force', remoteUrl, `${commit.id}:refs/heads/${branch}`)
  }
  const fetchBranch = async (branch: string) => {
    await git('fetch', '--quiet', remoteUrl, `+refs/heads/${branch}:refs/heads/${branch}`)
  }

  const base = craftCommit(files, [])
  await pushAsPerson(base, 'main')
  // Gitea notes in the background that a repository is no longer empty, and knows no branches before.
  while (((await call('GET', `/repos/${owner}/${name}`)) as { empty: boolean }).empty) await setTimeout(20)
  const egress = createEgress({ allowedHosts: [new URL(gitea.url).host] })
  const hostWith = (token: string) => openCodeHost({ host: 'gitea', baseUrl: gitea.url, owner, name, token }, egress)
  return {
    owner,
    name,
    base,
    egress,
    host: hostWith(gitea.adminToken),
    hostWith,
    addPerson,
    asPerson: (method, path, body) => call(method, `/repos/${owner}/${name}${path}`, body),
    pushAsPerson,
    async bundleByGit(branch, changed) {
      const clone = await mkdtemp(join(directory, 'clone-'))
      const inClone = (...args: string[]) => run('git', ['-C', clone, ...args], { env })
      await inClone('clone', '--quiet', '--depth=1', `--branch=${branch}`, remoteUrl, '.')
      for (const [path, contents] of Object.entries(changed)) {
        await mkdir(dirname(join(clone, path)), { recursive: true })
        await writeFile(join(clone, path), contents)
      }
      await inClone('add', '--all')
      await inClone(
        '-c',
        'user.name=Runner',
        '-c',
        'user.email=runner@example.com',
        'commit',
        '--quiet',
        '-m',
        'Result',
      )
      await inClone('bundle', 'create', '--quiet', 'out', 'HEAD^..HEAD', 'HEAD')
      return await readFile(join(clone, 'out'))
    },
    async filesOf(branch) {
      await fetchBranch(branch)
      const names = (await git('ls-tree', '-r', '-z', '--name-only', branch)).split('\0').filter((name) => name !== '')
      const contents = await Promise.all(names.map((name) => git('show', `${branch}:${name}`)))
      return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']))
    },
    async logOf(branch) {
      await fetchBranch(branch)
      return (await git('log', '--format=%H', branch)).trim().split('\n')
    },
    async remove() {
      await call('DELETE', `/repos/${owner}/${name}`)
      await egress.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
