/** Turns in which the agent does as it was told. */
import type { Script, Usage } from '../../../dev-services/model/script.ts'
import type { AgentJob } from '../../../sdk/src/index.ts'
import type { ModelFormat } from '../../../server/src/models/model.ts'
import type { ProofRun } from '../../proof.ts'
import { type AgentProject, type AgentService, closing, played, prices } from './agent-service.ts'
import { endedJob } from './ended-job.ts'

/** One that OpenAI's formats can say too: they know no writing to a cache. */
const usage: Usage = { inputTokens: 1_000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30 }

export const inWireFormat = (format: ModelFormat) => async (run: ProofRun, service: AgentService) => {
  const project = await service.connectProject(format)
  await using _runner = await runnerFor(service)
  const contents = `# Proxies\n\nWritten through ${format}.\n`
  const script: Script = [
    { say: 'First I look around.', call: [{ tool: 'bash', arguments: { command: 'ls && git log --oneline' } }], usage },
    { call: [{ tool: 'read', arguments: { path: 'docs/index.md' } }], usage },
    { call: [{ tool: 'write', arguments: { path: 'docs/proxies.md', content: contents } }], usage },
    { say: closing('Explain proxies', 'Adds a page about proxies.'), usage },
  ]
  const startedAt = performance.now()
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: played('Explain proxies.', script),
    model: format,
  })
  const job = await endedJob(project, id)
  const tookSeconds = (performance.now() - startedAt) / 1000
  await checkPullRequest(run, project, job, { title: 'Explain proxies', files: { 'docs/proxies.md': contents } })
  run.check(job.reply === 'Done.', `the agent's last words are told, not ${job.reply}`)
  checkUsage(run, job, script.length)
  return `a pull request after ${tookSeconds.toFixed(1)} s, ${job.usage.inputTokens} + ${job.usage.outputTokens} tokens`
}

/** The vendor's script knows what was used, to the token; the price list, what that costs. */
function checkUsage(run: ProofRun, { usage: counted }: AgentJob, calls: number): void {
  const input = (usage.inputTokens + usage.cacheReadTokens) * calls
  const output = usage.outputTokens * calls
  const cost =
    (calls *
      (usage.inputTokens * prices.input +
        usage.cacheReadTokens * prices.cacheRead +
        usage.outputTokens * prices.output)) /
    1e6
  run.check(counted.inputTokens === input, `${input} tokens of input, not ${counted.inputTokens}`)
  run.check(counted.outputTokens === output, `${output} tokens of output, not ${counted.outputTokens}`)
  run.check(Math.abs((counted.costUsd ?? -1) - cost) < 1e-9, `that costs ${cost}, not ${counted.costUsd}`)
}

export async function repairsItsLink(run: ProofRun, service: AgentService): Promise<string> {
  const project = await service.connectProject('Links')
  await using _runner = await runnerFor(service)
  const broken = '# Links\n\nSee [the start](guide/begin.md).\n'
  const { id } = await project.client.jobs.create(project.projectId, {
    model: 'mender',
    prompt: played('Link to the start.', [
      { call: [{ tool: 'write', arguments: { path: 'docs/links.md', content: broken } }] },
      { say: closing('Link to the start', 'Adds a link.') },
    ]),
  })
  const job = await endedJob(project, id)
  const files = { 'docs/links.md': broken.replace('guide/begin.md', 'guide/start.md') }
  await checkPullRequest(run, project, job, { title: 'Mend the link to the start', files })
  run.check(job.checks.length > 0, 'the checks are told')
  for (const { name, status, findings } of job.checks)
    run.check(status === 'passed', `${name} passes in the end, not: ${findings.join('; ')}`)
  const { events } = await project.client.jobs.events(project.projectId, id)
  const notice = events.find((event) => event.type === 'notice' && event.text?.includes('guide/begin.md'))
  run.check(notice !== undefined, 'whoever follows along is told what was found')
  return 'found, told, mended by the agent in the same turn'
}

export async function inMonorepo(run: ProofRun, service: AgentService): Promise<string> {
  const files = {
    'README.md': '# All of it\n',
    'packages/app/main.ts': 'export {}\n',
    'packages/site/docs/index.md': '# Site\n\nSee [more](more.md).\n',
    'packages/site/docs/more.md': '# More\n',
  }
  const project = await service.connectProject('Monorepo', files, 'packages/site/docs')
  await using _runner = await runnerFor(service)
  const contents = '# Third\n\nSee [more](more.md#more).\n'
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: played('Add a third page.', [
      { call: [{ tool: 'bash', arguments: { command: 'cat packages/app/main.ts packages/site/docs/index.md' } }] },
      { call: [{ tool: 'write', arguments: { path: 'packages/site/docs/third.md', content: contents } }] },
      { say: closing('Add a third page', 'As asked.') },
    ]),
  })
  const job = await endedJob(project, id)
  await checkPullRequest(run, project, job, {
    title: 'Add a third page',
    files: { 'packages/site/docs/third.md': contents },
    before: files,
  })
  const outside = await project.client.jobs.create(project.projectId, {
    prompt: played('Change the code.', [
      { call: [{ tool: 'write', arguments: { path: 'packages/app/main.ts', content: 'export const x = 1\n' } }] },
      { say: closing('Change the code', 'It was asked for.') },
    ]),
  })
  const refused = await endedJob(project, outside.id)
  run.check(refused.status === 'failed' && refused.prLink === null, `code is not changed: ${refused.status}`)
  return 'docs in a subfolder are changed, code beside them is not'
}

interface ExpectedPullRequest {
  title: string
  /** That it adds or changes. */
  files: Readonly<Record<string, string>>
  before?: Readonly<Record<string, string>>
}

export async function checkPullRequest(
  run: ProofRun,
  { repository }: AgentProject,
  job: AgentJob,
  { title, files, before }: ExpectedPullRequest,
): Promise<void> {
  const ended = `${job.status}, ${job.outcome}, ${JSON.stringify(job.error)}`
  run.check(job.status === 'completed' && job.outcome === 'pull_request', `it becomes a pull request, not ${ended}`)
  if (!job.pullRequest) return
  const { number } = job.pullRequest
  const seen = (await repository.asPerson('GET', `/pulls/${number}`)) as {
    title: string
    html_url: string
    head: { ref: string }
  }
  run.check(seen.html_url === job.prLink, `prLink leads to it, not to ${job.prLink}`)
  run.check(seen.title === title, `its title is "${title}", not "${seen.title}"`)
  const wanted = { ...(before ?? (await repository.filesOf('main'))), ...files }
  const found = await repository.filesOf(seen.head.ref)
  const paths = new Set([...Object.keys(wanted), ...Object.keys(found)])
  const wrong = [...paths].filter((path) => wanted[path] !== found[path])
  run.check(wrong.length === 0, `the branch has exactly the files it should have: ${wrong.join(', ')}`)
}

/** A runner for as long as a scenario takes. */
export async function runnerFor(service: AgentService, settings?: Record<string, string>): Promise<AsyncDisposable> {
  const runner = await service.startRunner(settings)
  return { [Symbol.asyncDispose]: () => runner.part.stop() }
}
