/** Turns in which the agent does what the prompt asks for. */

import { createHash } from 'node:crypto'
import type { AgentJob } from '../../sdk/src/index.ts'
import { craftCommit } from '../../server/src/code-hosts/testing/craft-commit.ts'
import type { ModelFormat } from '../../server/src/models/model.ts'
import type { ProjectWithClient, RunningColophon } from '../../testing/harness/colophon.ts'
import {
  formatFinalAgentReply,
  pricesPerMillionTokens,
  promptWithScript,
} from '../../testing/harness/scripted-model.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { Script, Usage } from '../../testing/simulators/model/script.ts'
import type { ProofRun } from '../proof.ts'

/** Without cache writes, because OpenAI's formats cannot report them. */
const usage: Usage = { inputTokens: 1_000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30 }

export const publishesThroughModelFormatScenario =
  (format: ModelFormat) => async (run: ProofRun, colophon: RunningColophon) => {
    const project = await colophon.connectProject(format)
    await using _runner = await startScopedRunner(colophon)
    const contents = `# Proxies\n\nWritten through ${format}.\n`
    const script: Script = [
      {
        say: 'First I look around.',
        call: [{ tool: 'bash', arguments: { command: 'ls && git log --oneline' } }],
        usage,
      },
      { call: [{ tool: 'read', arguments: { path: 'docs/index.md' } }], usage },
      { call: [{ tool: 'write', arguments: { path: 'docs/proxies.md', content: contents } }], usage },
      { say: formatFinalAgentReply('Explain proxies', 'Adds a page about proxies.'), usage },
    ]
    const startedAt = performance.now()
    const { id } = await project.client.jobs.create(project.projectId, {
      prompt: promptWithScript('Explain proxies.', script),
      model: format,
    })
    const job = await waitForJob(project, id)
    const tookSeconds = (performance.now() - startedAt) / 1000
    await checkPullRequest(run, project, job, { title: 'Explain proxies', files: { 'docs/proxies.md': contents } })
    run.check(job.reply === 'Done.', `the job has the agent's reply, got ${job.reply}`)
    checkUsage(run, job, script.length)
    return `pull request after ${tookSeconds.toFixed(1)} s, ${job.usage.inputTokens} + ${job.usage.outputTokens} tokens`
  }

/** The script determines the usage to the token, and the price list determines the cost. */
function checkUsage(run: ProofRun, { usage: reported }: AgentJob, calls: number): void {
  const input = (usage.inputTokens + usage.cacheReadTokens) * calls
  const output = usage.outputTokens * calls
  const cost =
    (calls *
      (usage.inputTokens * pricesPerMillionTokens.input +
        usage.cacheReadTokens * pricesPerMillionTokens.cacheRead +
        usage.outputTokens * pricesPerMillionTokens.output)) /
    1e6
  run.check(reported.inputTokens === input, `usage is ${input} input tokens, got ${reported.inputTokens}`)
  run.check(reported.outputTokens === output, `usage is ${output} output tokens, got ${reported.outputTokens}`)
  run.check(Math.abs((reported.costUsd ?? -1) - cost) < 1e-9, `the cost is ${cost} USD, got ${reported.costUsd}`)
}

export async function fixesBrokenLinkScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const project = await colophon.connectProject('Links')
  await using _runner = await startScopedRunner(colophon)
  const broken = '# Links\n\nSee [the start](guide/begin.md).\n'
  const { id } = await project.client.jobs.create(project.projectId, {
    model: 'link-fixer',
    prompt: promptWithScript('Link to the start.', [
      { call: [{ tool: 'write', arguments: { path: 'docs/links.md', content: broken } }] },
      { say: formatFinalAgentReply('Link to the start', 'Adds a link.') },
    ]),
  })
  const job = await waitForJob(project, id)
  const files = { 'docs/links.md': broken.replace('guide/begin.md', 'guide/start.md') }
  await checkPullRequest(run, project, job, { title: 'Fix the link to the start', files })
  run.check(job.checks.length > 0, 'the job lists its docs checks')
  for (const { name, status, findings } of job.checks)
    run.check(status === 'passed', `check "${name}" passes after the fix, got ${status}: ${findings.join('; ')}`)
  const { events } = await project.client.jobs.events(project.projectId, id)
  const notice = events.find((event) => event.type === 'notice' && event.text?.includes('guide/begin.md'))
  run.check(notice !== undefined, 'the event stream has a notice with the finding')
  return 'broken link reported to the agent and fixed in the same turn'
}

