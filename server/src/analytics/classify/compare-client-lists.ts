/** What a newer list of readers would change: what it says, and, because the order decides, what comes of it. */

import { compileClientDetector, type DetectedClient } from './client-detector.ts'
import type { ClientList, KnownClient } from './client-list.ts'

export interface ClientListDifference {
  added: KnownClient[]
  removed: KnownClient[]
  changed: { name: string; fields: { field: string; before: unknown; after: unknown }[] }[]
  /** User agents, of the examples in both lists, that are somebody else now. */
  decidedOtherwise: { userAgent: string; before: DetectedClient; after: DetectedClient }[]
}

export function compareClientLists(before: ClientList, after: ClientList): ClientListDifference {
  const old = byName(before)
  const young = byName(after)
  return {
    added: after.clients.filter(({ name }) => !old.has(name)),
    removed: before.clients.filter(({ name }) => !young.has(name)),
    changed: after.clients.flatMap((client) => {
      const fields = changedFields(old.get(client.name) ?? client, client)
      return fields.length > 0 ? [{ name: client.name, fields }] : []
    }),
    decidedOtherwise: decidedOtherwise(before, after),
  }
}

const byName = ({ clients }: ClientList) => new Map(clients.map((client) => [client.name, client]))

function changedFields(before: KnownClient, after: KnownClient) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof KnownClient>
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

function decidedOtherwise(before: ClientList, after: ClientList): ClientListDifference['decidedOtherwise'] {
  const old = compileClientDetector(before)
  const young = compileClientDetector(after)
  const examples = new Set([...before.clients, ...after.clients].flatMap((client) => client.exampleUserAgent ?? []))
  return [...examples].flatMap((userAgent) => {
    const signs = { userAgent, acceptsMarkdown: false, surface: 'html' } as const
    const was = old.detect(signs)
    const is = young.detect(signs)
    return was.class === is.class && was.name === is.name ? [] : [{ userAgent, before: was, after: is }]
  })
}

/** For a person at a terminal, one line each. */
export function describeDifference({ added, removed, changed, decidedOtherwise }: ClientListDifference): string[] {
  const label = ({ class: clientClass, name }: DetectedClient) => `${name} (${clientClass})`
  return [
    ...added.map(({ name, class: clientClass, match }) => `+ ${name}: ${clientClass}, by "${match}"`),
    ...removed.map(({ name, class: clientClass, match }) => `- ${name}: ${clientClass}, by "${match}"`),
    ...changed.flatMap(({ name, fields }) =>
      fields.map(
        ({ field, before, after }) => `~ ${name}: ${field} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
      ),
    ),
    ...decidedOtherwise.map(({ userAgent, before, after }) => `! ${label(before)} -> ${label(after)}: ${userAgent}`),
  ]
}
