/** Each attack with its own wall taken away: it has to succeed, or its failure later would say nothing. */
import type { Wall } from '../../../server/src/runner/sandbox/walls.ts'
import type { ProofRun } from '../../proof.ts'
import { runnerCalls } from '../hostile/runner-calls.ts'
import { type Attack, type BoxAttack, boxAttacks } from './attacks.ts'
import { gatewayAttacks } from './gateway-attacks.ts'
import { openGateway } from './open-gateway.ts'
import { findSecrets } from './planted-secrets.ts'
import type { Stage } from './stage.ts'
import { fireOutside, type TreeAttack } from './tree-attacks.ts'
import { playWithout } from './without-walls.ts'

/** Returns how many succeeded. */
export async function boxesWithoutWalls(
  run: ProofRun,
  { service, outside, secrets }: Stage,
  names: ReadonlySet<string>,
): Promise<number> {
  process.env[outside.secretName] = outside.secret // of the box's parent, as in the runner
  let count = 0
  let printed = ''
  for (const { walls, attacks } of groupsOf(run, boxAttacks(outside), names)) {
    const toModel = await openGateway([{ prefix: '/model/', to: `${service.modelUrl}/` }])
    const { succeeded, output } = await playWithout(walls, attacks, toModel)
    printed += output
    count += succeeded.length
    mustSucceed(run, attacks, succeeded)
    run.say(`without ${walls.join(', ')}: ${succeeded.length} of ${attacks.length} get through`)
  }
  delete process.env[outside.secretName]
  const found = findSecrets(secrets, [{ name: 'what they printed', contents: Buffer.from(printed) }])
  run.check(found.length > 0, 'a secret that is printed is found')
  return count
}

interface Group {
  walls: readonly Wall[]
  attacks: readonly BoxAttack[]
}

/** Those that lack the same walls share a box. In a small run as many as possible do: a box takes seconds to try. */
function groupsOf({ size }: ProofRun, all: readonly BoxAttack[], names: ReadonlySet<string>): Group[] {
  const keyOf = ({ walls, name, isAlone }: BoxAttack) => {
    if (isAlone) return name
    if (size === 'ci') return walls.find((wall) => wall === 'processes' || wall === 'ordinary user') ?? 'the others'
    return walls.join()
  }
  const groups = Map.groupBy(
    all.filter(({ name }) => names.has(name)),
    keyOf,
  )
  return [...groups.values()].map((attacks) => ({
    attacks,
    walls: [...new Set(attacks.flatMap(({ walls }) => walls))],
  }))
}

/** Through a gateway that sends everything on, in a box with all its walls. */
export async function openedGateway(run: ProofRun, stage: Stage): Promise<number> {
  const { service, project, others, runnerToken } = stage
  const attacks = gatewayAttacks({ service, otherRepository: others.repository.name })
  const { id } = await project.client.jobs.create(project.projectId, { prompt: 'Wait.' })
  const { attemptToken } = await runnerCalls(run, service, service.worker.url).claimFor(runnerToken, id)
  const { owner, name, host } = project.repository
  const opened = await openGateway([
    {
      prefix: '/git/',
      to: `${service.gitea.url}/${owner}/${name}.git/`,
      authorization: (await host.gitRemote()).authorization(),
    },
    { prefix: '/model/', to: `${service.modelUrl}/` },
    { prefix: '', to: service.worker.url, authorization: `Bearer ${attemptToken}` },
  ])
  const { succeeded } = await playWithout([], attacks, opened)
  mustSucceed(run, attacks, succeeded)
  run.say(`with a gateway that sends everything on: ${succeeded.length} of ${attacks.length} get through`)
  await project.client.jobs.cancel(project.projectId, id)
  return succeeded.length
}

export async function gitOutside(run: ProofRun, attacks: readonly TreeAttack[]): Promise<number> {
  const fired = await fireOutside(run, attacks)
  for (const attack of attacks)
    run.check(fired.includes(attack), `plain git on the host does what the tree says: ${attack.name}`)
  run.say(`with plain git on the host: ${fired.length} of ${attacks.length} get through`)
  return fired.length
}

function mustSucceed(run: ProofRun, attacks: readonly Attack[], succeeded: readonly Attack[]): void {
  for (const attack of attacks)
    run.check(succeeded.includes(attack), `without its wall it gets through: ${attack.name}`)
}
