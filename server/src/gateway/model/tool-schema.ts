import Type from 'typebox'
import type { JsonObject } from './json.ts'
import { ModelError } from './model-error.ts'

export const ToolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' })
/** JSON that only the agent and the model interpret. */
export const AnyJsonObject = Type.Record(Type.String(), Type.Unknown())

/** A validator of the provider may fetch the references in a tool's schema, so it may refer only to itself. */
export function rejectExternalReferences(toolSchemas: readonly (JsonObject | undefined)[]): void {
  const pending: unknown[] = [...toolSchemas]
  for (let value = pending.pop(); value !== undefined || pending.length > 0; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object') pending.push(inner)
      else if (typeof inner === 'string' && isExternalReference(name, inner))
        throw new ModelError('invalid_request', {
          message: `The schema of a tool must not contain an external ${name}.`,
        })
    }
  }
}

function isExternalReference(name: string, value: string): boolean {
  switch (name) {
    case '$ref':
    case '$dynamicRef':
    case '$recursiveRef':
      return !value.startsWith('#')
    case '$id':
      return true
    case '$schema':
      return !/^https?:\/\/json-schema\.org\/[\w/.-]+#?$/.test(value)
    default:
      return false
  }
}
