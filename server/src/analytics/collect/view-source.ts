/** Where an event came from, as shown to people who set up counting. Logs come from servers too, but are imported. */
import { type DropReason, dropReasons } from '../classify/drop-reason.ts'

export const viewSources = ['script', 'servers', 'logs'] as const
export type ViewSource = (typeof viewSources)[number]

/** The drop reasons, and those of the script: the visitor opted out, or the project does not allow the origin. */
export const allDropReasons = [...dropReasons, 'opted_out', 'origin_not_allowed'] as const
export type AnyDropReason = DropReason | 'opted_out' | 'origin_not_allowed'
