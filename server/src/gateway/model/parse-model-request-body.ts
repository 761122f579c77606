import { ModelError } from './model-error.ts'

const maxNestingLevels = 100
/** A long conversation has some ten thousand. Validating a million takes seconds, in which no other request is served. */
const maxValues = 200_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Unlike the JSON parser of the API, it accepts NUL: an agent reads files that contain NUL and sends them to its model.
 * Nesting is limited, because JSON is validated and serialized recursively. So is the number of values: at a few bytes
 * each, a body could contain millions.
 */
export function parseModelRequestBody(body: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw new ModelError('invalid_request', { message: 'The body is not valid JSON in UTF-8.' })
  }
  let level = [value]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNestingLevels) throw new ModelError('invalid_request', { message: 'The body is nested too deeply.' })
    values += level.length
    if (values > maxValues) throw new ModelError('invalid_request', { message: 'The body has too many values.' })
    level = level.flatMap((inner) => (typeof inner === 'object' && inner !== null ? Object.values(inner) : []))
  }
  return value
}
