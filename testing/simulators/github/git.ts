/** git plumbing commands on a bare repository, the basis of GitHub's Git database API. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ignores the git configuration of the machine. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
}

export class GitError extends Error {
  readonly code: number

  constructor(args: readonly string[], code: number, stderr: string) {
    super(`git ${args.join(' ')} failed with ${code}: ${stderr}`)
    this.code = code
  }
}

interface GitOptions {
  stdin?: string | Buffer
  env?: NodeJS.ProcessEnv
}

export async function runGitForBytes(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const child = spawn('git', args, { cwd: directory, env: { ...gitEnvironment, ...options.env } })
  child.stdin.on('error', () => {}) // it may exit without reading
  child.stdin.end(options.stdin ?? '')
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve(exitCode ?? -1))
  })
  if (code !== 0) throw new GitError(args, code, Buffer.concat(errors).toString().trim())
  return Buffer.concat(output)
}

export const git = async (directory: string, args: readonly string[], options?: GitOptions): Promise<string> =>
  (await runGitForBytes(directory, args, options)).toString().trimEnd()

const succeeds = (directory: string, args: readonly string[]): Promise<boolean> =>
  git(directory, args).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false
      throw error
    },
  )

/** Rejects pushes with workflow files if the token may not write workflows. */
const preReceive = `#!/bin/sh
[ "$GITHUB_MAY_WRITE_WORKFLOWS" = yes ] && exit 0
while read -r old new ref; do
  case "$new" in *[!0]*) ;; *) continue ;; esac
  file=$(git rev-list "$new" --not --all |
    git diff-tree --stdin --root -r --no-commit-id --name-only -- .github/workflows | head -n 1)
  [ -z "$file" ] && continue
  echo "refusing to allow $GITHUB_KIND_OF_CALLER to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission" >&2
  exit 1
done
`

export async function initBare(directory: string, defaultBranch: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await git(directory, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${defaultBranch}`])
  await git(directory, ['config', 'http.receivepack', 'true'])
  await git(directory, ['config', 'uploadpack.allowAnySHA1InWant', 'true']) // as GitHub does
  await mkdir(join(directory, 'hooks'), { recursive: true })
  await writeFile(join(directory, 'hooks/pre-receive'), preReceive, { mode: 0o755 })
}

export async function readBranches(directory: string): Promise<Map<string, string>> {
  const lines = await git(directory, ['for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', 'refs/heads'])
  return new Map(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(41), line.slice(0, 40)]),
  )
}

/** Resolves a branch, tag or commit ID. Undefined if it does not exist. */
export async function resolveCommit(directory: string, name: string): Promise<string | undefined> {
  for (const candidate of [`refs/heads/${name}`, `refs/tags/${name}`, name]) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${candidate}^{commit}`]
    const sha = await git(directory, args).catch(() => undefined)
    if (sha) return sha
  }
  return undefined
}

export const refSha = (directory: string, ref: string): Promise<string | undefined> =>
  git(directory, ['rev-parse', '--verify', '--quiet', '--end-of-options', ref]).catch(() => undefined)

export const objectType = (directory: string, sha: string): Promise<string | undefined> =>
  git(directory, ['cat-file', '-t', sha]).catch(() => undefined)

export const isAncestor = (directory: string, ancestor: string, sha: string): Promise<boolean> =>
  succeeds(directory, ['merge-base', '--is-ancestor', ancestor, sha])

export const mergeBase = (directory: string, first: string, second: string): Promise<string | undefined> =>
  git(directory, ['merge-base', first, second]).catch(() => undefined)

export const isValidRefName = (directory: string, ref: string): Promise<boolean> =>
  succeeds(directory, ['check-ref-format', ref])

const noObject = '0'.repeat(40)

/** Pass `old` undefined if the ref must not exist yet. Returns false if the ref has another value. */
export const updateRef = (directory: string, ref: string, sha: string, old: string | undefined): Promise<boolean> =>
  succeeds(directory, ['update-ref', ref, sha, old ?? noObject])

export const deleteRef = (directory: string, ref: string, old: string): Promise<boolean> =>
  succeeds(directory, ['update-ref', '-d', ref, old])

export const writeBlob = (directory: string, contents: string | Buffer): Promise<string> =>
  git(directory, ['hash-object', '-w', '--stdin'], { stdin: contents })

export interface TreeChange {
  path: string
  mode: string
  /** Null deletes the file. */
  sha: string | null
}

