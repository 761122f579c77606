import type { ProofRun } from '../../proof.ts'
import { type AgentService, closing, played } from './agent-service.ts'
import { endedJob } from './ended-job.ts'
import { checkPullRequest, runnerFor } from './good-turns.ts'

/** The first runner is gone, with all it had, before the second begins. */
export async function remembersElsewhere(run: ProofRun, service: AgentService): Promise<string> {
  const project = await service.connectProject('Remembers')
  const write = (path: string, content: string) => ({ tool: 'write', arguments: { path, content } })
  const model = 'remembering'
  await service.addModel({ name: model, format: 'anthropic-messages' })
  const calls = async () => (await service.modelCalls()).filter(({ asked }) => asked?.model === model)
  let id: string
  {
    await using _runner = await runnerFor(service)
    const created = await project.client.jobs.create(project.projectId, {
      model,
      prompt: played('Write page one.', [
        { call: [write('docs/one.md', '# One\n')] },
        { say: closing('Write page one', 'As asked.') },
      ]),
    })
    id = created.id
    await endedJob(project, id)
  }
  const before = await calls()

  await using _runner = await runnerFor(service)
  await project.client.jobs.message(project.projectId, id, {
    prompt: played('Now page two.', [
      { call: [{ tool: 'read', arguments: { path: 'docs/one.md' } }] },
      { call: [write('docs/two.md', '# Two\n')] },
      { say: closing('Write page two', 'As asked.') },
    ]),
  })
  const job = await endedJob(project, id)
  const files = { 'docs/one.md': '# One\n', 'docs/two.md': '# Two\n' }
  await checkPullRequest(run, project, job, { title: 'Write page one', files })
  const opening = (await calls())[before.length]
  const told = opening?.asked?.messages ?? 0
  const known = before.at(-1)?.asked?.messages ?? 0
  run.check(told >= known + 2, `the model is told what was said before: ${told} messages, of ${known} and two more`)
  const { messages } = await project.client.jobs.messages(project.projectId, id)
  run.check(
    messages.every(({ status }) => status === 'completed'),
    'both turns are done',
  )
  return `the conversation goes on with ${told} messages, in the same pull request`
}
