/**
 * Each client, installed from its package into an empty directory, does what people use it for while the network fails: create a
 * job, wait, send a follow-up message, wait, read the diff, send and read page views. Then every example of its README runs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { type Relay, startRelay } from '../testing/harness/relay/relay.ts'
import { addScriptedModel, formatFinalAgentReply, promptWithScript } from '../testing/harness/scripted-model.ts'
import { runCommand } from '../testing/services/run-command.ts'
import type { Script } from '../testing/simulators/model/script.ts'
import { commandClient } from './clients/command-client.ts'
import { mcpClient } from './clients/mcp-client.ts'
import { pythonClients } from './clients/python-client.ts'
import { type Fault, runScenario, type StepFaults } from './clients/run-scenario.ts'
import type { StepName, TestedClient } from './clients/tested-client.ts'
import { typescriptClient } from './clients/typescript-client.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'Each client, installed from its package into an empty directory, creates one job, waits for it, continues it and reads its changes and page views while the network is cut and api restarts; every example of its README runs'

const clients: readonly TestedClient[] = [typescriptClient, commandClient, ...pythonClients, mcpClient]

export async function prove(run: ProofRun): Promise<void> {
  for (const client of clients) await client.build()
  const colophon = await startColophon(run, 'clients')
  await addScriptedModel(colophon, { name: 'scripted', format: 'anthropic-messages', isDefault: true })
  await colophon.startRunner()
  for (const client of clients) {
    const directory = mkdtempSync(join(tmpdir(), 'colophon-client-'))
    run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
    await client.install(directory, colophon.api.url)
    run.log(`${client.name}: installed`)
    const total: FaultCounts = { lostResponses: 0, cuts: 0, restarts: 0 }
    for (let round = 1; round <= rounds[run.size]; round++) {
      const { lostResponses, cuts, restarts } = await survivesFaults(run, colophon, client, directory)
      total.lostResponses += lostResponses
      total.cuts += cuts
      total.restarts += restarts
    }
    run.figure(
      `${client.name}: rounds with one job each; lost responses, cuts, restarts of api`,
      `${rounds[run.size]}; ${total.lostResponses}, ${total.cuts}, ${total.restarts}`,
    )
    await runsExamples(run, colophon, client, directory)
  }
}

interface FaultCounts {
  lostResponses: number
  cuts: number
  restarts: number
}

/** The faults come at other times in each round. */
const rounds = { ci: 1, stated: 5, full: 20 }

const pageStep = (path: string, content: string): Script[number] => ({
  call: [{ tool: 'write', arguments: { path, content } }],
})
/** Long enough for the faults. */
const slowSteps: Script = Array.from({ length: 6 }, (_, step) => ({
  say: `Step ${step}.`,
  call: [{ tool: 'bash', arguments: { command: 'sleep 0.5' } }],
}))

