/**
 * Sends what the noisy project sends, in a process of its own, so that the process that measures the healthy projects does not wait
 * for it. It is controlled by messages of its parent, and exits with it.
 */
import { type BeaconCounts, BeaconFlood, type BeaconTarget } from './beacon-flood.ts'
import { EventFollowers, type FollowTarget } from './event-followers.ts'
import { type QueryCounts, type QueryTarget, SlowQueries } from './slow-queries.ts'

export type NoiseTarget = BeaconTarget & QueryTarget & FollowTarget

export type NoiseCommand =
  | { kind: 'start'; target: NoiseTarget; sources: { beacons: boolean; queries: boolean } }
  | { kind: 'follow'; jobId: string }
  | { kind: 'stop' }

export interface NoiseCounts {
  beacons: BeaconCounts
  queries: QueryCounts
  events: EventFollowers['counts']
}

let noise: { beacons: BeaconFlood; queries: SlowQueries; events: EventFollowers } | undefined

process.on('message', (command: NoiseCommand) => {
  switch (command.kind) {
    case 'start':
      noise = {
        beacons: new BeaconFlood(command.target),
        queries: new SlowQueries(command.target),
        events: new EventFollowers(command.target),
      }
      if (command.sources.beacons) noise.beacons.start()
      if (command.sources.queries) noise.queries.start()
      return
    case 'follow':
      return noise?.events.follow(command.jobId)
    case 'stop': {
      if (!noise) return
      const { beacons, queries, events } = noise
      for (const source of [beacons, queries, events]) source.stop()
      process.send?.({ beacons: beacons.counts, queries: queries.counts, events: events.counts } satisfies NoiseCounts)
      noise = undefined
    }
  }
})
process.on('disconnect', () => process.exit())