/** The agent adds a page to the navigation of a site, and a script to the page. It takes the script back when it hears of it. */
export async function takesBackActiveContentScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const config = 'site_name: Example\nnav:\n  - Home: index.md\nplugins:\n  - search\n'
  const before = { 'docs/index.md': '# Home\n', 'mkdocs.yml': config }
  const project = await colophon.connectProject('Active content', { files: before })
  await using _runner = await startScopedRunner(colophon)
  const newConfig = config.replace('index.md\n', 'index.md\n  - Scripted: scripted.md\n')
  const prompt = promptWithScript('Add a page about scripts.', [
    { call: [{ tool: 'write', arguments: { path: 'mkdocs.yml', content: newConfig } }] },
    { call: [{ tool: 'write', arguments: { path: 'docs/scripted.md', content: '# A\n\n<script>x()</script>\n' } }] },
    { say: formatFinalAgentReply('Add a page', 'Adds a page.') },
  ])
  const created = await project.client.jobs.create(project.projectId, { prompt, model: 'page-writer' })
  const job = await waitForJob(project, created.id)
  const files = { 'docs/scripted.md': '# Scripted\n\nWritten by a script.\n', 'mkdocs.yml': newConfig }
  await checkPullRequest(run, project, job, { title: 'Add the scripted page', files, before })
  const { events } = await project.client.jobs.events(project.projectId, created.id)
  const notice = events.find((event) => event.type === 'notice' && event.text?.includes('(active_content)'))
  run.check(notice !== undefined, 'the agent is told that its first attempt would be refused')

  const stubborn = await project.client.jobs.create(project.projectId, { prompt })
  const refused = await waitForJob(project, stubborn.id)
  const reason = `${refused.error?.code}: ${refused.error?.message}`
  run.check(
    refused.status === 'failed' && /^result_refused: .*docs\/scripted\.md:\d+: .*\(active_content\)/s.test(reason),
    `an agent that does not take it back fails the job, with file, line and reason, got ${reason}`,
  )
  run.check(refused.prLink === null, 'nothing of it is published')
  return 'refused in the first attempt, taken back in the repair, completed; refused if it is not taken back'
}

