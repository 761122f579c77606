/** What really stands on the code host at the end: every branch with its commits and files, every pull request. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GiteaRepository } from '../../server/src/code-hosts/testing/gitea-repository.ts'

export interface HostState {
  /** All but `main`; the oldest commit first, without those that are or were on `main`. */
  branches: Map<string, readonly HostCommit[]>
  pullRequests: readonly HostPullRequest[]
}

export interface HostCommit {
  id: string
  files: FileIds
  /** Of its parent. */
  filesBefore: FileIds
}

/** `shownCommit`: what the host thinks the branch is at. */
export interface HostPullRequest {
  number: number
  branch: string
  shownCommit: string | undefined
}

/** Git's id of each file's contents, by path. */
export type FileIds = Readonly<Record<string, string>>

export interface AuditedRepository {
  url: string
  authorization: string
  /** Commits that were on `main`, and may have been pushed away. */
  formerBase: ReadonlySet<string>
  pullRequests: readonly HostPullRequest[]
}

const run = promisify(execFile)

export async function readHost({
  url,
  authorization,
  formerBase,
  pullRequests,
}: AuditedRepository): Promise<HostState> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-audit-'))
  const git = async (...args: string[]) =>
    (await run('git', ['-C', directory, '-c', `http.extraHeader=Authorization: ${authorization}`, ...args])).stdout
  const linesOf = async (...args: string[]) => (await git(...args)).trim().split('\n')
  const known = new Map<string, Promise<FileIds>>()
  const filesOf = (commit: string): Promise<FileIds> => {
    const files = known.get(commit) ?? readFiles(commit)
    known.set(commit, files)
    return files
  }
  const readFiles = async (commit: string) => {
    const lines = (await git('ls-tree', '-r', '-z', commit)).split('\0').filter((line) => line !== '')
    return Object.fromEntries(
      lines.map((line) => /^100644 blob (\w+)\t(.*)$/s.exec(line)?.slice(1).reverse() ?? [line]),
    )
  }
  try {
    await git('init', '--quiet', '--bare')
    await git('fetch', '--quiet', url, '+refs/heads/*:refs/heads/*')
    const base = formerBase.union(new Set(await linesOf('rev-list', 'main')))
    const names = await linesOf('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')
    const branches: HostState['branches'] = new Map()
    for (const name of names.filter((name) => name !== 'main')) {
      const lines = await linesOf('rev-list', '--reverse', '--parents', name)
      const commits = lines.map((line) => line.split(' ')).filter(([id = '']) => !base.has(id))
      const read = commits.map(async ([id = '', parent]) => ({
        id,
        files: await filesOf(id),
        filesBefore: parent === undefined ? {} : await filesOf(parent),
      }))
      branches.set(name, await Promise.all(read))
    }
    return { branches, pullRequests }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

export async function onGitea(
  { url, adminName, adminToken }: { url: string; adminName: string; adminToken: string },
  repository: GiteaRepository,
): Promise<AuditedRepository> {
  return {
    url: `${url}/${repository.owner}/${repository.name}.git`,
    authorization: `Basic ${Buffer.from(`${adminName}:${adminToken}`).toString('base64')}`,
    formerBase: new Set(),
    pullRequests: await listPullRequests(repository),
  }
}

async function listPullRequests(repository: GiteaRepository): Promise<HostPullRequest[]> {
  const all: HostPullRequest[] = []
  for (let page = 1; ; page++) {
    const found = (await repository.asPerson('GET', `/pulls?state=all&limit=50&page=${page}`)) as {
      number: number
      head: { label: string; ref: string; sha: string }
    }[]
    if (found.length === 0) return all
    for (const { number, head } of found) {
      const isKnown = head.ref === head.label // else the host shows what it last knew of it
      all.push({ number, branch: head.label, shownCommit: isKnown ? head.sha : undefined })
    }
  }
}

/** The id that git gives to a file with these contents. */
export const fileIdOf = (contents: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(contents)}\0${contents}`)
    .digest('hex')
