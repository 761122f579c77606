/** The git client of a person, for any code host. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { CraftedCommit } from './craft-commit.ts'
import { createPack } from './craft-objects.ts'

const run = promisify(execFile)

export type PersonGit = {
  /** Force-pushes a commit as a person. */
  pushAsPerson(commit: CraftedCommit, branch: string): Promise<void>
  /** Creates a bundle with git itself, like an honest runner: a shallow clone, changed files, one commit, a bundle. */
  createBundleWithGit(branch: string, files: Readonly<Record<string, string>>): Promise<Buffer>
  /** The contents of all files on a branch, by path. */
  readFiles(branch: string): Promise<Record<string, string>>
  readLog(branch: string): Promise<string[]>
  /** The changes on `branch` since it diverged from `base`. */
  readDiff(base: string, branch: string): Promise<string>
  /** The raw commit object, from `tree` to the end of the message. */
  readCommit(id: string): Promise<string>
}

export async function createPersonGit(
  remoteUrl: string,
  { name, token }: { name: string; token: string },
): Promise<PersonGit & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-person-'))
  const basic = Buffer.from(`${name}:${token}`).toString('base64')
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
  // One at a time: two fetches of the same branch fail, because each expects the ref as it was at its start.
  let lastFetch: Promise<unknown> = Promise.resolve()
  const fetchBranch = async (branch: string): Promise<void> => {
    const fetch = () => git('fetch', '--quiet', remoteUrl, `+refs/heads/${branch}:refs/heads/${branch}`)
    lastFetch = lastFetch.then(fetch, fetch)
    await lastFetch
  }

  return {
    async pushAsPerson(commit, branch) {
      const child = execFile('git', ['-C', directory, 'unpack-objects', '-q'])
      child.stdin?.end(createPack(commit.objects.values()))
      await once(child, 'close')
      await git('push', '--quiet', '--force', remoteUrl, `${commit.id}:refs/heads/${branch}`)
    },
    async createBundleWithGit(branch, changed) {
      const clone = await mkdtemp(join(directory, 'clone-'))
      const inClone = (...args: string[]) => run('git', ['-C', clone, ...args], { env })
      await inClone('clone', '--quiet', '--depth=1', `--branch=${branch}`, remoteUrl, '.')
      for (const [path, contents] of Object.entries(changed)) {
        await mkdir(dirname(join(clone, path)), { recursive: true })
        await writeFile(join(clone, path), contents)
      }
      await inClone('add', '--all')
      const author = ['-c', 'user.name=Runner', '-c', 'user.email=runner@example.com']
      await inClone(...author, 'commit', '--quiet', '-m', 'Result')
      await inClone('bundle', 'create', '--quiet', 'out', 'HEAD^..HEAD', 'HEAD')
      return await readFile(join(clone, 'out'))
    },
    async readFiles(branch) {
      await fetchBranch(branch)
      const names = (await git('ls-tree', '-r', '-z', '--name-only', branch)).split('\0').filter((name) => name !== '')
      const contents = await Promise.all(names.map((path) => git('show', `${branch}:${path}`)))
      return Object.fromEntries(names.map((path, index) => [path, contents[index] ?? '']))
    },
    async readLog(branch) {
      await fetchBranch(branch)
      return (await git('log', '--format=%H', branch)).trim().split('\n')
    },
    async readDiff(base, branch) {
      await fetchBranch(base)
      await fetchBranch(branch)
      return git('diff', `${base}...${branch}`)
    },
    readCommit: (id) => git('cat-file', 'commit', id),
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
    },
  }
}
