/** The page's own addresses. What a name may hold is not up to us, so an anchor keeps only what is safe everywhere. */
import type { Call } from './openapi-document.ts'

const slug = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-|-$/g, '')

export const schemaAnchor = (name: string) => `schema-${slug(name)}`
export const tagAnchor = (name: string) => `group-${slug(name)}`
export const operationAnchor = ({ method, path, operation }: Call) =>
  `operation-${slug(operation.operationId ?? `${method}-${path}`)}`
