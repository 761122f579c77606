/** Connects the repository of an example site, and lets a job change it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { siteGeneratorOf } from '../../server/src/site-generators/site-generators.ts'
import type { ProjectWithClient, RunningColophon } from '../../testing/harness/colophon.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ToolCall } from '../../testing/simulators/model/script.ts'
import type { ExampleSite, Files } from './example-site.ts'

const recognizedWithinMs = 60_000

/** Returns the files of the branch of the pull request. */
export async function changeSite(
  check: (ok: boolean, message: string) => void,
  colophon: RunningColophon,
  site: ExampleSite,
): Promise<Files> {
  const before = site.createFiles(site.before)
  const after = site.createFiles(site.after)
  const project = await colophon.connectProject(siteGeneratorOf(site.generator).name, {
    files: before,
    docsFolder: site.docsFolder,
  })
  const recognized = await waitUntilRecognized(project)
  check(recognized === site.generator, `the generator is recognized, got ${recognized}`)

  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: promptWithScript('Explain proxies, and move the installation to the reference.', [
      { call: createToolCalls(before, after) },
      { say: formatFinalAgentReply('Explain proxies', 'Adds a page and moves another.') },
    ]),
  })
  const job = await waitForJob(project, id)
  check(job.outcome === 'pull_request', `the job opens a pull request, got ${job.status}, ${JSON.stringify(job.error)}`)
  for (const { name, status, findings } of job.checks)
    check(status !== 'failed', `the docs check "${name}" has no findings, got ${findings.join('; ')}`)

  const branch = job.pullRequest === null ? 'main' : await readBranch(project, job.pullRequest.number)
  const files = await project.repository.readFiles(branch)
  const paths = new Set([...Object.keys(after), ...Object.keys(files)])
  const differing = [...paths].filter((path) => after[path] !== files[path])
  check(differing.length === 0, `the branch has exactly the expected files, differing: ${differing.join(', ')}`)
  return files
}

async function waitUntilRecognized({ client, projectId }: ProjectWithClient): Promise<string | undefined> {
  const deadline = Date.now() + recognizedWithinMs
  for (;;) {
    const { repository } = await client.repository.get(projectId)
    if (repository?.site || Date.now() > deadline) return repository?.site?.generator
    await sleep(200)
  }
}

function createToolCalls(before: Files, after: Files): ToolCall[] {
  const removed = Object.keys(before).filter((path) => after[path] === undefined)
  const written = Object.entries(after).filter(([path, contents]) => before[path] !== contents)
  return [
    { tool: 'bash', arguments: { command: `rm -- ${removed.map((path) => `'${path}'`).join(' ')}` } },
    ...written.map(([path, content]) => ({ tool: 'write', arguments: { path, content } })),
  ]
}

async function readBranch({ repository }: ProjectWithClient, number: number): Promise<string> {
  const pullRequest = (await repository.callAsAdmin('GET', `/pulls/${number}`)) as { head: { ref: string } }
  return pullRequest.head.ref
}
