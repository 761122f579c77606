import Type from 'typebox'
import type { Json } from './json.ts'
import { ModelError } from './model-error.ts'

export const toolName = Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' })
/** JSON that is between the engine and the model. */
export const FreeObject = Type.Record(Type.String(), Type.Unknown())

/** A validator on the provider's side may fetch what a tool's schema refers to, so it may refer to itself alone. */
export function refuseReferences(toolSchemas: readonly (Json | undefined)[]): void {
  const waiting: unknown[] = [...toolSchemas]
  for (let value = waiting.pop(); value !== undefined || waiting.length > 0; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object') waiting.push(inner)
      else if (typeof inner === 'string' && isOutside(name, inner))
        throw new ModelError('invalid_request', {
          message: `A tool's schema may not have ${name} to something outside it.`,
        })
    }
  }
}

function isOutside(name: string, value: string): boolean {
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
