/** Who may call an operation, in words. */
import { type Html, html, joined } from './html.ts'
import type { Operation } from './openapi-document.ts'

export function whoMayCall(operation: Operation): Html {
  const access = operation['x-colophon-access']
  if (access === 'public' || (access === undefined && isPublic(operation))) return html`Anybody, without a key`
  if (access === 'any-key') return html`Any valid API key`
  if (access === 'session') return html`Whoever is signed in to the dashboard`
  if (access === 'operator') return html`Whoever is signed in and runs the installation`
  const scopes = access === undefined ? scopesOf(operation) : [access]
  if (scopes.length === 0) return html`Any valid API key`
  return html`An API key with ${joined(
    scopes.map((scope) => html`<code>${scope}</code>`),
    ', ',
  )}`
}

export function needsKey(operation: Operation): boolean {
  const access = operation['x-colophon-access']
  return access === undefined ? !isPublic(operation) : access !== 'public'
}

const isPublic = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((way) => Object.keys(way).length === 0)

const scopesOf = ({ security = [] }: Operation) => [...new Set(security.flatMap((way) => Object.values(way).flat()))]