export async function writeTree(
  directory: string,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string> {
  const indexFile = join(directory, `index-${randomUUID()}`)
  const env = { GIT_INDEX_FILE: indexFile }
  try {
    await git(directory, ['read-tree', base ?? '--empty'], { env })
    const lines = changes.map(({ path, mode, sha }) => `${sha === null ? '0' : mode} ${sha ?? noObject}\t${path}\0`)
    await git(directory, ['update-index', '--replace', '-z', '--index-info'], { env, stdin: lines.join('') })
    return await git(directory, ['write-tree'], { env })
  } finally {
    await rm(indexFile, { force: true })
  }
}

export interface GitIdentity {
  name: string
  email: string
  date: Date
}

export interface NewCommit {
  tree: string
  parents: readonly string[]
  message: string
  author: GitIdentity
  committer: GitIdentity
  /** ASCII-armored. Null for an unsigned commit. */
  signature: string | null
}

/** Writes the commit object itself, because `commit-tree` can only sign with a local key. */
export function writeCommit(directory: string, commit: NewCommit): Promise<string> {
  const person = ({ name, email, date }: GitIdentity) => `${name} <${email}> ${Math.floor(date.getTime() / 1000)} +0000`
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${person(commit.author)}`,
    `committer ${person(commit.committer)}`,
    ...(commit.signature === null ? [] : [`gpgsig ${commit.signature.replaceAll('\n', '\n ')}`]),
  ]
  return git(directory, ['hash-object', '-w', '-t', 'commit', '--stdin'], {
    stdin: `${lines.join('\n')}\n\n${commit.message}`,
  })
}

export interface Commit {
  sha: string
  tree: string
  parents: string[]
  author: GitIdentity
  committer: GitIdentity
  message: string
}

const commitFormat = '%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B'

/** Newest first. */
export async function readCommits(directory: string, range: readonly string[]): Promise<Commit[]> {
  const text = await git(directory, ['log', '-z', `--format=${commitFormat}`, ...range, '--'])
  const fields = text.replace(/\0$/, '').split('\0')
  const commits: Commit[] = []
  for (let at = 0; at + 9 < fields.length; at += 10) {
    const [sha = '', tree = '', parents = '', ...other] = fields.slice(at, at + 10)
    const [authorName = '', authorEmail = '', authored = '', name = '', email = '', committed = '', message = ''] =
      other
    commits.push({
      sha,
      tree,
      parents: parents.split(' ').filter(Boolean),
      author: { name: authorName, email: authorEmail, date: new Date(authored) },
      committer: { name, email, date: new Date(committed) },
      message: message.trimEnd(),
    })
  }
  return commits
}

export async function readCommit(directory: string, sha: string): Promise<Commit | undefined> {
  if ((await objectType(directory, sha)) !== 'commit') return undefined
  return (await readCommits(directory, ['--max-count=1', sha]))[0]
}

/** Returns the tree of a merge. Undefined if there are conflicts. */
export const mergeTrees = (directory: string, base: string, head: string): Promise<string | undefined> =>
  git(directory, ['merge-tree', '--write-tree', base, head]).catch((error: unknown) => {
    if (error instanceof GitError && error.code === 1) return undefined
    throw error
  })

export interface DiffStatistics {
  additions: number
  deletions: number
  changedFiles: number
}

export async function readDiffStatistics(directory: string, from: string, to: string): Promise<DiffStatistics> {
  const lines = (await git(directory, ['diff-tree', '-r', '-M', '--numstat', from, to])).split('\n').filter(Boolean)
  // A binary file has `-` in place of numbers.
  const sum = (column: 0 | 1) => lines.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0)
  return { additions: sum(0), deletions: sum(1), changedFiles: lines.length }
}

export interface TreeEntry {
  path: string
  mode: string
  type: 'blob' | 'tree' | 'commit'
  sha: string
  sizeBytes: number | undefined
}

export async function readTree(directory: string, tree: string, recursive: boolean): Promise<TreeEntry[]> {
  const text = await git(directory, ['ls-tree', '-l', '-z', ...(recursive ? ['-r', '-t'] : []), tree])
  return text
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const tab = line.indexOf('\t')
      const path = line.slice(tab + 1)
      const [mode = '', type = 'blob', sha = '', size = '-'] = line.slice(0, tab).split(/ +/)
      return {
        path,
        mode,
        sha,
        type: type as TreeEntry['type'],
        sizeBytes: size === '-' ? undefined : Number(size),
      }
    })
}

/** Returns the path of a workflow that is changed by a commit that no ref contains yet. */
export async function findNewWorkflow(directory: string, sha: string): Promise<string | undefined> {
  const commits = await git(directory, ['rev-list', sha, '--not', '--all'])
  const args = ['diff-tree', '--stdin', '--root', '-r', '--no-commit-id', '--name-only', '--', '.github/workflows']
  return (await git(directory, args, { stdin: `${commits}\n` })).split('\n').find(Boolean)
}
