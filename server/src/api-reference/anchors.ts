/** Anchors on the page. Names can contain any character, so anchors keep only those that are safe in every context. */
import type { Endpoint } from './openapi-document.ts'

const slug = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-|-$/g, '')

export const schemaAnchor = (name: string) => `schema-${slug(name)}`
export const tagAnchor = (name: string) => `group-${slug(name)}`
export const operationAnchor = ({ method, path, operation }: Endpoint) =>
  `operation-${slug(operation.operationId ?? `${method}-${path}`)}`

/** The page that explains an error code. */
export const errorPagePath = (code: string) => `/errors/${encodeURIComponent(code)}`
