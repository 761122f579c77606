/** Where an event came from, as people who set it up think of it: logs are servers' too, but come by another way. */
import { type DropReason, dropReasons } from '../classify/drop-reason.ts'

export const viewSources = ['script', 'servers', 'logs'] as const
export type ViewSource = (typeof viewSources)[number]

/** Beyond what makes an event no view: the reader, or the project, wanted it left alone. */
export const leftOutReasons = [...dropReasons, 'opted_out', 'origin_not_allowed'] as const
export type LeftOutReason = DropReason | 'opted_out' | 'origin_not_allowed'