/** The project holds active content: nothing is pushed before a person approves exactly the diff that they have read. */
export async function holdsForApprovalScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const before = { 'docs/index.md': '# Home\n' }
  const project = await colophon.connectProject('Approval', { files: before })
  const { projectId, client, repository } = project
  await colophon.stores.repositories.changeRules(projectId, { activeContent: 'hold' }, operator)
  await using _runner = await startScopedRunner(colophon)
  const listBranches = async () => ((await repository.callAsAdmin('GET', '/branches')) as { name: string }[]).length
  const branchesBefore = await listBranches()
  const createHeldJob = async (page: string, text: string) => {
    const prompt = promptWithScript(`Add ${page}.`, [
      { call: [{ tool: 'write', arguments: { path: page, content: text } }] },
      { say: formatFinalAgentReply('Add a page', 'Adds a page.') },
    ])
    const { id } = await client.jobs.create(projectId, { prompt })
    return await waitForJob(project, id)
  }
  const page = { path: 'docs/live.md', text: '# Live\n\n<script>x()</script>\n' }
  const held = await createHeldJob(page.path, page.text)
  const { diff } = await client.jobs.diff(projectId, held.id)
  const digest = createHash('sha256')
    .update(diff ?? '')
    .digest('hex')
  run.check(
    held.status === 'completed' && held.outcome === 'awaiting_approval' && held.prLink === null,
    `the job is completed and awaits approval, got ${held.status}, ${held.outcome}, ${held.error?.message}`,
  )
  run.check(
    held.approval?.diffSha256 === digest && held.approval.reasons.some(({ line }) => line === 3),
    `the approval names the diff and the line, got ${JSON.stringify(held.approval)}`,
  )
  run.check((await listBranches()) === branchesBefore, 'nothing is pushed before the approval')

  const other = await createHeldJob('docs/other.md', '# Other\n\n<iframe src="https://example.com"></iframe>\n')
  const wrong = await client.jobs
    .approve(projectId, held.id, { diffSha256: other.approval?.diffSha256 ?? '' })
    .then(String, (error: { code?: string }) => error.code)
  run.check(wrong === 'not_awaiting_approval', `the approval of another diff is rejected, got ${wrong}`)
  const rejected = await client.jobs.reject(projectId, other.id, { diffSha256: other.approval?.diffSha256 ?? '' })
  run.check(
    rejected.outcome === 'rejected' && (await listBranches()) === branchesBefore,
    'a rejected result is not pushed',
  )

  await Promise.all(Array.from({ length: 5 }, () => client.jobs.approve(projectId, held.id, { diffSha256: digest })))
  const published = await waitForJob(project, held.id)
  const files = { [page.path]: page.text }
  await checkPullRequest(run, project, published, { title: 'Add a page', files, before })
  run.check((await listBranches()) === branchesBefore + 1, 'five approvals at the same time push one branch')
  return 'held, nothing pushed; approved: exactly the diff that was read; rejected: nothing'
}

/** The base branch changes the same page, and files that an agent must not touch. The agent resolves the conflict. */
export async function resolvesConflictsScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const page = 'docs/index.md'
  const before = { [page]: '# Home\n\nOne.\n', 'src/main.ts': 'export {}\n' }
  const project = await colophon.connectProject('Conflicts', { files: before })
  const { projectId, client, repository } = project
  await using _runner = await startScopedRunner(colophon)
  const write = (content: string): Script => [
    { call: [{ tool: 'bash', arguments: { command: `cat ${page}` } }] },
    { call: [{ tool: 'write', arguments: { path: page, content } }] },
    { say: formatFinalAgentReply('Change the page', 'As asked.') },
  ]
  const { id } = await client.jobs.create(projectId, {
    prompt: promptWithScript('Change it.', write('# Home\n\nOurs.\n')),
  })
  const opened = await waitForJob(project, id)
  const branch = opened.pullRequest?.branch ?? ''
  const onMain = { [page]: '# Home\n\nTheirs.\n', 'src/main.ts': 'export const x = 1\n' }
  await repository.pushAsPerson(craftCommit({ ...repository.base.files, ...onMain }, [repository.base.id]), 'main')

  await client.jobs.sendMessage(projectId, id, {
    prompt: promptWithScript('Resolve it.', write('# Home\n\nTheirs and ours.\n')),
    resolveConflicts: true,
  })
  const resolved = await waitForJob(project, id)
  run.check(
    resolved.outcome === 'pull_request' && resolved.pullRequest?.number === opened.pullRequest?.number,
    `the same pull request is updated, got ${resolved.outcome} ${resolved.error?.message}`,
  )
  const { events } = await client.jobs.events(projectId, id)
  const sawMarkers = events.some((event) => event.type === 'tool_result' && /^<{7} .*^>{7} /ms.test(event.output ?? ''))
  run.check(sawMarkers, 'the agent sees the conflict in the file')
  const files = await repository.readFiles(branch)
  const expected = { ...onMain, [page]: '# Home\n\nTheirs and ours.\n' }
  run.check(
    JSON.stringify(files) === JSON.stringify(expected),
    `the branch has the base branch and the resolution, got ${JSON.stringify(files)}`,
  )
  const { diff } = await client.jobs.diff(projectId, id)
  run.check(!diff?.includes('src/main.ts'), 'the diff has only what the pull request changes')
  const commits = await repository.readLog(branch)
  const mainHead = await repository.host.branchHead('main')
  run.check(commits.includes(mainHead ?? ''), 'the branch contains the head of the base branch')
  return 'merged by git, resolved by the agent, published as a merge commit'
}

