type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/**
 * Lists the fields of a recorded object that the actual one does not have, or has with another type. Null matches every type,
 * because a field that was recorded with a value may be null at another time. Nested objects are compared up to `depth`.
 */
export function shapeDifferences(recorded: unknown, actual: unknown, depth: number, path = ''): string[] {
  if (path === '' && !isObject(recorded)) throw new Error('There is no recorded object to compare with.')
  if (path === '' && !isObject(actual)) return [`it is ${typeOf(actual)} instead of object`]
  if (!isObject(recorded) || !isObject(actual)) return []
  return Object.entries(recorded).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    if (!(key in actual)) return [`${at} is missing`]
    const expectedType = typeOf(value)
    const actualType = typeOf(actual[key])
    if (expectedType !== actualType && expectedType !== 'null' && actualType !== 'null') {
      return [`${at} is ${actualType} instead of ${expectedType}`]
    }
    return depth > 1 ? shapeDifferences(value, actual[key], depth - 1, at) : []
  })
}
