/** A bare repository in a temporary directory, and the git commands that run in it. */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Egress } from '../../platform/egress/egress.ts'
import { type CommitId, type GitRemote, isCommitId } from '../code-host.ts'
import { CodeHostError } from '../code-host-error.ts'
import { type GitRelay, startGitRelay } from './git-relay.ts'
import { type ObjectReader, openObjectReader } from './object-reader.ts'
import { type GitCommandOptions, type GitResult, runGit } from './run-git.ts'

export type CommitDetails = {
  message: string
  /** Author and committer. */
  identity: { name: string; email: string }
  /** The date of the turn, not the current time: the same turn always results in the same commit id. */
  date: Date
}

export type GitRepositoryDeps = {
  remote: GitRemote
  egress: Egress
  /** Aborts everything in progress, including git. */
  signal: AbortSignal
}

export type UnpackRefusal =
  | 'invalid_objects'
  | 'dot_git'
  | 'git_configuration'
  | 'path_traversal'
  | 'resource_limit_exceeded'

/** Names that fsck rejects before our own checks see them. */
const fsckFindings: readonly (readonly [RegExp, UnpackRefusal])[] = [
  [/^hasDotgit$/, 'dot_git'],
  [/^git(modules|attributes|ignore)/, 'git_configuration'],
  [/^(hasDot|hasDotdot|fullPathname)$/, 'path_traversal'],
]

const directoryPrefix = 'colophon-publish-'
const configuration = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
const networkSeconds = 150
const submoduleMode = '160000'
const maxListedBytes = 64 * 1024 * 1024
const maxListedCommits = 2_000
/** Larger than everything that a result may contain. */
const maxTextBytes = 32 * 1024 * 1024

export type Patch = {
  patch: string
  isComplete: boolean
  textPaths: readonly string[]
  /** Files that the patch only names. */
  binaryPaths: readonly string[]
}

/** Paths of files with conflicts have one character per byte (Latin-1). */
export type MergedTree = { tree: string; conflicts: readonly string[] }

