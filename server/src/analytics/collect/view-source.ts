/** Where an event came from, as shown to people who set up counting. Logs come from servers too, but are imported. */
import { type DropReason, dropReasons } from '../classify/drop-reason.ts'

export const viewSources = ['script', 'servers', 'logs'] as const
export type ViewSource = (typeof viewSources)[number]

/** Of the script: the visitor opted out, or the project does not allow the origin. `daily_limit`: also of log drains. */
const sourceDropReasons = ['opted_out', 'origin_not_allowed', 'rate_limited', 'daily_limit'] as const

export const allDropReasons = [...dropReasons, ...sourceDropReasons] as const
export type AnyDropReason = DropReason | (typeof sourceDropReasons)[number]