export async function respectsDocsFolderScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const files = {
    'README.md': '# All of it\n',
    'packages/app/main.ts': 'export {}\n',
    'packages/site/docs/index.md': '# Site\n\nSee [more](more.md).\n',
    'packages/site/docs/more.md': '# More\n',
  }
  const project = await colophon.connectProject('Monorepo', { files, docsFolder: 'packages/site/docs' })
  await using _runner = await startScopedRunner(colophon)
  const contents = '# Third\n\nSee [more](more.md#more).\n'
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: promptWithScript('Add a third page.', [
      { call: [{ tool: 'bash', arguments: { command: 'cat packages/app/main.ts packages/site/docs/index.md' } }] },
      { call: [{ tool: 'write', arguments: { path: 'packages/site/docs/third.md', content: contents } }] },
      { say: formatFinalAgentReply('Add a third page', 'As asked.') },
    ]),
  })
  const job = await waitForJob(project, id)
  await checkPullRequest(run, project, job, {
    title: 'Add a third page',
    files: { 'packages/site/docs/third.md': contents },
    before: files,
  })
  const outside = await project.client.jobs.create(project.projectId, {
    prompt: promptWithScript('Change the code.', [
      { call: [{ tool: 'write', arguments: { path: 'packages/app/main.ts', content: 'export const x = 1\n' } }] },
      { say: formatFinalAgentReply('Change the code', 'It was asked for.') },
    ]),
  })
  const refusedJob = await waitForJob(project, outside.id)
  run.check(
    refusedJob.status === 'failed' && refusedJob.prLink === null,
    `a change outside the docs folder fails the job, got ${refusedJob.status}`,
  )
  return 'a change in the docs subfolder is published, a change outside is refused'
}

interface ExpectedPullRequest {
  title: string
  /** The files that the pull request adds or changes. */
  files: Readonly<Record<string, string>>
  before?: Readonly<Record<string, string>>
}

export async function checkPullRequest(
  run: ProofRun,
  { repository }: ProjectWithClient,
  job: AgentJob,
  { title, files, before }: ExpectedPullRequest,
): Promise<void> {
  const end = `${job.status}, ${job.outcome}, ${JSON.stringify(job.error)}`
  run.check(job.status === 'completed' && job.outcome === 'pull_request', `the job opens a pull request, got ${end}`)
  if (!job.pullRequest) return
  const { number } = job.pullRequest
  const pullRequest = (await repository.callAsAdmin('GET', `/pulls/${number}`)) as {
    title: string
    html_url: string
    head: { ref: string }
  }
  run.check(pullRequest.html_url === job.prLink, `prLink is ${pullRequest.html_url}, got ${job.prLink}`)
  run.check(pullRequest.title === title, `the title is "${title}", got "${pullRequest.title}"`)
  const expected = { ...(before ?? (await repository.readFiles('main'))), ...files }
  const actual = await repository.readFiles(pullRequest.head.ref)
  const paths = new Set([...Object.keys(expected), ...Object.keys(actual)])
  const differing = [...paths].filter((path) => expected[path] !== actual[path])
  run.check(differing.length === 0, `the branch has exactly the expected files, differing: ${differing.join(', ')}`)
}

/** A runner that stops at the end of the scope. */
export async function startScopedRunner(
  colophon: RunningColophon,
  settings?: Record<string, string>,
): Promise<AsyncDisposable> {
  const runner = await colophon.startRunner(settings)
  return { [Symbol.asyncDispose]: () => runner.process.stop() }
}
