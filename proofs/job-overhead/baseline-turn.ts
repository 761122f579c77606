/** The baseline for a job's overhead: the same steps without Colophon. Clone, the agent in bubblewrap, push, pull request. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PiAgent } from '../../server/src/runner/agents/pi/pi-agent.ts'
import type { Colophon, ProjectWithClient } from '../../testing/harness/colophon.ts'

const run = promisify(execFile)
const agentProgram = join(new PiAgent().mounts[0]?.from ?? '', 'dist/bundle/cli.js')

export async function runTurnWithoutColophon(
  { addresses: { gitea, modelUrl } }: Colophon,
  { repository }: ProjectWithClient,
  { branch, prompt }: { branch: string; prompt: string },
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-bare-'))
  try {
    const tree = join(directory, 'tree')
    const configuration = join(directory, 'pi')
    const remote = new URL(`${gitea.url}/${repository.owner}/${repository.name}.git`)
    remote.username = gitea.adminName
    remote.password = gitea.adminToken
    const git = (...args: string[]) => run('git', ['-C', tree, ...args])
    await run('git', ['clone', '--quiet', '--depth=1', '--branch=main', remote.href, tree])

    await mkdir(configuration)
    const models = [{ id: 'newcomer', contextWindow: 200_000, maxTokens: 32_000 }]
    const provider = { baseUrl: modelUrl, api: 'anthropic-messages', apiKey: 'key', models }
    await writeFile(join(configuration, 'models.json'), JSON.stringify({ providers: { simulator: provider } }))
    const sandboxOptions = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', directory, directory]
    const agentOptions = ['--print', '--mode', 'json', '--provider', 'simulator', '--model', 'newcomer', '--no-session']
    const disabledFeatures = [
      '--no-extensions',
      '--no-skills',
      '--no-prompt-templates',
      '--no-themes',
      '--no-context-files',
    ]
    const agentRun = run(
      'bwrap',
      [
        ...sandboxOptions,
        '--unshare-pid',
        '--die-with-parent',
        '--chdir',
        tree,
        process.execPath,
        agentProgram,
        ...agentOptions,
        ...disabledFeatures,
        prompt,
      ],
      {
        env: { PATH: process.env.PATH, PI_CODING_AGENT_DIR: configuration, PI_OFFLINE: '1' },
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    agentRun.child.stdin?.end()
    await agentRun

    await git('checkout', '--quiet', '-b', branch)
    await git('add', '--all')
    await git(
      '-c',
      'user.name=Baseline',
      '-c',
      'user.email=baseline@localhost.invalid',
      'commit',
      '--quiet',
      '-m',
      'Change',
    )
    await git('push', '--quiet', 'origin', branch)
    await repository.callAsAdmin('POST', '/pulls', { title: 'Change', head: branch, base: 'main' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
