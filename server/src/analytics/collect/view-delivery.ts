import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify.ts'
import type { View } from './view.ts'

/** What a sender hands over at once. */
export interface ViewDelivery {
  projectId: Id<'prj'>
  /** Where the project's views are. */
  shard: number
  source: CountingSource
  /** Whether people among its readers were counted: by the settings that it was sifted with, which may have changed since. */
  countsHumans: boolean
  /** The sender's own, by which a repetition is known. Without one none is: equal views are often two readers. */
  deliveryId: { text: string; keep: 'a week' | 'for ever' } | undefined
  views: readonly View[]
}
