import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify-request.ts'
import type { View } from './view.ts'

/** The views of one request from a sender. */
export interface ViewDelivery {
  projectId: Id<'prj'>
  source: CountingSource
  /** Whether the source counted humans, by the settings at the time of classification, which may have changed since. */
  countsHumans: boolean
  /** The sender's idempotency key. Without one, repetitions are not detected: equal views often come from two clients. */
  deliveryId: { text: string; retention: 'half_hour' | 'week' | 'forever' } | undefined
  views: readonly View[]
}
