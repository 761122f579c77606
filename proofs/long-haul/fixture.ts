/** The machines of machines-vanish, and a runner with an agent, which has a project of its own. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Colophon, ConnectedProject } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { addScriptedModel } from '../../testing/harness/scripted-model.ts'
import { processTree } from '../../testing/services/process-tree.ts'
import { prepareVanishFixture, type VanishFixture } from '../machines-vanish/fixture.ts'
import type { ProofRun } from '../proof.ts'

export interface LongHaulFixture {
  vanish: VanishFixture
  agentProject: ConnectedProject
  agentRunner: ColophonProcess
  /** Temporary files of the agent's runner. */
  runnerDirectory: string
  /** How often a worker was killed while it may have had directories, which the next start of a worker removes after an hour. */
  workerKills: number
  /** What turns have left behind: processes, and directories of processes that were not killed. */
  listLeftovers(): Promise<string[]>
}

/** Of `worker`, while it publishes a turn. */
export const publishingDirectory = /^colophon-git-/

export async function prepareLongHaulFixture(run: ProofRun): Promise<LongHaulFixture> {
  let agent: { project: ConnectedProject; token: string } | undefined
  const vanish = await prepareVanishFixture(run, {
    needsSmallDisks: false,
    async prepareMore(colophon) {
      agent = await prepareAgentProject(colophon)
    },
  })
  if (!agent) throw new Error('the project of the agent was not prepared')
  const { colophon, workers } = vanish
  const runnerDirectory = mkdtempSync(join(tmpdir(), 'colophon-agent-runner-'))
  chmodSync(runnerDirectory, 0o755) // the sandbox runs as another user if this process is root
  run.cleanUp(async () => rmSync(runnerDirectory, { recursive: true, force: true }))
  const agentRunner = await colophon.start('runner', {
    COLOPHON_GATEWAY_URL: workers[1].url,
    COLOPHON_RUNNER_TOKEN: agent.token,
    COLOPHON_RUNNER_CGROUPS: 'optional',
    TMPDIR: runnerDirectory,
  })
  const fixture: LongHaulFixture = {
    vanish,
    agentProject: agent.project,
    agentRunner,
    runnerDirectory,
    workerKills: 0,
    async listLeftovers() {
      const worker = await listChildren(workers[1].machine.process.pid)
      const runner = await listChildren(agentRunner.process.pid)
      const directories = readdirSync(colophon.directory).filter((name) => publishingDirectory.test(name))
      return [
        ...worker.map((pid) => `process ${pid} of worker 2`),
        ...runner.map((pid) => `process ${pid} of the runner`),
        ...directories.slice(fixture.workerKills),
        ...readdirSync(runnerDirectory),
      ]
    },
  }
  return fixture
}

async function prepareAgentProject(colophon: Colophon) {
  await addScriptedModel(colophon, { name: 'agent', format: 'anthropic-messages' })
  const project = await colophon.connectProject('Project of the agent')
  const token = await colophon.createRunnerToken([project.projectId], 'agent-runner')
  return { project, token }
}

export const listChildren = async (pid: number | undefined): Promise<number[]> =>
  pid === undefined ? [] : (await processTree(pid)).map((child) => child.pid).filter((child) => child !== pid)
