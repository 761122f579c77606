/** What can happen to a job on its way to a pull request: the same on every code host. */

import type { ProofRun, ProofSize } from '../../proof.ts'
import type { Loss } from '../faulty-relay.ts'
import { harmlessTexts, houseStyle, wordsOnGitea } from './house-style.ts'
import { callGoesWrong, callsOfAJob, isWrite, twoCallsTogether, twoWorkers } from './lost-answers.ts'
import { branchIsDeleted, contradictingMove, mergeableMove, movesTwice } from './moved-branches.ts'
import { afterTheEnd, baseMovesOn, emptyResult, followUps, messagesWaitTheirTurn } from './pull-requests.ts'
import { type HostName, hostNames, type Scene, type Stage, sceneOf, setStage } from './stage.ts'
import { secondThoughts, stopPoints } from './stops.ts'
import { temporalAway } from './temporal-away.ts'
import { diffs, topics } from './topics-and-diffs.ts'

interface Scenario {
  name: string
  /** Left out of the small size: it is a sister of one that is in it. */
  isForStated?: boolean
  /** Says in a few words what was seen. */
  play(scene: Scene): Promise<string>
}

/** Those whose names have one of the words in them, or all. Returns how many. */
export async function playScenarios(run: ProofRun, on: HostName): Promise<number> {
  const stage = await setStage(run, on)
  run.say(`Colophon, ${hostNames[on]} and the runners are ready`)
  const isPlayed = ({ name, isForStated }: Scenario) =>
    run.words.length > 0 ? run.words.some((word) => name.includes(word)) : run.size !== 'ci' || !isForStated
  const together = sideBySide(run.size, on).filter(isPlayed)
  const alone = oneByOne.filter(isPlayed)
  const width = Math.max(...[...together, ...alone].map(({ name }) => name.length))
  await playAll(stage, together, width, 5)
  await playAll(stage, alone, width, 1)
  await countOnTheHost(stage)
  return together.length + alone.length
}

function sideBySide(size: ProofSize, on: HostName): Scenario[] {
  return [
    { name: 'a call to the host goes wrong', play: (scene) => callsGoWrong(scene, size) },
    { name: 'topic', play: topics },
    { name: 'templates and webhook', play: houseStyle },
    { name: 'an agent that talks to the host', play: harmlessTexts },
    ...(on === 'gitea' ? [{ name: 'words that the host acts on', play: wordsOnGitea }] : []),
    { name: 'follow-ups', play: followUps },
    { name: 'publish: diff', play: diffs },
    { name: 'messages to an active job', play: messagesWaitTheirTurn },
    { name: 'nothing changed', play: emptyResult },
    { name: 'the base moves on', play: baseMovesOn },
    { name: 'the branch moves, mergeable', play: mergeableMove },
    { name: 'the branch moves, not mergeable', play: contradictingMove, isForStated: true },
    { name: 'the branch moves twice', play: movesTwice },
    { name: 'the branch is deleted', play: branchIsDeleted, isForStated: true },
    { name: 'merged, and we were told', play: afterTheEnd('merged', 'told') },
    { name: 'merged, and nobody told us', play: afterTheEnd('merged', 'untold'), isForStated: true },
    { name: 'merged while the agent works', play: afterTheEnd('merged', 'working') },
    { name: 'merged while we publish', play: afterTheEnd('merged', 'publishing') },
    { name: 'closed, and we were told', play: afterTheEnd('closed', 'told'), isForStated: true },
    { name: 'closed, and nobody told us', play: afterTheEnd('closed', 'untold') },
    { name: 'closed while the agent works', play: afterTheEnd('closed', 'working'), isForStated: true },
    { name: 'closed while we publish', play: afterTheEnd('closed', 'publishing'), isForStated: true },
    ...stops.filter(({ isAlone }) => !isAlone),
    { name: 'cancel, then something else', play: secondThoughts },
  ]
}

const stops = stopPoints.map(({ point, play, isAlone = false, isOneByOne = isAlone }) => ({
  name: `cancel, archive: ${point}`,
  isAlone,
  async play(scene: Scene) {
    if (isOneByOne) for (const stop of ['cancel', 'archive'] as const) await play(scene, stop)
    else await Promise.all([play(scene, 'cancel'), play(scene, 'archive')])
    return 'as the contract says'
  },
}))

/** These take Temporal or a worker away from the others. */
const oneByOne: readonly Scenario[] = [
  ...stops.filter(({ isAlone }) => isAlone),
  { name: 'Temporal refuses', play: (scene) => temporalAway(scene, 'refuses') },
  { name: 'Temporal is silent', play: (scene) => temporalAway(scene, 'is silent'), isForStated: true },
  {
    name: 'two workers, one stands still',
    play: (scene) => twoWorkers(scene, 'stands still', 'opens'),
    isForStated: true,
  },
  { name: 'two workers, at the push', play: (scene) => twoWorkers(scene, 'stands still', 'puts'), isForStated: true },
  {
    name: 'two workers, both at work',
    play: (scene) => twoWorkers(scene, 'is cut off', 'opens'),
    isForStated: true,
  },
  { name: 'two workers, in the same moment', play: twoCallsTogether, isForStated: true },
]

/** `ci`: those that change something in a first turn. `stated`: every call. `full`: every call, in every way. */
async function callsGoWrong(scene: Scene, size: ProofSize): Promise<string> {
  const projects = [await scene.connect(), await scene.connect()] as const
  const calls = (await callsOfAJob(scene, projects[0])).filter(
    (call) => size !== 'ci' || (call.turn === 'first' && isWrite(call)),
  )
  const ways: readonly Loss[] = size === 'full' ? ['answer_lost', 'call_lost', 'answer_500'] : ['answer_lost']
  const wanted = calls.flatMap((call) => ways.map((way) => ({ call, way })))
  const waiting = [...wanted]
  const play = async (project: (typeof projects)[number]) => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await callGoesWrong(scene, project, next.call, next.way)
  }
  await Promise.all(projects.map(play))
  scene.run.figure('calls to the host that went wrong, one in each job', wanted.length)
  return `${wanted.length} jobs, each with one pull request and one commit a turn`
}

/** Some at a time, and each to its end: one that breaks does not keep the others from being seen. */
async function playAll(stage: Stage, scenarios: readonly Scenario[], width: number, atOnce: number): Promise<void> {
  const waiting = [...scenarios]
  const play = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name } = next
      try {
        stage.run.say(`${name.padEnd(width)}  ${await next.play(sceneOf(stage, name))}`)
      } catch (error) {
        stage.run.check(false, `${name}: ${error instanceof Error ? error.stack : error}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, play))
}

/** Over all scenarios, as the host has it in the end. */
async function countOnTheHost({ run, docs, sightings }: Stage): Promise<void> {
  const all = await docs.person.pullRequests()
  const open = all.filter(({ state }) => state === 'open').map(({ branch }) => branch)
  const doubles = open.length - new Set(open).size
  run.check(doubles === 0, `${doubles} branches have more than one open pull request`)
  run.figure('points of a turn at which jobs were cancelled and archived', stopPoints.length + 1)
  run.figure('jobs, and answers held against the contract', `${sightings.jobs.size}, ${sightings.polls}`)
  run.figure('answers while active, prLink null in each', sightings.pollsWhileActive)
  run.figure('pull requests in the main repository, doubles', `${all.length}, ${doubles}`)
  if (sightings.slowestWithoutTemporalMs > 0)
    run.figure('slowest create without Temporal', `${sightings.slowestWithoutTemporalMs.toFixed(0)} ms`)
}
