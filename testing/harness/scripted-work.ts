/**
 * What the test runner does for a turn: the prompt is a script, which is executed with real git on a real clone and reported the
 * way an honest runner does.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ClaimedTurn, TurnReport } from '../../server/src/runner-wire/runner-wire.ts'
import type { ExecuteTurn } from './test-runner.ts'

/** The prompt of a scripted turn, as JSON. */
export interface TurnScript {
  /** `owner/name` on the code host. */
  repository: string
  /** File contents by path. `{runner}` is replaced with the name of the runner. Undefined: nothing is changed. */
  write?: Record<string, string>
  /** How long the agent takes. */
  seconds?: number
  /** How the attempt ends instead of with a result. */
  endAs?: 'agent_failed' | 'released'
  /** Works until it is stopped. */
  untilStopped?: boolean
  title?: string
  summary?: string
}

export const formatScriptPrompt = (script: TurnScript): string => JSON.stringify(script)

/** Returns the remote of a repository and the credential for it. */
export type ResolveRemote = (
  repository: string,
  turn: ClaimedTurn,
) => { url: string; authorization: string } | undefined

export const createGiteaRemoteResolver =
  ({ url, adminName, adminToken }: { url: string; adminName: string; adminToken: string }): ResolveRemote =>
  (repository) => ({
    url: `${url}/${repository}.git`,
    authorization: `Basic ${Buffer.from(`${adminName}:${adminToken}`).toString('base64')}`,
  })

/** Reads through the gateway, as the real runner does: the gateway has the credential for the code host. */
export const createGatewayRemoteResolver =
  (gatewayUrl: string): ResolveRemote =>
  (_, { attemptToken }) => ({ url: `${gatewayUrl}/git`, authorization: `Bearer ${attemptToken}` })

/** Releases the attempt after an error, for example while the code host is down, so that another runner can claim the turn. */
export const releaseAttemptOnError =
  (work: ExecuteTurn): ExecuteTurn =>
  (turn, stopped) =>
    work(turn, stopped).catch(async () => {
      await sleep(500)
      return { kind: 'released' }
    })

export function createPromptScriptExecutor(resolveRemote: ResolveRemote, runnerName = 'runner'): ExecuteTurn {
  return async (turn, stopped) => {
    const script = JSON.parse(turn.prompt) as TurnScript
    await sleep((script.seconds ?? 0) * 1000, undefined, { signal: stopped }).catch(() => {})
    while (script.untilStopped && !stopped.aborted) await sleep(50)
    if (stopped.aborted) return { kind: 'stopped' }
    if (script.endAs === 'agent_failed') return { kind: 'agent_failed', message: 'as scripted' }
    if (script.endAs === 'released') return { kind: 'released' }
    const remote = resolveRemote(script.repository, turn)
    if (!remote) throw new Error(`no remote for ${script.repository}`)
    return executeScript(turn, script, remote, runnerName)
  }
}

async function executeScript(
  turn: ClaimedTurn,
  script: TurnScript,
  { url: remoteUrl, authorization }: { url: string; authorization: string },
  runnerName: string,
): Promise<TurnReport> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-test-turn-'))
  try {
    const git = (...args: string[]) => runGit(join(directory, 'tree'), authorization, args)
    await mkdir(join(directory, 'tree'))
    await git('clone', '--quiet', '--depth=1', `--branch=${turn.startBranch}`, remoteUrl, '.')
    let baseCommit = await git('rev-parse', 'HEAD')
    if (turn.unpublishedWork) {
      baseCommit = turn.unpublishedWork.baseCommit
      await writeFile(join(directory, 'earlier'), Buffer.from(turn.unpublishedWork.bundle, 'base64'))
      await git('fetch', '--quiet', '--depth=1', 'origin', baseCommit)
      await git('fetch', '--quiet', join(directory, 'earlier'), 'HEAD')
      await git('checkout', '--quiet', '--detach', 'FETCH_HEAD')
    }
    for (const [path, contents] of Object.entries(script.write ?? {})) {
      await mkdir(dirname(join(directory, 'tree', path)), { recursive: true })
      await writeFile(join(directory, 'tree', path), contents.replaceAll('{runner}', runnerName))
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
