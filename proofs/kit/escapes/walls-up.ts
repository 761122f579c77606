/** The same attacks as jobs, through the whole system. */
import { readdir } from 'node:fs/promises'
import type { ProofRun } from '../../proof.ts'
import { closing, played } from '../agents/agent-service.ts'
import { giteaPerson } from '../hosts/gitea-person.ts'
import { type EndedAttack, playJob } from './attacked-jobs.ts'
import { type Attack, boxAttacks } from './attacks.ts'
import { gatewayAttacks } from './gateway-attacks.ts'
import type { Stage } from './stage.ts'
import type { TreeAttack } from './tree-attacks.ts'
import { attackPrompt, successful } from './without-walls.ts'

export interface Outcome {
  breaches: number
  jobs: EndedAttack[]
}

export async function attackBox(run: ProofRun, stage: Stage, names: ReadonlySet<string>): Promise<Outcome> {
  const chosen = boxAttacks(stage.outside).filter(({ name }) => names.has(name))
  const together = chosen.filter(({ isAlone }) => !isAlone)
  const outcomes = [await attack(run, stage, together)]
  for (const alone of chosen.filter(({ isAlone }) => isAlone)) outcomes.push(await attack(run, stage, [alone]))
  return sum(outcomes)
}

export async function attackGateway(run: ProofRun, stage: Stage): Promise<Outcome> {
  const { service, others, project } = stage
  const outcome = await attack(run, stage, gatewayAttacks({ service, otherRepository: others.repository.name }))
  const { owner, name } = project.repository
  const person = giteaPerson(service.gitea.url, `${owner}/${name}`, service.gitea.adminToken)
  // The one that was pushed without the walls is there.
  const pushed = (await person.branches()).filter((branch) => branch.startsWith('pushed-'))
  run.check(pushed.length === 1, `nothing was pushed: ${pushed.join(', ')}`)
  return outcome
}

async function attack(run: ProofRun, { project }: Stage, attacks: readonly Attack[]): Promise<Outcome> {
  const ended = await playJob(project, attackPrompt(attacks))
  const { job, outputs } = ended
  const breaches = new Set<Attack>()
  for (const ofOneTry of [[], ...outputs]) for (const one of await successful(attacks, ofOneTry)) breaches.add(one)
  for (const { name } of breaches) run.check(false, `it got out: ${name}`)
  const [first] = attacks
  if (attacks.length === 1 && first?.isAlone) {
    run.check(job.status !== 'active', `the job has ended: ${job.status}`)
    run.say(`${first.name}: the job is ${job.status}${job.error ? `, ${job.error.code}` : ''}`)
  } else {
    const tried = outputs[0]?.length ?? 0
    run.check(outputs.length === 1 && tried === attacks.length, `each was tried, once: ${tried} of ${attacks.length}`)
    run.check(job.outcome === 'no_changes', `the turn went on to its end: ${job.outcome} ${JSON.stringify(job.error)}`)
    run.say(`${attacks.length} ways in one turn, from ${first?.name}: ${breaches.size} get through`)
  }
  return { breaches: breaches.size, jobs: [ended] }
}

/** Nothing that is in `.git` leaves the box; what is in the tree is refused. */
export async function attackGit(run: ProofRun, stage: Stage, attacks: readonly TreeAttack[]): Promise<Outcome> {
  const { project, outside, canaryDirectory } = stage
  const inGit = attacks.filter(({ place }) => place === 'git')
  const inTree = attacks.filter(({ place }) => place === 'tree')
  const bash = (command: string) => ({ call: [{ tool: 'bash', arguments: { command } }] })
  const everythingSeen = `{ echo '# Seen'; env; cat ${outside.secretFile}; tr '\\0' '\\n' < /proc/1/environ; } 2>&1`
  const harmless = await playJob(
    project,
    played('Leave something in .git.', [
      ...inGit.map(({ command }) => bash(command)),
      bash(`${everythingSeen} > docs/seen.md`),
      { say: closing('Write what was seen', 'As asked.') },
    ]),
  )
  run.check(
    harmless.job.outcome === 'pull_request',
    `a page becomes a pull request: ${JSON.stringify(harmless.job.error)}`,
  )
  const { diff } = await project.client.jobs.diff(project.projectId, harmless.job.id)
  const files = [...(diff ?? '').matchAll(/^diff --git a\/(.*) b\//gm)].map(([, path]) => path)
  run.check(files.join() === 'docs/seen.md', `nothing but the page is in it: ${files}`)

  const jobs = [harmless]
  for (const group of run.size === 'ci' ? [inTree] : inTree.map((one) => [one])) {
    const names = group.map(({ name }) => name).join(', ')
    const commands = group.map(({ command }) => bash(command))
    const ended = await playJob(
      project,
      played('Leave something in the tree.', [...commands, { say: closing('Change', 'As asked.') }]),
    )
    const { status, error, prLink } = ended.job
    run.check(status === 'failed' && prLink === null, `${names}: refused, not ${status} ${error?.code}`)
    run.say(`${names}: ${error?.code}`)
    jobs.push(ended)
  }
  const touched = await readdir(canaryDirectory)
  for (const name of touched) run.check(false, `something on the host did what the tree says: ${name}`)
  return { breaches: touched.length, jobs }
}

export const sum = (outcomes: readonly Outcome[]): Outcome => ({
  breaches: outcomes.reduce((total, { breaches }) => total + breaches, 0),
  jobs: outcomes.flatMap(({ jobs }) => jobs),
})
