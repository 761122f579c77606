/**
 * What the test runner does for a turn: the prompt is a script, played with real git on a real clone, and reported as an
 * honest runner would.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ClaimedTurn, TurnReport } from '../../server/src/runner-wire/runner-wire.ts'
import type { Work } from './test-runner.ts'

/** The prompt of a scripted turn, as JSON. */
export interface TurnScript {
  /** `owner/name` on the code host. */
  repository: string
  /** Files to write, by path; none: nothing is changed. */
  write?: Record<string, string>
  /** How long the agent thinks. */
  seconds?: number
  /** Instead of a result. */
  ends?: 'agent_failed' | 'handed_back'
  /** Works until it is told to stop. */
  untilStopped?: boolean
  title?: string
  summary?: string
}

export const promptOf = (script: TurnScript): string => JSON.stringify(script)

/** Where a repository is read, and as whom. */
export type GitOf = (repository: string, turn: ClaimedTurn) => { url: string; authorization: string } | undefined

export const giteaGit =
  ({ url, adminName, adminToken }: { url: string; adminName: string; adminToken: string }): GitOf =>
  (repository) => ({
    url: `${url}/${repository}.git`,
    authorization: `Basic ${Buffer.from(`${adminName}:${adminToken}`).toString('base64')}`,
  })

/** By the gateway, as the real runner does: it has the way in to the code host. */
export const gatewayGit =
  (gatewayUrl: string): GitOf =>
  (_, { attemptToken }) => ({ url: `${gatewayUrl}/git`, authorization: `Bearer ${attemptToken}` })

/** The code host is away: somebody else may have more luck. */
export const handingBack =
  (work: Work): Work =>
  (turn, stopped) =>
    work(turn, stopped).catch(async () => {
      await sleep(500)
      return { kind: 'handed_back' }
    })

export function scriptedWork(gitOf: GitOf): Work {
  return async (turn, stopped) => {
    const script = JSON.parse(turn.prompt) as TurnScript
    await sleep((script.seconds ?? 0) * 1000, undefined, { signal: stopped }).catch(() => {})
    while (script.untilStopped && !stopped.aborted) await sleep(50)
    if (stopped.aborted) return { kind: 'stopped' }
    if (script.ends === 'agent_failed') return { kind: 'agent_failed', message: 'as scripted' }
    if (script.ends === 'handed_back') return { kind: 'handed_back' }
    const git = gitOf(script.repository, turn)
    if (!git) throw new Error(`nobody knows where ${script.repository} is`)
    return perform(turn, script, git.url, git.authorization)
  }
}

async function perform(
  turn: ClaimedTurn,
  script: TurnScript,
  remote: string,
  authorization: string,
): Promise<TurnReport> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-test-turn-'))
  try {
    const git = (...args: string[]) => runGit(join(directory, 'tree'), authorization, args)
    await mkdir(join(directory, 'tree'))
    await git('clone', '--quiet', '--depth=1', `--branch=${turn.startBranch}`, remote, '.')
    let baseCommit = await git('rev-parse', 'HEAD')
    if (turn.earlier) {
      baseCommit = turn.earlier.baseCommit
      await writeFile(join(directory, 'earlier'), Buffer.from(turn.earlier.bundle, 'base64'))
      await git('fetch', '--quiet', '--depth=1', 'origin', baseCommit)
      await git('fetch', '--quiet', join(directory, 'earlier'), 'HEAD')
      await git('checkout', '--quiet', '--detach', 'FETCH_HEAD')
    }
    for (const [path, contents] of Object.entries(script.write ?? {})) {
      await mkdir(dirname(join(directory, 'tree', path)), { recursive: true })
      await writeFile(join(directory, 'tree', path), contents)
    }
    await git('add', '--all')
    const isChanged = (await git('status', '--porcelain')) !== ''
    if (isChanged) await git('commit', '--quiet', '-m', 'Result')
    if (isChanged) await git('bundle', 'create', '--quiet', join(directory, 'result'), `${baseCommit}..HEAD`, 'HEAD')
    return {
      kind: 'result',
      baseCommit,
      bundle: isChanged ? await readFile(join(directory, 'result')) : null,
      session: null,
      title: script.title ?? 'Scripted',
      summary: script.summary ?? 'As the script says.',
      reply: isChanged ? 'Done.' : 'There was nothing to do.',
      checks: [],
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const run = promisify(execFile)

async function runGit(directory: string, authorization: string, args: readonly string[]): Promise<string> {
  const settings = {
    'user.name': 'Runner',
    'user.email': 'runner@localhost.invalid',
    'http.extraHeader': `Authorization: ${authorization}`,
  }
  const env: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
  }
  for (const [index, [name, value]] of Object.entries(settings).entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = name
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return (await run('git', ['-C', directory, ...args], { env, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
}
