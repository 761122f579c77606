/** Runs the same attacks as jobs, through the whole system, with all isolation layers. */

import { readdir } from 'node:fs/promises'
import { createGiteaUserClient } from '../../testing/harness/hosts/gitea-user-client.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import type { ProofRun } from '../proof.ts'
import { type AttackJobResult, runAttackJob } from './attack-job.ts'
import type { SandboxFixture } from './fixture.ts'
import { gatewayAttacks } from './gateway-attacks.ts'
import type { GitAttack } from './git-attacks.ts'
import { type Attack, sandboxAttacks } from './sandbox-attacks.ts'
import { attackPrompt, findSuccessful } from './weakened-sandbox.ts'

export interface AttackOutcome {
  breaches: number
  jobs: AttackJobResult[]
}

export async function attackSandbox(
  run: ProofRun,
  fixture: SandboxFixture,
  names: ReadonlySet<string>,
): Promise<AttackOutcome> {
  const chosen = sandboxAttacks(fixture.targets).filter(({ name }) => names.has(name))
  const combined = chosen.filter(({ isExclusive }) => !isExclusive)
  const outcomes = [await attack(run, fixture, combined)]
  for (const exclusive of chosen.filter(({ isExclusive }) => isExclusive))
    outcomes.push(await attack(run, fixture, [exclusive]))
  return sumOutcomes(outcomes)
}

export async function attackGateway(run: ProofRun, fixture: SandboxFixture): Promise<AttackOutcome> {
  const { colophon, others, project } = fixture
  const outcome = await attack(run, fixture, gatewayAttacks({ colophon, otherRepository: others.repository.name }))
  const { owner, name } = project.repository
  const person = createGiteaUserClient(
    colophon.addresses.gitea.url,
    `${owner}/${name}`,
    colophon.addresses.gitea.adminToken,
  )
  // The one branch was pushed through the open gateway.
  const pushed = (await person.branches()).filter((branch) => branch.startsWith('pushed-'))
  run.check(pushed.length === 1, `no further branch was pushed, found ${pushed.join(', ')}`)
  return outcome
}

async function attack(run: ProofRun, { project }: SandboxFixture, attacks: readonly Attack[]): Promise<AttackOutcome> {
  const result = await runAttackJob(project, attackPrompt(attacks))
  const { job, outputs } = result
  const breaches = new Set<Attack>()
  for (const attemptOutputs of [[], ...outputs])
    for (const breach of await findSuccessful(attacks, attemptOutputs)) breaches.add(breach)
  for (const { name } of breaches) run.check(false, `attack is contained, but succeeded: ${name}`)
  const [first] = attacks
  if (attacks.length === 1 && first?.isExclusive) {
    run.check(job.status !== 'active', `the job ends, got ${job.status}`)
    run.log(`${first.name}: the job is ${job.status}${job.error ? `, ${job.error.code}` : ''}`)
  } else {
    const attempted = outputs[0]?.length ?? 0
    run.check(
      outputs.length === 1 && attempted === attacks.length,
      `each attack ran exactly once, got ${attempted} of ${attacks.length}`,
    )
    run.check(
      job.outcome === 'no_changes',
      `the turn ends with no_changes, got ${job.outcome} ${JSON.stringify(job.error)}`,
    )
    run.log(`${attacks.length} attacks in one turn, starting with "${first?.name}": ${breaches.size} succeed`)
  }
  return { breaches: breaches.size, jobs: [result] }
}

/** Nothing in `.git` leaves the sandbox, and changes in the tree are refused. */
export async function attackGit(
  run: ProofRun,
  fixture: SandboxFixture,
  attacks: readonly GitAttack[],
): Promise<AttackOutcome> {
  const { project, targets, canaryDirectory } = fixture
  const inGit = attacks.filter(({ location }) => location === 'git')
  const inTree = attacks.filter(({ location }) => location === 'tree')
  const bash = (command: string) => ({ call: [{ tool: 'bash', arguments: { command } }] })
  const dumpCommand = `{ echo '# Seen'; env; cat ${targets.secretFile}; tr '\\0' '\\n' < /proc/1/environ; } 2>&1`
  const harmless = await runAttackJob(
    project,
    promptWithScript('Leave something in .git.', [
      ...inGit.map(({ command }) => bash(command)),
      bash(`${dumpCommand} > docs/seen.md`),
      { say: formatFinalAgentReply('Write down the environment', 'As asked.') },
    ]),
  )
  run.check(
    harmless.job.outcome === 'pull_request',
    `a changed page becomes a pull request, got ${JSON.stringify(harmless.job.error)}`,
  )
  const { diff } = await project.client.jobs.diff(project.projectId, harmless.job.id)
  const files = [...(diff ?? '').matchAll(/^diff --git a\/(.*) b\//gm)].map(([, path]) => path)
  run.check(files.join() === 'docs/seen.md', `the pull request changes docs/seen.md only, got ${files}`)

  const jobs = [harmless]
  for (const group of run.size === 'ci' ? [inTree] : inTree.map((attack) => [attack])) {
    const names = group.map(({ name }) => name).join(', ')
    const commands = group.map(({ command }) => bash(command))
    const result = await runAttackJob(
      project,
      promptWithScript('Leave something in the tree.', [
        ...commands,
        { say: formatFinalAgentReply('Change', 'As asked.') },
      ]),
    )
    const { status, error, prLink } = result.job
    run.check(
      status === 'failed' && prLink === null,
      `${names}: the job fails without a pull request, got ${status} ${error?.code}`,
    )
    run.log(`${names}: ${error?.code}`)
    jobs.push(result)
  }
  const touched = await readdir(canaryDirectory)
  for (const name of touched) run.check(false, `no canary on the host is touched, but was: ${name}`)
  return { breaches: touched.length, jobs }
}

export const sumOutcomes = (outcomes: readonly AttackOutcome[]): AttackOutcome => ({
  breaches: outcomes.reduce((total, { breaches }) => total + breaches, 0),
  jobs: outcomes.flatMap(({ jobs }) => jobs),
})
