import type { RunningColophon } from '../../testing/harness/colophon.ts'
import {
  addScriptedModel,
  formatFinalAgentReply,
  listModelCalls,
  promptWithScript,
} from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import { checkPullRequest, startScopedRunner } from '../job-opens-pull-request/successful-turns.ts'
import type { ProofRun } from '../proof.ts'

/** The first runner has stopped, and its state is gone, before the second one starts. */
export async function resumesOnAnotherRunnerScenario(run: ProofRun, colophon: RunningColophon): Promise<string> {
  const project = await colophon.connectProject('Resume')
  const write = (path: string, content: string) => ({ tool: 'write', arguments: { path, content } })
  const model = 'resumed'
  await addScriptedModel(colophon, { name: model, format: 'anthropic-messages' })
  const calls = async () => (await listModelCalls(colophon)).filter(({ request }) => request?.model === model)
  let id: string
  {
    await using _runner = await startScopedRunner(colophon)
    const created = await project.client.jobs.create(project.projectId, {
      model,
      prompt: promptWithScript('Write page one.', [
        { call: [write('docs/one.md', '# One\n')] },
        { say: formatFinalAgentReply('Write page one', 'As asked.') },
      ]),
    })
    id = created.id
    await waitForJob(project, id)
  }
  const before = await calls()

  await using _runner = await startScopedRunner(colophon)
  await project.client.jobs.sendMessage(project.projectId, id, {
    prompt: promptWithScript('Now page two.', [
      { call: [{ tool: 'read', arguments: { path: 'docs/one.md' } }] },
      { call: [write('docs/two.md', '# Two\n')] },
      { say: formatFinalAgentReply('Write page two', 'As asked.') },
    ]),
  })
  const job = await waitForJob(project, id)
  const files = { 'docs/one.md': '# One\n', 'docs/two.md': '# Two\n' }
  await checkPullRequest(run, project, job, { title: 'Write page one', files })
  const firstCall = (await calls())[before.length]
  const sentMessages = firstCall?.request?.messages ?? 0
  const previousMessages = before.at(-1)?.request?.messages ?? 0
  run.check(
    sentMessages >= previousMessages + 2,
    `the first model call has the earlier conversation, at least ${previousMessages + 2} messages, got ${sentMessages}`,
  )
  const { messages } = await project.client.jobs.messages(project.projectId, id)
  run.check(
    messages.every(({ status }) => status === 'completed'),
    'both turns are completed',
  )
  return `the second runner resumed with ${sentMessages} messages, in the same pull request`
}
