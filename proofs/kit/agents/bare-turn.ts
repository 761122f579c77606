/** What a job does, by hand and without a net: clone, the engine in bubblewrap, push, pull request. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PiAgent } from '../../../server/src/runner/agents/pi/pi-agent.ts'
import type { RunningService } from '../running-service.ts'
import type { AgentProject } from './agent-service.ts'

const run = promisify(execFile)
const program = join(new PiAgent().mounts[0]?.from ?? '', 'dist/bundle/cli.js')

export async function bareTurn(
  { gitea, modelUrl }: RunningService,
  { repository }: AgentProject,
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
    await writeFile(join(configuration, 'models.json'), JSON.stringify({ providers: { vendor: provider } }))
    const box = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', directory, directory]
    const agent = ['--print', '--mode', 'json', '--provider', 'vendor', '--model', 'newcomer', '--no-session']
    const plain = ['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files']
    const started = run(
      'bwrap',
      [
        ...box,
        '--unshare-pid',
        '--die-with-parent',
        '--chdir',
        tree,
        process.execPath,
        program,
        ...agent,
        ...plain,
        prompt,
      ],
      {
        env: { PATH: process.env.PATH, PI_CODING_AGENT_DIR: configuration, PI_OFFLINE: '1' },
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    started.child.stdin?.end()
    await started

    await git('checkout', '--quiet', '-b', branch)
    await git('add', '--all')
    await git('-c', 'user.name=By hand', '-c', 'user.email=hand@localhost.invalid', 'commit', '--quiet', '-m', 'Change')
    await git('push', '--quiet', 'origin', branch)
    await repository.asPerson('POST', '/pulls', { title: 'Change', head: branch, base: 'main' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
