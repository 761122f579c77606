type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/**
 * What a recorded object has and ours has not, or as another type. Null fits everything: what was recorded once with a value
 * may be without one another time. Objects in it are looked into only where `depth` allows.
 */
export function missingOf(recorded: unknown, ours: unknown, depth: number, path = ''): string[] {
  if (path === '' && !isObject(recorded)) throw new Error('there is no recorded object to compare with')
  if (path === '' && !isObject(ours)) return [`it is ${typeOf(ours)} instead of object`]
  if (!isObject(recorded) || !isObject(ours)) return []
  return Object.entries(recorded).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    if (!(key in ours)) return [`${at} is missing`]
    const wanted = typeOf(value)
    const got = typeOf(ours[key])
    if (wanted !== got && wanted !== 'null' && got !== 'null') return [`${at} is ${got} instead of ${wanted}`]
    return depth > 1 ? missingOf(value, ours[key], depth - 1, at) : []
  })
}
