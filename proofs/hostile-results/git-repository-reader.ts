/** Reads a repository on the code host: all refs, all reachable commits, and whether it has an object. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { GiteaTestRepository } from '../../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { ProofRun } from '../proof.ts'

export interface HostCommit {
  id: string
  tree: string
  parents: string
  author: string
  committer: string
  trailers: string
  message: string
}

export interface GitRepositoryReader {
  refs(): Promise<Map<string, string>>
  /** Reachable from any ref, by id. */
  commits(): Promise<Map<string, HostCommit>>
  /** Ids of all reachable commits, trees and blobs. */
  objects(): Promise<Set<string>>
  /** The tree of the bundle's HEAD. */
  bundleTree(bundle: Buffer): Promise<string>
  /** Also for objects that no ref reaches. */
  hasObject(id: string): Promise<boolean>
}

const run = promisify(execFile)

export async function openGitRepositoryReader(
  { cleanUp }: ProofRun,
  { host }: GiteaTestRepository,
): Promise<GitRepositoryReader> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-host-'))
  cleanUp(() => rm(directory, { recursive: true, force: true }))
  const gitRemote = await host.gitRemote()
  const remote = gitRemote.url
  const authorization = `http.extraHeader=Authorization: ${gitRemote.authorization()}`
  const gitIn = async (folder: string, ...args: string[]) =>
    (await run('git', ['-C', folder, '-c', authorization, ...args], { maxBuffer: 256 * 1024 * 1024 })).stdout
  const git = (...args: string[]) => gitIn(directory, ...args)
  // A second repository, which has no objects from bundles.
  const empty = join(directory, 'empty')
  await git('init', '--quiet', '--bare')
  await git('init', '--quiet', '--bare', empty)
  await git('fetch', '--quiet', remote, '+refs/heads/main:refs/heads/main')

  return {
    async refs() {
      const lines = (await git('ls-remote', '--quiet', remote)).trim().split('\n')
      return new Map(lines.map((line) => line.split('\t').reverse() as [string, string]))
    },
    async commits() {
      await git('fetch', '--quiet', '--prune', remote, '+refs/*:refs/*')
      const fields = ['%H', '%T', '%P', '%an <%ae>', '%cn <%ce>', '%(trailers:only,unfold)', '%B'].join('%x00')
      const log = await git('log', '--all', `--format=${fields}%x00%x01`)
      const commits = log.split('\0\x01\n').slice(0, -1)
      return new Map(
        commits.map((line) => {
          const [id = '', tree = '', parents = '', author = '', committer = '', trailers = '', message = ''] =
            line.split('\0')
          return [id, { id, tree, parents, author, committer, trailers: trailers.trim(), message }]
        }),
      )
    },
    async objects() {
      await git('fetch', '--quiet', '--prune', remote, '+refs/*:refs/*')
      const lines = (await git('rev-list', '--objects', '--all')).trim().split('\n')
      return new Set(lines.map((line) => line.slice(0, 40)))
    },
    async bundleTree(bundle) {
      await writeFile(join(directory, 'bundle'), bundle)
      await git('fetch', '--quiet', join(directory, 'bundle'), 'HEAD')
      return (await git('rev-parse', 'FETCH_HEAD^{tree}')).trim()
    },
    async hasObject(id) {
      // Gitea serves every object that it has, even if no ref reaches it.
      try {
        await gitIn(empty, 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head', remote, id)
        return true
      } catch (error) {
        if (String(error).includes(`not our ref ${id}`)) return false
        throw error
      }
    },
  }
}
