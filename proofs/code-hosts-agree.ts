/**
 * One suite for all code hosts: what the seam to them promises, and whatever can happen to a job on its way to a pull request.
 * On the real Gitea, and on a stand-in for GitHub that is held to GitHub's own description.
 *
 * `-- github` or `-- gitea`: on that one alone. Other words name behaviours and scenarios, as for `jobs-are-published-once`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { githubControl } from '../dev-services/github/github-control.ts'
import { shareServices } from '../dev-services/running-services.ts'
import type { ServiceAddresses } from '../dev-services/start-services.ts'
import { createGiteaRepository } from '../server/src/code-hosts/testing/gitea-repository.ts'
import { createGithubRepository } from '../server/src/code-hosts/testing/github-repository.ts'
import { hostBehaviours } from '../server/src/code-hosts/testing/host-behaviours.ts'
import type { HostRepository, HostWay } from '../server/src/code-hosts/testing/host-repository.ts'
import { playScenarios } from './kit/published-once/scenarios.ts'
import { type HostName, hostNames } from './kit/published-once/stage.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'What Colophon does on one code host it does on the other'

const longestBehaviorMs = 120_000

const waysOf: Record<HostName, readonly HostWay[]> = { gitea: ['gitea'], github: ['github', 'github_by_token'] }
const namesOf: Record<HostWay, string> = {
  gitea: 'Gitea',
  github: 'GitHub through an App',
  github_by_token: 'GitHub with a token',
}

export async function prove(run: ProofRun): Promise<void> {
  const { addresses, release } = await shareServices()
  run.cleanUp(release)
  const isHost = (word: string): word is HostName => word in waysOf
  const named = run.words.filter(isHost)
  const others = run.words.filter((word) => !isHost(word))
  const hosts: readonly HostName[] = named.length > 0 ? named : ['gitea', 'github']
  const github = githubControl(addresses.github)
  const violationsBefore = (await github.violations()).length
  let played = 0
  for (const host of hosts) {
    for (const way of waysOf[host]) played += await playBehaviours({ ...run, words: others }, addresses, way)
    // At the small size those of Gitea are played by `jobs-are-published-once`.
    if (run.size === 'ci' && host === 'gitea') continue
    const scenarios = await playScenarios({ ...run, words: others }, host)
    run.figure(`scenarios of publishing on ${hostNames[host]}`, scenarios)
    played += scenarios
  }
  run.check(played > 0, `there is something by this name: ${others.join(', ')}`)
  const violations = (await github.violations()).slice(violationsBefore)
  run.check(violations.length === 0, `every call fits GitHub's description: ${JSON.stringify(violations[0])}`)
  run.figure("calls to the stand-in that do not fit GitHub's description", violations.length)
}

async function playBehaviours(run: ProofRun, { gitea, github }: ServiceAddresses, way: HostWay): Promise<number> {
  const another = async (): Promise<HostRepository> => {
    const by = way === 'github' ? 'app' : 'token'
    const made = await (way === 'gitea' ? createGiteaRepository(gitea) : createGithubRepository(github, { by }))
    run.cleanUp(made.remove)
    return made
  }
  const chosen = hostBehaviours.filter(
    ({ name }) => run.words.length === 0 || run.words.some((word) => name.includes(word)),
  )
  const repository = await another()
  let played = 0
  for (const { name, cannot, play } of chosen) {
    const reason = cannot?.[way]
    if (reason !== undefined) {
      run.say(`${namesOf[way]} cannot: ${name}. ${reason}`)
      continue
    }
    played += 1
    const wrong = await inTime(play({ repository, another }))
    run.check(wrong === undefined, `${namesOf[way]}: ${name}: ${wrong}`)
  }
  run.say(`${namesOf[way]}: ${played} behaviours are those of the seam`)
  run.check(played >= 60 || run.words.length > 0, `at least 60 behaviours: ${played}`)
  run.figure(`behaviours of ${namesOf[way]}, and what it cannot`, `${played}, ${chosen.length - played}`)
  return played
}

async function inTime(playing: Promise<unknown>): Promise<string | undefined> {
  const late = sleep(longestBehaviorMs, 'it does not end', { ref: false })
  const wrong = playing.then(
    () => undefined,
    (error: unknown) => String(error),
  )
  return Promise.race([wrong, late])
}
