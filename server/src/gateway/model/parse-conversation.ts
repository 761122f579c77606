import { ModelError } from './model-error.ts'

const deepestNesting = 100
/** A long conversation has some ten thousand. Checking a million takes seconds in which nobody else is answered. */
const maxValues = 200_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Not as bodies of the API are read: an agent reads files with NUL in them and tells its model of them. Nesting has a bound, since
 * what checks and writes JSON goes down by recursion; so has the number of values, which a few bytes each would make millions.
 */
export function parseConversation(body: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw new ModelError('invalid_request', { message: 'The body is not valid JSON in UTF-8.' })
  }
  let level = [value]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestNesting) throw new ModelError('invalid_request', { message: 'The body is nested too deeply.' })
    values += level.length
    if (values > maxValues) throw new ModelError('invalid_request', { message: 'The body has too many values.' })
    level = level.flatMap((inner) => (typeof inner === 'object' && inner !== null ? Object.values(inner) : []))
  }
  return value
}
