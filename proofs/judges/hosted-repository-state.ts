/** Reads the actual state of a repository on the code host: every branch with its commits and files, and every pull request. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'

export interface HostedRepositoryState {
  /** All except `main`. The oldest commit is first; commits that are or were on `main` are left out. */
  branches: Map<string, readonly HostCommit[]>
  pullRequests: readonly HostPullRequest[]
}

export interface HostCommit {
  id: string
  files: BlobIds
  /** The files of the parent commit. */
  parentFiles: BlobIds
}

/** `displayedCommit`: the commit that the host shows as the head of the branch. */
export interface HostPullRequest {
  number: number
  branch: string
  displayedCommit: string | undefined
}

/** The git blob id of each file, by path. */
export type BlobIds = Readonly<Record<string, string>>

export interface RepositoryAuditTarget {
  url: string
  authorization: string
  /** Commits that were on `main` and may have been removed by a force push. */
  formerBaseCommits: ReadonlySet<string>
  pullRequests: readonly HostPullRequest[]
}

const run = promisify(execFile)

export async function readHostedRepositoryState({
  url,
  authorization,
  formerBaseCommits,
  pullRequests,
}: RepositoryAuditTarget): Promise<HostedRepositoryState> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-audit-'))
  const git = async (...args: string[]) =>
    (await run('git', ['-C', directory, '-c', `http.extraHeader=Authorization: ${authorization}`, ...args])).stdout
  const linesOf = async (...args: string[]) => (await git(...args)).trim().split('\n')
  const cache = new Map<string, Promise<BlobIds>>()
  const filesOf = (commit: string): Promise<BlobIds> => {
    const files = cache.get(commit) ?? readFiles(commit)
    cache.set(commit, files)
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
    const base = formerBaseCommits.union(new Set(await linesOf('rev-list', 'main')))
    const names = await linesOf('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')
    const branches: HostedRepositoryState['branches'] = new Map()
    for (const name of names.filter((name) => name !== 'main')) {
      const lines = await linesOf('rev-list', '--reverse', '--parents', name)
      const commits = lines.map((line) => line.split(' ')).filter(([id = '']) => !base.has(id))
      const reads = commits.map(async ([id = '', parent]) => ({
        id,
        files: await filesOf(id),
        parentFiles: parent === undefined ? {} : await filesOf(parent),
      }))
      branches.set(name, await Promise.all(reads))
    }
    return { branches, pullRequests }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

export async function readGiteaAuditTarget(
  { url, adminName, adminToken }: { url: string; adminName: string; adminToken: string },
  repository: GiteaTestRepository,
): Promise<RepositoryAuditTarget> {
  return {
    url: `${url}/${repository.owner}/${repository.name}.git`,
    authorization: `Basic ${Buffer.from(`${adminName}:${adminToken}`).toString('base64')}`,
    formerBaseCommits: new Set(),
    pullRequests: await listPullRequests(repository),
  }
}

async function listPullRequests(repository: GiteaTestRepository): Promise<HostPullRequest[]> {
  const pullRequests: HostPullRequest[] = []
  for (let page = 1; ; page++) {
    const listed = (await repository.callAsAdmin('GET', `/pulls?state=all&limit=50&page=${page}`)) as {
      number: number
      head: { label: string; ref: string; sha: string }
    }[]
    if (listed.length === 0) return pullRequests
    for (const { number, head } of listed) {
      const isCurrent = head.ref === head.label // otherwise the host shows an outdated commit
      pullRequests.push({ number, branch: head.label, displayedCommit: isCurrent ? head.sha : undefined })
    }
  }
}

/** The id that git gives to a file with this content. */
export const gitBlobId = (contents: string): string =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(contents)}\0${contents}`)
    .digest('hex')
