import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify-request.ts'
import type { View } from './view.ts'

/** How long a repeated delivery is recognized. Always in this order, so that two transactions cannot deadlock. */
export const deliveryIdRetentions = ['half_hour', 'day', 'week', 'forever'] as const
export type DeliveryIdRetention = (typeof deliveryIdRetentions)[number]

/** The views of one request from a sender. */
export interface ViewDelivery {
  projectId: Id<'prj'>
  source: CountingSource
  /** Whether the source counted humans, by the settings at the time of classification, which may have changed since. */
  countsHumans: boolean
  /** The sender's idempotency key. Without one, repetitions are not detected: equal views often come from two clients. */
  deliveryId: { text: string; retention: DeliveryIdRetention } | undefined
  views: readonly View[]
}
