/** Runs each attack with its isolation layers disabled. It has to succeed, otherwise its later failure would prove nothing. */
import type { IsolationLayer } from '../../server/src/runner/sandbox/isolation-layers.ts'
import { createRunnerApiClient } from '../hostile-results/runner-api-client.ts'
import type { ProofRun } from '../proof.ts'
import type { SandboxFixture } from './fixture.ts'
import { gatewayAttacks } from './gateway-attacks.ts'
import { type GitAttack, runGitAttacksOnHost } from './git-attacks.ts'
import { findLeakedSecrets } from './leaked-secrets.ts'
import { startOpenGateway } from './open-gateway.ts'
import { type Attack, type SandboxAttack, sandboxAttacks } from './sandbox-attacks.ts'
import { runInWeakenedSandbox } from './weakened-sandbox.ts'

/** Returns how many attacks succeeded. */
export async function attackWithoutLayers(
  run: ProofRun,
  { colophon, targets, secrets }: SandboxFixture,
  names: ReadonlySet<string>,
): Promise<number> {
  process.env[targets.secretName] = targets.secret // in the environment of the sandbox's parent, as in the runner
  let count = 0
  let printed = ''
  for (const { layers, attacks } of groupAttacks(run, sandboxAttacks(targets), names)) {
    const egress = await startOpenGateway([{ prefix: '/model/', to: `${colophon.addresses.modelUrl}/` }])
    const { succeeded, output } = await runInWeakenedSandbox(layers, attacks, egress)
    printed += output
    count += succeeded.length
    checkSucceeded(run, attacks, succeeded)
    run.log(`disabled ${layers.join(', ')}: ${succeeded.length} of ${attacks.length} attacks succeed`)
  }
  delete process.env[targets.secretName]
  const found = findLeakedSecrets(secrets, [{ name: 'output of the attacks', contents: Buffer.from(printed) }])
  run.check(found.length > 0, 'the search finds a secret that was printed')
  return count
}

interface Group {
  layers: readonly IsolationLayer[]
  attacks: readonly SandboxAttack[]
}

/** Attacks on the same layers share a sandbox. In a `ci` run as many as possible share one, because a sandbox takes seconds. */
function groupAttacks({ size }: ProofRun, all: readonly SandboxAttack[], names: ReadonlySet<string>): Group[] {
  const keyOf = ({ layers, name, isExclusive }: SandboxAttack) => {
    if (isExclusive) return name
    if (size === 'ci')
      return layers.find((layer) => layer === 'PID namespace' || layer === 'unprivileged user') ?? 'the others'
    return layers.join()
  }
  const groups = Map.groupBy(
    all.filter(({ name }) => names.has(name)),
    keyOf,
  )
  return [...groups.values()].map((attacks) => ({
    attacks,
    layers: [...new Set(attacks.flatMap(({ layers }) => layers))],
  }))
}

/** Through a gateway that forwards everything, in a sandbox with all layers. */
export async function attackOpenGateway(run: ProofRun, fixture: SandboxFixture): Promise<number> {
  const { colophon, project, others, runnerToken } = fixture
  const attacks = gatewayAttacks({ colophon, otherRepository: others.repository.name })
  const { id } = await project.client.jobs.create(project.projectId, { prompt: 'Wait.' })
  const { attemptToken } = await createRunnerApiClient(run, colophon, colophon.worker.url).claimJob(runnerToken, id)
  const { owner, name, host } = project.repository
  const egress = await startOpenGateway([
    {
      prefix: '/git/',
      to: `${colophon.addresses.gitea.url}/${owner}/${name}.git/`,
      authorization: (await host.gitRemote()).authorization(),
    },
    { prefix: '/model/', to: `${colophon.addresses.modelUrl}/` },
    { prefix: '', to: colophon.worker.url, authorization: `Bearer ${attemptToken}` },
  ])
  const { succeeded } = await runInWeakenedSandbox([], attacks, egress)
  checkSucceeded(run, attacks, succeeded)
  run.log(`gateway that forwards everything: ${succeeded.length} of ${attacks.length} attacks succeed`)
  await project.client.jobs.cancel(project.projectId, id)
  return succeeded.length
}

export async function checkGitAttacksOnHost(run: ProofRun, attacks: readonly GitAttack[]): Promise<number> {
  const succeeded = await runGitAttacksOnHost(run, attacks)
  for (const attack of attacks)
    run.check(succeeded.includes(attack), `plain git on the host runs the attack: ${attack.name}`)
  run.log(`plain git on the host: ${succeeded.length} of ${attacks.length} attacks succeed`)
  return succeeded.length
}

function checkSucceeded(run: ProofRun, attacks: readonly Attack[], succeeded: readonly Attack[]): void {
  for (const attack of attacks)
    run.check(succeeded.includes(attack), `attack succeeds without its isolation layers: ${attack.name}`)
}
