/**
 * Runs one suite on all code hosts: the behaviors that the code host interface requires, and the scenarios of publishing a job.
 * The hosts are a real Gitea, and a GitHub simulator that checks every call against GitHub's OpenAPI description.
 *
 * `-- github` or `-- gitea`: only that host. Other arguments select behaviors and scenarios by name, as for
 * `publish-exactly-once`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createGithubControlClient } from '@colophon/github-simulator/control'
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import { createGithubTestRepository } from '../server/src/code-hosts/testing/github-test-repository.ts'
import { hostBehaviors } from '../server/src/code-hosts/testing/host-behaviors.ts'
import type { HostTestRepository, HostVariant } from '../server/src/code-hosts/testing/host-test-repository.ts'
import { findOrStartServices } from '../testing/services/running-services.ts'
import type { ServiceAddresses } from '../testing/services/start-services.ts'
import type { ProofRun } from './proof.ts'
import { type CodeHostKind, codeHostLabels } from './publish-exactly-once/fixture.ts'
import { runScenarios } from './publish-exactly-once/scenarios.ts'

export const guarantee = 'Colophon behaves the same on GitHub and on Gitea, except for the documented differences'

const behaviorTimeoutMs = 120_000

const variantsByHost: Record<CodeHostKind, readonly HostVariant[]> = {
  gitea: ['gitea'],
  github: ['github', 'github_by_token'],
}
const variantLabels: Record<HostVariant, string> = {
  gitea: 'Gitea',
  github: 'GitHub through an App',
  github_by_token: 'GitHub with a token',
}

export async function prove(run: ProofRun): Promise<void> {
  const { addresses, release } = await findOrStartServices()
  run.cleanUp(release)
  const isHost = (arg: string): arg is CodeHostKind => arg in variantsByHost
  const namedHosts = run.args.filter(isHost)
  const otherArgs = run.args.filter((arg) => !isHost(arg))
  const hosts: readonly CodeHostKind[] = namedHosts.length > 0 ? namedHosts : ['gitea', 'github']
  const github = createGithubControlClient(addresses.github)
  const violationsBefore = (await github.violations()).length
  // Concurrently, because they mostly wait for their host.
  const variants = hosts.flatMap((host) => variantsByHost[host])
  const behaviors = await Promise.all(
    variants.map((variant) => runBehaviors({ ...run, args: otherArgs }, addresses, variant)),
  )
  let completed = behaviors.reduce((sum, count) => sum + count, 0)
  for (const host of hosts) {
    // At the small size, `publish-exactly-once` runs the scenarios on Gitea.
    if (run.size === 'ci' && host === 'gitea') continue
    const scenarios = await runScenarios({ ...run, args: otherArgs }, host)
    run.figure(`publishing scenarios on ${codeHostLabels[host]}`, scenarios)
    completed += scenarios
  }
  run.check(completed > 0, `the arguments name a behavior or a scenario: ${otherArgs.join(', ')}`)
  const violations = (await github.violations()).slice(violationsBefore)
  run.check(
    violations.length === 0,
    `every call conforms to GitHub's OpenAPI description: ${JSON.stringify(violations[0])}`,
  )
  run.figure("calls that violate GitHub's OpenAPI description", violations.length)
}

async function runBehaviors(run: ProofRun, { gitea, github }: ServiceAddresses, variant: HostVariant): Promise<number> {
  const createRepository = async (): Promise<HostTestRepository> => {
    const by = variant === 'github' ? 'app' : 'token'
    const repository = await (variant === 'gitea'
      ? createGiteaTestRepository(gitea)
      : createGithubTestRepository(github, { by }))
    run.cleanUp(repository.remove)
    return repository
  }
  const selected = hostBehaviors.filter(
    ({ name }) => run.args.length === 0 || run.args.some((arg) => name.includes(arg)),
  )
  const repository = await createRepository()
  let completed = 0
  for (const behavior of selected) {
    const { name } = behavior
    const reason = behavior.unsupported?.[variant]
    if (reason !== undefined) {
      run.log(`${variantLabels[variant]} does not support: ${name}. ${reason}`)
      continue
    }
    completed += 1
    const failure = await runInTime(behavior.run({ repository, createRepository }))
    run.check(failure === undefined, `${variantLabels[variant]}, ${name}: ${failure}`)
  }
  run.log(`${variantLabels[variant]}: ${completed} behaviors checked`)
  run.check(
    completed >= 60 || run.args.length > 0,
    `${variantLabels[variant]}: at least 60 behaviors are checked: ${completed}`,
  )
  run.figure(
    `behaviors on ${variantLabels[variant]}`,
    `${completed} checked, ${selected.length - completed} not supported`,
  )
  return completed
}

async function runInTime(behavior: Promise<unknown>): Promise<string | undefined> {
  const timeout = sleep(behaviorTimeoutMs, `no end within ${behaviorTimeoutMs / 1000} s`, { ref: false })
  const failure = behavior.then(
    () => undefined,
    (error: unknown) => String(error),
  )
  return Promise.race([failure, timeout])
}
