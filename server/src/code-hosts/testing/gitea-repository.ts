/** A repository of its own on a running Gitea, for one test. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import type { CodeHost } from '../code-host.ts'
import { openCodeHost } from '../open-code-host.ts'
import { type CraftedCommit, type CraftedFiles, craftCommit } from './craft-commit.ts'
import { packOf } from './craft-objects.ts'

const run = promisify(execFile)

export type GiteaAddress = { url: string; adminName: string; adminToken: string }

export type GiteaRepository = {
  owner: string
  name: string
  base: CraftedCommit
  egress: Egress
  host: CodeHost
  /** Gitea's API as the administrator, below the repository. */
  asPerson(method: string, path: string, body?: unknown): Promise<unknown>
  /** A commit that somebody else pushes. */
  pushAsPerson(commit: CraftedCommit, branch: string): Promise<void>
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

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${gitea.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${gitea.adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await call('POST', '/user/repos', { name, default_branch: 'main' })

  const remoteUrl = new URL(`/${owner}/${name}.git`, gitea.url)
  remoteUrl.username = owner
  remoteUrl.password = gitea.adminToken
  const directory = await mkdtemp(join(tmpdir(), 'colophon-person-'))
  const git = async (...args: string[]) =>
    (await run('git', ['-C', directory, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout
  await git('init', '--quiet', '--bare')

  async function pushAsPerson(commit: CraftedCommit, branch: string): Promise<void> {
    const child = execFile('git', ['-C', directory, 'unpack-objects', '-q'])
    child.stdin?.end(packOf(commit.objects.values()))
    await new Promise((resolve) => child.on('close', resolve))
    await git('push', '--quiet', '--force', remoteUrl.href, `${commit.id}:refs/heads/${branch}`)
  }
  const fetchBranch = async (branch: string) => {
    await git('fetch', '--quiet', remoteUrl.href, `+refs/heads/${branch}:refs/heads/${branch}`)
  }

  const base = craftCommit(files, [])
  await pushAsPerson(base, 'main')
  const egress = createEgress({ allowedHosts: [new URL(gitea.url).host] })
  return {
    owner,
    name,
    base,
    egress,
    host: openCodeHost({ host: 'gitea', baseUrl: gitea.url, owner, name, token: gitea.adminToken }, egress),
    asPerson: (method, path, body) => call(method, `/repos/${owner}/${name}${path}`, body),
    pushAsPerson,
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