export type TreeFile = { mode: string; id: string }

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
    // Created by hand, because `git init` uses the templates of the machine.
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

  /**
   * Fetches commits and trees without blobs: a repository full of images costs no more than its file names. The last fetch of a commit
   * decides how much of its history is here.
   */
  async fetch(commits: CommitId | readonly CommitId[], depth: number): Promise<'fetched' | 'gone'> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none', `--depth=${depth}`]
    const run = await this.#callHost(['fetch', ...options, 'origin', ...[commits].flat()])
    if (run.exitCode === 0) return 'fetched'
    if (/not our ref|unadvertised object/.test(run.stderr)) return 'gone'
    throw unexpectedExit('fetch', run)
  }

  async remoteHead(branch: string): Promise<CommitId | undefined> {
    const ref = `refs/heads/${branch}`
    const run = await this.#callHost(['ls-remote', '--quiet', 'origin', ref])
    if (run.exitCode !== 0) throw unexpectedExit('ls-remote', run)
    // For main, ls-remote also lists refs/heads/x/refs/heads/main.
    const lines = run.stdout.toString().split('\n')
    const head = lines.find((line) => line.endsWith(`\t${ref}`))?.slice(0, 40) ?? ''
    return isCommitId(head) ? head : undefined
  }

  /** Whether the branch contains a commit that was fetched. The search depth is limited: a base is rarely older than a day. */
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
   * Uses `--fsck-objects` and not `--strict`, which also requires every blob that a tree names. A pack may contain deltas
   * against blobs that were not fetched; git then requests those from the host.
   */
  async unpack(pack: Buffer): Promise<'unpacked' | UnpackRefusal> {
    const options = ['--stdin', '--fix-thin', '--fsck-objects', '--threads=1', `--max-input-size=${pack.length}`]
    const run = await this.#callHost(['index-pack', ...options], pack)
    if (run.exitCode === 0) return 'unpacked'
    if (run.exitCode === undefined || /out of memory|mmap failed/i.test(run.stderr)) return 'resource_limit_exceeded'
    const [, finding = ''] = /object [0-9a-f]{40}: (\w+):/.exec(run.stderr) ?? []
    return fsckFindings.find(([pattern]) => pattern.test(finding))?.[1] ?? 'invalid_objects'
  }

  async isAncestor(older: CommitId, newer: CommitId): Promise<boolean> {
    const run = await this.#run(['merge-base', '--is-ancestor', older, newer])
    if (run.exitCode === 0 || run.exitCode === 1) return run.exitCode === 0
    // Commits between the two are missing, so the ancestry cannot be verified.
    if (run.exitCode === 128) return false
    throw unexpectedExit('merge-base', run)
  }

  /** Fetched commits, newest first, without `since` and its ancestors. */
  async listCommits(head: CommitId, since: CommitId): Promise<ListedCommit[]> {
    const options = [`--max-count=${maxListedCommits}`, '--format=%H %T %P']
    const run = await this.#run(['log', ...options, head, `^${since}`])
    if (run.exitCode !== 0) throw unexpectedExit('log', run)
    const lines = run.stdout.toString().split('\n')
    return lines.flatMap((line) => {
      const [id, tree, ...parents] = line.split(' ').filter((field) => field !== '')
      return id && tree ? [{ id, tree, parents }] : []
    })
  }

  /** The blobs of a tree by path, without submodules. */
  async listFiles(tree: string): Promise<Map<string, string>> {
    const entries = [...(await this.listEntries(tree))]
    return new Map(entries.filter(([, { mode }]) => mode !== submoduleMode).map(([path, { id }]) => [path, id]))
  }

  /** All entries of a tree but directories, by path. Paths have one character per byte (Latin-1). */
  async listEntries(tree: string): Promise<Map<string, TreeFile>> {
    const run = await this.#run(['ls-tree', '-r', '-z', tree], { limits: { maxOutputBytes: maxListedBytes } })
    if (run.exitCode !== 0) throw unexpectedExit('ls-tree', run)
    const entries = new Map<string, TreeFile>()
    for (const [, mode = '', id = '', path = ''] of run.stdout
      .toString('latin1')
      .matchAll(/(\d+) \w+ (\w+)\t([^\0]*)\0/g))
      entries.set(path, { mode, id })
    return entries
  }

  /** A tree with other entries at these paths. Undefined: without the entry. */
  async replaceEntries(tree: string, entries: ReadonlyMap<string, TreeFile | undefined>): Promise<string> {
    if (entries.size === 0) return tree
    const environment = { GIT_INDEX_FILE: join(this.#directory, 'index') }
    await rm(environment.GIT_INDEX_FILE, { force: true })
    const readTree = await this.#run(['read-tree', tree], { environment })
    if (readTree.exitCode !== 0) throw unexpectedExit('read-tree', readTree)
    const lines = [...entries].map(([path, entry]) =>
      entry ? `${entry.mode} ${entry.id}\t${path}\0` : `0 ${'0'.repeat(40)}\t${path}\0`,
    )
    const stdin = Buffer.from(lines.join(''), 'latin1')
    const update = await this.#run(['update-index', '-z', '--index-info'], { environment, stdin })
    if (update.exitCode !== 0) throw unexpectedExit('update-index', update)
    return readObjectId('write-tree', await this.#run(['write-tree', '--missing-ok'], { environment }))
  }

  /** Fetches blobs that `fetch` left out. The caller must know that the host has them: otherwise this fails. */
  async fetchBlobs(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--filter=blob:none', '--stdin']
    const run = await this.#callHost(['fetch', ...options, 'origin'], Buffer.from(`${ids.join('\n')}\n`))
    if (run.exitCode !== 0) throw unexpectedExit('fetch', run)
  }

  async commitTree(
    tree: string,
    parents: readonly CommitId[],
    { message, identity, date }: CommitDetails,
  ): Promise<CommitId> {
    const seconds = `@${Math.floor(date.getTime() / 1000)} +0000`
    const run = await this.#run(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
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
    return readObjectId('commit-tree', run)
  }

  /** The merged tree; undefined if there are conflicts. */
  async mergeTrees(ours: CommitId, theirs: CommitId): Promise<string | undefined> {
    const run = await this.#callHost(['merge-tree', '--write-tree', '--no-messages', ours, theirs])
    return run.exitCode === 1 ? undefined : readObjectId('merge-tree', run)
  }

  /**
   * Merges two commits as far as git can; files with conflicts contain conflict markers. Undefined: no common ancestor of the two
   * was fetched. The runner uses the same command, so that both know the same files to have been merged by git alone.
   */
  async mergeWithConflicts(ours: CommitId, theirs: CommitId): Promise<MergedTree | undefined> {
    // A file in a directory that the other branch renamed stays where it is: git only guesses that it should move.
    const config = ['-c', 'merge.directoryRenames=false']
    const options = ['--write-tree', '--no-messages', '--name-only', '-z']
    const run = await this.#callHost([...config, 'merge-tree', ...options, ours, theirs])
    if (run.exitCode === 128) return undefined
    const [tree = '', ...paths] = run.stdout.toString('latin1').split('\0')
    if ((run.exitCode !== 0 && run.exitCode !== 1) || !isCommitId(tree)) throw unexpectedExit('merge-tree', run)
    return { tree, conflicts: paths.filter((path) => path !== '') }
  }

  /**
   * The difference of two commits or trees, for people. Git shows large files, and those with a NUL character near the beginning, as
   * binary. The blob ids are complete, so that the text identifies what it does not show.
   */
  async patch(before: string, after: string, maxBytes: number): Promise<Patch> {
    const config = ['-c', 'core.quotePath=false', '-c', `core.bigFileThreshold=${maxTextBytes}`]
    const options = ['-r', '--no-ext-diff', '--no-textconv', '--find-renames', '--no-color', '--full-index']
    const run = await this.#callHost([...config, 'diff-tree', '-p', ...options, before, after], undefined, maxBytes)
    if (run.exitCode !== 0 && run.stdout.length === 0) throw unexpectedExit('diff-tree', run)
    const numbers = await this.#callHost([...config, 'diff-tree', '--numstat', '-z', ...options, before, after])
    if (numbers.exitCode !== 0) throw unexpectedExit('diff-tree', numbers)
    // PostgreSQL cannot store NUL.
    const text = run.stdout.toString().replaceAll('\0', '\ufffd')
    const isComplete = run.exitCode === 0
    return {
      patch: isComplete ? text : `${text}\n(cut off; the result is ${after})\n`,
      isComplete,
      ...parseNumstat(numbers.stdout.toString()),
    }
  }

  /** Never uses force. */
  async push(commit: CommitId, branch: string): Promise<'pushed' | 'rejected'> {
    const run = await this.#callHost(['push', '--porcelain', '--no-verify', 'origin', `${commit}:refs/heads/${branch}`])
    if (run.exitCode === 0) return 'pushed'
    const response = run.stdout.toString()
    if (response.includes('\t[rejected] ')) return 'rejected'
    const [, reason] = /\t\[remote rejected\] \((.*)\)/.exec(response) ?? []
    // Another push happened at the same time: the caller may prepare the commit again.
    if (reason && /lock|failed to update ref|incorrect old value/i.test(reason)) return 'rejected'
    if (reason) {
      const details = `${reason} ${remoteLines(run.stderr)}`.replace(/[^\P{C} ]+|\s+/gu, ' ').trim()
      throw new CodeHostError(
        { kind: 'final', code: 'push_rejected' },
        `The code host rejected the push: ${details.slice(0, 300)}`,
      )
    }
    throw unexpectedExit('push', run)
  }

  /** For commands that connect to the host, or that may request missing blobs from it. */
  async #callHost(args: readonly string[], stdin?: Buffer, maxOutputBytes?: number): Promise<GitResult> {
    const run = await this.#run(args, {
      ...(stdin && { stdin }),
      config: {
        'remote.origin.url': this.#relay.url,
        'remote.origin.promisor': 'true',
        'http.extraHeader': this.#relay.header,
      },
      limits: { timeoutSeconds: networkSeconds, ...(maxOutputBytes !== undefined && { maxOutputBytes }) },
    })
    // Git saves where missing blobs can be fetched from. Other commands must not fetch them: a blob that a result names but
    // does not include is missing.
    await writeFile(join(this.#directory, 'config'), configuration)
    const failure = this.#relay.popFailure()
    if (failure && run.exitCode !== 0) throw failure
    return run
  }

  #run(args: readonly string[], options: Partial<GitCommandOptions> = {}): Promise<GitResult> {
    return runGit({ gitDirectory: this.#directory, signal: this.#signal, args, ...options })
  }
}

/** Removes directories that a killed process left behind. Those in use are newer, because publishing never takes an hour. */
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

/** Fields like `3\t1\tpath`, of a binary file `-\t-\tpath`. Of a renamed file the path is empty, and both paths follow. */
function parseNumstat(numstat: string): Pick<Patch, 'textPaths' | 'binaryPaths'> {
  const textPaths: string[] = []
  const binaryPaths: string[] = []
  const fields = numstat.split('\0')
  for (let index = 0; index < fields.length; index++) {
    const [added, , path] = (fields[index] ?? '').split('\t')
    if (path === undefined) continue
    const paths = added === '-' ? binaryPaths : textPaths
    paths.push(path === '' ? (fields[index + 2] ?? '') : path)
    if (path === '') index += 2
  }
  return { textPaths, binaryPaths }
}

function readObjectId(command: string, run: GitResult): string {
  const id = run.stdout.toString().slice(0, 40)
  if (run.exitCode === 0 && isCommitId(id)) return id
  throw unexpectedExit(command, run)
}

const remoteLines = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .join(' ')

function unexpectedExit(command: string, { exitCode, stderr }: GitResult): CodeHostError {
  const outcome = exitCode === undefined ? 'was killed' : `exited with code ${exitCode}`
  const details = stderr
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(-300)
  return new CodeHostError({ kind: 'retry', code: 'unexpected_response' }, `git ${command} ${outcome}: ${details}`)
}
