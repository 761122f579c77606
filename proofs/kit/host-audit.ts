/** What really stands on the code host at the end: every branch with its commits and files, every pull request. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GiteaRepository } from '../../server/src/code-hosts/testing/gitea-repository.ts'

export interface HostState {
  /** Of `main`. */
  baseFiles: FileIds
  /** All but `main`; the oldest commit first, without those of `main`. */
  branches: Map<string, readonly { id: string; files: FileIds }[]>
  /** `shownCommit`: what the host thinks the branch is at. */
  pullRequests: readonly { number: number; branch: string; shownCommit: string | undefined }[]
}

/** Git's id of each file's contents, by path. */
export type FileIds = Readonly<Record<string, string>>

const run = promisify(execFile)

export async function readHost(
  { url, adminName, adminToken }: { url: string; adminName: string; adminToken: string },
  repository: GiteaRepository,
): Promise<HostState> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-audit-'))
  const basic = Buffer.from(`${adminName}:${adminToken}`).toString('base64')
  const git = async (...args: string[]) =>
    (await run('git', ['-C', directory, '-c', `http.extraHeader=Authorization: Basic ${basic}`, ...args])).stdout
  const filesOf = async (commit: string): Promise<FileIds> => {
    const lines = (await git('ls-tree', '-r', '-z', commit)).split('\0').filter((line) => line !== '')
    return Object.fromEntries(
      lines.map((line) => /^100644 blob (\w+)\t(.*)$/s.exec(line)?.slice(1).reverse() ?? [line]),
    )
  }
  try {
    await git('init', '--quiet', '--bare')
    await git('fetch', '--quiet', `${url}/${repository.owner}/${repository.name}.git`, '+refs/heads/*:refs/heads/*')
    const names = (await git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')).trim().split('\n')
    const branches: HostState['branches'] = new Map()
    for (const name of names.filter((name) => name !== 'main')) {
      const commits = (await git('rev-list', '--reverse', name, '^main')).trim().split('\n')
      branches.set(name, await Promise.all(commits.map(async (id) => ({ id, files: await filesOf(id) }))))
    }
    return { baseFiles: await filesOf('main'), branches, pullRequests: await listPullRequests(repository) }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function listPullRequests(repository: GiteaRepository): Promise<HostState['pullRequests']> {
  const all: HostState['pullRequests'][number][] = []
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
