/** A bare repository in a temporary directory, and what we ask git to do in it. */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Egress } from '../../platform/egress/egress.ts'
import { type CommitId, type GitRemote, isCommitId } from '../code-host.ts'
import { CodeHostError } from '../code-host-error.ts'
import { type GitRelay, startGitRelay } from './git-relay.ts'
import { type ObjectReader, openObjectReader } from './object-reader.ts'
import { type GitCommand, type GitRun, runGit } from './run-git.ts'

export type CommitDetails = {
  message: string
  /** Author and committer. */
  identity: { name: string; email: string }
  /** The turn's, not the clock's: the same turn gives the same commit, however often it is made. */
  date: Date
}

export type GitRepositoryDeps = {
  remote: GitRemote
  egress: Egress
  /** Ends everything under way, git included. */
  signal: AbortSignal
}

export type UnpackRefusal = 'broken_objects' | 'dot_git' | 'git_configuration' | 'path_traversal' | 'too_costly'

/** What fsck finds before our own look at names does. */
const fsckFindings: readonly (readonly [RegExp, UnpackRefusal])[] = [
  [/^hasDotgit$/, 'dot_git'],
  [/^git(modules|attributes|ignore)/, 'git_configuration'],
  [/^(hasDot|hasDotdot|fullPathname)$/, 'path_traversal'],
]

const directoryPrefix = 'colophon-publish-'
const configuration = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
const networkSeconds = 150
const maxListedBytes = 64 * 1024 * 1024
const maxListedCommits = 2_000

export type ListedCommit = { id: CommitId; tree: string; parents: readonly CommitId[] }

export class GitRepository {
  readonly #directory: string
  readonly #relay: GitRelay
  readonly #signal: AbortSignal

  private constructor(directory: string, relay: GitRelay, signal: AbortSignal) {
    this.#directory = directory
    this.#relay = relay
    this.#signal = signal
  }

  static async open({ remote, egress, signal }: GitRepositoryDeps): Promise<GitRepository> {
    const directory = await mkdtemp(join(tmpdir(), directoryPrefix))
    // By hand rather than by `git init`, whose templates are the machine's.
    await mkdir(join(directory, 'objects/pack'), { recursive: true })
    await mkdir(join(directory, 'refs'))
    await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n')
    await writeFile(join(directory, 'config'), configuration)
    return new GitRepository(directory, await startGitRelay(remote, egress, signal), signal)
  }

