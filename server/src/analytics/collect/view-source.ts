/** Where an event came from, as shown to people who set up counting. Logs come from servers too, but are imported. */
import { type DropReason, dropReasons } from '../classify/drop-reason.ts'

export const viewSources = ['script', 'servers', 'logs'] as const
export type ViewSource = (typeof viewSources)[number]

/** Of the script: the visitor opted out, the project does not allow the origin, or one of the limits for beacons was reached. */
const scriptDropReasons = ['opted_out', 'origin_not_allowed', 'rate_limited', 'daily_limit'] as const

export const allDropReasons = [...dropReasons, ...scriptDropReasons] as const
export type AnyDropReason = DropReason | (typeof scriptDropReasons)[number]
