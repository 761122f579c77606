/** The work that waits, as operators see it. */
import Type, { type Static } from 'typebox'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const age = (what: string) =>
  Type.Number({ minimum: 0, description: `Age of the oldest ${what} in seconds; 0 if there is none.` })

const OpenTurns = (state: string) =>
  Type.Object(
    { count: count(`Turns that are ${state}.`), oldestAgeSeconds: age('one') },
    { description: `Turns that are ${state}.` },
  )

export const InstanceQueues = Type.Object(
  {
    turns: Type.Object(
      { queued: OpenTurns('queued'), running: OpenTurns('running'), publishing: OpenTurns('being published') },
      { description: 'Turns that have not ended, without those of paused projects.' },
    ),
    waitingAttempts: Type.Object(
      { count: count('Attempts that wait for a runner.'), oldestAgeSeconds: age('one') },
      { description: 'Attempts that wait for a runner.' },
    ),
    runners: Type.Object(
      {
        registered: count('Runners whose tokens are valid.'),
        online: count('Runners seen in the last few minutes.'),
      },
      { description: 'Runners of all projects.' },
    ),
    views: Type.Object(
      {
        waitingBytes: count('Size of the page views that are not in ClickHouse yet.'),
        deliveryIdBytes: count('Size of the IDs of deliveries, by which a repeated delivery is recognized.'),
        maxBytes: count('Size of both at which no more page views are accepted.'),
        oldestAgeSeconds: age('batch of views'),
        quarantinedBatches: count('Batches that ClickHouse has rejected repeatedly.'),
      },
      { description: 'Page views that are not in ClickHouse yet.' },
    ),
    deliveries: Type.Object(
      {
        waiting: count('Deliveries of events that have not ended.'),
        oldestDueAgeSeconds: age('delivery that is due'),
      },
      { description: 'Deliveries of events to webhooks, chats and email addresses.' },
    ),
  },
  { $id: 'InstanceQueues', description: 'The work that waits, and for how long.' },
)

export type InstanceQueues = Static<typeof InstanceQueues>