async function survivesFaults(
  run: ProofRun,
  colophon: RunningColophon,
  client: TestedClient,
  directory: string,
): Promise<FaultCounts> {
  const project = await colophon.connectProject(client.name)
  const { projectId } = project
  const relay = await startRelay(colophon.api.url)
  run.cleanUp(relay.stop)
  const count: FaultCounts = { lostResponses: 0, cuts: 0, restarts: 0 }

  const countRows = async (table: 'job' | 'turn' | 'source_coverage'): Promise<number> =>
    (await colophon.pool.query(`SELECT 1 FROM ${table} WHERE project_id = $1`, [projectId])).rowCount ?? 0
  const countJobs = () => countRows('job')
  const countTurns = () => countRows('turn')
  /** Written together with the first view of a project. */
  const countReportedMonths = () => countRows('source_coverage')
  const cut = async () => {
    await relay.setFault({ kind: 'cut' })
    count.cuts++
    await sleep(200 + run.random() * 800)
    await relay.setFault({ kind: 'none' })
  }
  /** The server does the work, which `countDone` shows, and the client does not learn it. */
  const loseResponse = (countDone: () => Promise<number>): StepFaults => {
    let before = 0
    return {
      before: async () => {
        before = await countDone()
        await relay.setFault({ kind: 'lose_responses' })
      },
      during: async () => {
        await waitUntil(async () => (await countDone()) > before, 'the server has done the work')
        count.lostResponses++
        await cut()
      },
    }
  }
  const faults: Record<StepName, StepFaults> = {
    create: loseResponse(countJobs),
    wait: {
      during: async () => {
        await sleep(500 + run.random() * 1_000)
        await cut()
        await sleep(run.random() * 1_000)
        await colophon.api.process.kill()
        await colophon.api.process.start()
        count.restarts++
      },
    },
    message: loseResponse(countTurns),
    'wait again': { during: cutAfter(run, cut) },
    diff: { before: () => relay.setFault({ kind: 'cut' }), during: restoreSoon(relay) },
    'send views': loseResponse(countReportedMonths),
    'read views': { during: cutAfter(run, cut) },
  }
  const settings = {
    COLOPHON_URL: relay.url,
    COLOPHON_API_KEY: project.key,
    COLOPHON_PROJECT_ID: projectId,
    FIRST_PROMPT: promptWithScript('Explain proxies.', [
      ...slowSteps,
      pageStep('docs/proxies.md', '# Proxies\n\nThe first version.\n'),
      { say: formatFinalAgentReply('Explain proxies', 'Adds a page about proxies.') },
    ]),
    SECOND_PROMPT: promptWithScript('Make it shorter.', [
      ...slowSteps,
      pageStep('docs/proxies.md', '# Proxies\n\nShort.\n'),
      { say: formatFinalAgentReply('Explain proxies', 'Shortens the page.') },
    ]),
  }
  const startedAt = performance.now()
  const results = await runScenario(await client.prepareScenario(directory), { directory, settings }, faults)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)

  const check = (ok: boolean, message: string) => run.check(ok, `${client.name}: ${message}`)
  const jobs = await countJobs()
  const turns = await countTurns()
  check(jobs === 1, `a lost response does not create a second job, got ${jobs} jobs`)
  check(turns === 2, `a lost response does not send the message twice, got ${turns} turns`)
  for (const name of ['wait', 'wait again'] as const) {
    const { status, prLink } = results[name]
    check(status === 'completed' && prLink !== null, `${name} returns the final job, got ${status}, ${prLink}`)
  }
  const allIds: string[] = []
  for await (const event of project.client.jobs.events(projectId, results.create.jobId)) allIds.push(event.id)
  const seenIds = [...results.wait.eventIds, ...results['wait again'].eventIds]
  check(
    seenIds.join() === allIds.join() && allIds.length > 2 * slowSteps.length,
    `every event is reported once and in order, got ${seenIds.length} of ${allIds.length}`,
  )
  check(results.diff.diff?.includes('+Short.') === true, `the diff has the last version, got ${results.diff.diff}`)
  const { totals } = await project.client.views.list(projectId)
  check(
    results['read views'].total === 1 && totals.total === 1,
    `one view is counted once, got ${results['read views'].total}, then ${totals.total}`,
  )
  check(
    count.lostResponses === 3 && count.cuts >= 5 && count.restarts === 1,
    `the faults happened, got ${JSON.stringify(count)}`,
  )
  run.log(`${client.name}: ${seconds} s, ${seenIds.length} of ${allIds.length} events, ${JSON.stringify(count)}`)
  await relay.stop()
  return count
}

const cutAfter =
  (run: ProofRun, cut: Fault): Fault =>
  async () => {
    await sleep(run.random() * 1_500)
    await cut()
  }

const restoreSoon =
  (relay: Relay): Fault =>
  async () => {
    await sleep(700)
    await relay.setFault({ kind: 'none' })
  }

async function waitUntil(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`not within 60 s: ${what}`)
    await sleep(50)
  }
}

async function runsExamples(
  run: ProofRun,
  colophon: RunningColophon,
  client: TestedClient,
  directory: string,
): Promise<void> {
  const project = await colophon.connectProject(`${client.name} examples`)
  const env = {
    PATH: process.env.PATH,
    COLOPHON_URL: colophon.api.url,
    COLOPHON_API_KEY: project.key,
    COLOPHON_PROJECT_ID: project.projectId,
  }
  const examples = await client.prepareExamples(directory)
  for (const { name, command, prints } of examples) {
    const output = await runCommand(command, { cwd: directory, env }).catch(
      ({ message }: Error) => `failed: ${message}`,
    )
    run.check(prints.test(output) && !output.startsWith('failed: '), `${name} runs, got ${output}`)
  }
  if (examples.length > 0) run.figure(`${client.name}: examples of the README that ran`, examples.length)
}