  async close(): Promise<void> {
    this.#relay.close()
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 3 })
  }

  openObjects(): ObjectReader {
    return openObjectReader({ gitDirectory: this.#directory, signal: this.#signal })
  }

  /** Commits and directories, without what is in the files: a repository full of images costs no more than its names. */
  async fetch(commit: CommitId, depth: number): Promise<'fetched' | 'gone'> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none', `--depth=${depth}`]
    const run = await this.#callHost(['fetch', ...options, 'origin', commit])
    if (run.exitCode === 0) return 'fetched'
    if (/not our ref|unadvertised object/.test(run.stderr)) return 'gone'
    throw unexpected('fetch', run)
  }

  async remoteHead(branch: string): Promise<CommitId | undefined> {
    const ref = `refs/heads/${branch}`
    const run = await this.#callHost(['ls-remote', '--quiet', 'origin', ref])
    if (run.exitCode !== 0) throw unexpected('ls-remote', run)
    // Also lists refs/heads/x/refs/heads/main when asked for main.
    const lines = run.stdout.toString().split('\n')
    const head = lines.find((line) => line.endsWith(`\t${ref}`))?.slice(0, 40) ?? ''
    return isCommitId(head) ? head : undefined
  }

  /** Whether the branch leads back to a commit that is here. Looked for only so far: a base is seldom older than a day. */
  async isOnBranch(commit: CommitId, branch: string): Promise<boolean> {
    const head = await this.remoteHead(branch)
    if (head === undefined || head === commit) return head === commit
    for (const depth of [50, 2_000]) {
      if ((await this.fetch(head, depth)) === 'gone') return false
      if (await this.isAncestor(commit, head)) return true
    }
    return false
  }

  /**
   * With `--fsck-objects`, and not `--strict`: that also wants every file that a directory names to be here. A pack may
   * hold differences to files that were not fetched; git then asks the host for those.
   */
  async unpack(pack: Buffer): Promise<'unpacked' | UnpackRefusal> {
    const options = ['--stdin', '--fix-thin', '--fsck-objects', '--threads=1', `--max-input-size=${pack.length}`]
    const run = await this.#callHost(['index-pack', ...options], pack)
    if (run.exitCode === 0) return 'unpacked'
    if (run.exitCode === undefined || /out of memory|mmap failed/i.test(run.stderr)) return 'too_costly'
    const [, finding = ''] = /object [0-9a-f]{40}: (\w+):/.exec(run.stderr) ?? []
    return fsckFindings.find(([pattern]) => pattern.test(finding))?.[1] ?? 'broken_objects'
  }

  async isAncestor(older: CommitId, newer: CommitId): Promise<boolean> {
    const run = await this.#run(['merge-base', '--is-ancestor', older, newer])
    if (run.exitCode === 0 || run.exitCode === 1) return run.exitCode === 0
    // A history whose middle is missing is not one that we know to lead there.
    if (run.exitCode === 128) return false
    throw unexpected('merge-base', run)
  }

  /** That are here, newest first, and not what led to `since`. */
  async listCommits(head: CommitId, since: CommitId): Promise<ListedCommit[]> {
    const options = [`--max-count=${maxListedCommits}`, '--format=%H %T %P']
    const run = await this.#run(['log', ...options, head, `^${since}`])
    if (run.exitCode !== 0) throw unexpected('log', run)
    const lines = run.stdout.toString().split('\n')
    return lines.flatMap((line) => {
      const [id, tree, ...parents] = line.split(' ').filter((word) => word !== '')
      return id && tree ? [{ id, tree, parents }] : []
    })
  }

  async listFileIds(tree: string): Promise<Set<string>> {
    const options = ['-r', '--format=%(objecttype) %(objectname)']
    const run = await this.#run(['ls-tree', ...options, tree], { limits: { outputBytes: maxListedBytes } })
    if (run.exitCode !== 0) throw unexpected('ls-tree', run)
    // Not a submodule's commit: a file of that id is one that nobody has.
    const ids = new Set<string>()
    for (const [, id = ''] of run.stdout.toString('latin1').matchAll(/^blob (\w+)$/gm)) ids.add(id)
    return ids
  }

  async commitTree(tree: string, parent: CommitId, { message, identity, date }: CommitDetails): Promise<CommitId> {
    const seconds = `@${Math.floor(date.getTime() / 1000)} +0000`
    const run = await this.#run(['commit-tree', tree, '-p', parent, '-F', '-'], {
      stdin: message,
      environment: {
        GIT_AUTHOR_NAME: identity.name,
        GIT_AUTHOR_EMAIL: identity.email,
        GIT_AUTHOR_DATE: seconds,
        GIT_COMMITTER_NAME: identity.name,
        GIT_COMMITTER_EMAIL: identity.email,
        GIT_COMMITTER_DATE: seconds,
      },
    })
    return idIn('commit-tree', run)
  }

  /** The tree of both together; undefined when they contradict each other. */
  async mergeTrees(ours: CommitId, theirs: CommitId): Promise<string | undefined> {
    const run = await this.#callHost(['merge-tree', '--write-tree', '--no-messages', ours, theirs])
    return run.exitCode === 1 ? undefined : idIn('merge-tree', run)
  }

  async patch(before: CommitId, after: CommitId, maxBytes: number): Promise<{ patch: string; isWhole: boolean }> {
    const options = ['-p', '--no-ext-diff', '--no-textconv', '--find-renames', '--no-color']
    const run = await this.#callHost(['diff-tree', ...options, before, after], undefined, maxBytes)
    if (run.exitCode !== 0 && run.stdout.length === 0) throw unexpected('diff-tree', run)
    return { patch: run.stdout.toString(), isWhole: run.exitCode === 0 }
  }

  /** Never by force. */
  async push(commit: CommitId, branch: string): Promise<'pushed' | 'rejected'> {
    const run = await this.#callHost(['push', '--porcelain', '--no-verify', 'origin', `${commit}:refs/heads/${branch}`])
    if (run.exitCode === 0) return 'pushed'
    const response = run.stdout.toString()
    if (response.includes('\t[rejected] ')) return 'rejected'
    const [, reason] = /\t\[remote rejected\] \((.*)\)/.exec(response) ?? []
    // Two pushes at the same moment: the loser may look again.
    if (reason && /lock|failed to update ref|incorrect old value/i.test(reason)) return 'rejected'
    if (reason) {
      const words = `${reason} ${remoteLines(run.stderr)}`.replace(/[^\P{C} ]+|\s+/gu, ' ').trim()
      throw new CodeHostError(
        { kind: 'final', code: 'push_refused' },
        `The host refused the push: ${words.slice(0, 300)}`,
      )
    }
    throw unexpected('push', run)
  }

  /** For commands that talk to the host, or ask it for files that were not fetched. */
  async #callHost(args: readonly string[], stdin?: Buffer, outputBytes?: number): Promise<GitRun> {
    const run = await this.#run(args, {
      ...(stdin && { stdin }),
      config: {
        'remote.origin.url': this.#relay.url,
        'remote.origin.promisor': 'true',
        'http.extraHeader': this.#relay.header,
      },
      limits: { wallSeconds: networkSeconds, ...(outputBytes !== undefined && { outputBytes }) },
    })
    // Git notes where missing files can be had. The other commands are not to ask there: what a result names and does
    // not bring along is missing.
    await writeFile(join(this.#directory, 'config'), configuration)
    const failure = this.#relay.takeFailure()
    if (failure && run.exitCode !== 0) throw failure
    return run
  }

  #run(args: readonly string[], more: Partial<GitCommand> = {}): Promise<GitRun> {
    return runGit({ gitDirectory: this.#directory, signal: this.#signal, args, ...more })
  }
}

/** What a killed process left behind. Those in use are younger: no publishing takes an hour. */
export async function removeAbandonedRepositories(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(directoryPrefix)) continue
    const directory = join(tmpdir(), name)
    const changedAt = await stat(directory).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - changedAt > 3_600_000) await rm(directory, { recursive: true, force: true })
  }
}

function idIn(command: string, run: GitRun): string {
  const id = run.stdout.toString().slice(0, 40)
  if (run.exitCode === 0 && isCommitId(id)) return id
  throw unexpected(command, run)
}

const remoteLines = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .join(' ')

function unexpected(command: string, { exitCode, stderr }: GitRun): CodeHostError {
  const how = exitCode === undefined ? 'was stopped' : `ended with ${exitCode}`
  const words = stderr
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(-300)
  return new CodeHostError({ kind: 'retry', code: 'unexpected_response' }, `git ${command} ${how}: ${words}`)
}
