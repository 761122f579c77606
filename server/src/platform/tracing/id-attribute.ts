import { isId } from '../ids.ts'
import type { SpanAttributes } from './spans.ts'

const attributes = {
  prj: 'colophon.project_id',
  job: 'colophon.job_id',
  trn: 'colophon.turn_id',
  end: 'colophon.endpoint_id',
} as const

/** The attribute that fits the type of the ID. Nothing for everything else. */
export function toIdAttribute(value: unknown): SpanAttributes {
  if (typeof value !== 'string') return {}
  for (const [prefix, name] of Object.entries(attributes))
    if (isId(prefix as keyof typeof attributes, value)) return { [name]: value }
  return {}
}
