/** Describes who can call an operation. */
import { type Html, html, joinHtml } from './html.ts'
import type { Operation } from './openapi-document.ts'

export function describeAccess(operation: Operation): Html {
  const access = operation['x-colophon-access']
  if (access === 'public' || (access === undefined && isPublic(operation))) return html`Public, no authentication`
  if (access === 'any-key') return html`Any valid API key`
  if (access === 'session') return html`A person who is signed in`
  if (access === 'operator') return html`An operator of the instance who is signed in`
  const scopes = access === undefined ? scopesOf(operation) : [access]
  if (scopes.length === 0) return html`Any valid API key`
  const scopeList = joinHtml(
    scopes.map((scope) => html`<code>${scope}</code>`),
    ', ',
  )
  const orMember = access === undefined ? '' : ', or a member who is signed in and whose role includes it'
  return html`An API key with the scope ${scopeList}${orMember}`
}

export function needsAuthentication(operation: Operation): boolean {
  const access = operation['x-colophon-access']
  return access === undefined ? !isPublic(operation) : access !== 'public'
}

const isPublic = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0)

const scopesOf = ({ security = [] }: Operation) => [
  ...new Set(security.flatMap((requirement) => Object.values(requirement).flat())),
]
