/** The differences between two client lists: in their entries and, because the order matters, in how they classify. */

import { compileClientDetector, type DetectedClient } from './client-detector.ts'
import type { ClientList, ClientListEntry } from './client-list.ts'

export interface ClientListDifference {
  added: ClientListEntry[]
  removed: ClientListEntry[]
  changed: { name: string; fields: { field: string; before: unknown; after: unknown }[] }[]
  /** Example user agents of both lists that the newer list classifies differently. */
  reclassified: { userAgent: string; before: DetectedClient; after: DetectedClient }[]
}

export function compareClientLists(before: ClientList, after: ClientList): ClientListDifference {
  const beforeByName = byName(before)
  const afterByName = byName(after)
  return {
    added: after.clients.filter(({ name }) => !beforeByName.has(name)),
    removed: before.clients.filter(({ name }) => !afterByName.has(name)),
    changed: after.clients.flatMap((client) => {
      const fields = changedFields(beforeByName.get(client.name) ?? client, client)
      return fields.length > 0 ? [{ name: client.name, fields }] : []
    }),
    reclassified: findReclassified(before, after),
  }
}

const byName = ({ clients }: ClientList) => new Map(clients.map((client) => [client.name, client]))

function changedFields(before: ClientListEntry, after: ClientListEntry) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof ClientListEntry>
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

function findReclassified(before: ClientList, after: ClientList): ClientListDifference['reclassified'] {
  const detectorBefore = compileClientDetector(before)
  const detectorAfter = compileClientDetector(after)
  const examples = new Set([...before.clients, ...after.clients].flatMap((client) => client.exampleUserAgent ?? []))
  return [...examples].flatMap((userAgent) => {
    const signals = { userAgent, acceptsMarkdown: false, surface: 'html' } as const
    const clientBefore = detectorBefore.detect(signals)
    const clientAfter = detectorAfter.detect(signals)
    const isUnchanged = clientBefore.class === clientAfter.class && clientBefore.name === clientAfter.name
    return isUnchanged ? [] : [{ userAgent, before: clientBefore, after: clientAfter }]
  })
}

/** For the terminal, one line per difference. */
export function formatClientListDifference({ added, removed, changed, reclassified }: ClientListDifference): string[] {
  const label = ({ class: clientClass, name }: DetectedClient) => `${name} (${clientClass})`
  return [
    ...added.map(({ name, class: clientClass, match }) => `+ ${name}: ${clientClass}, by "${match}"`),
    ...removed.map(({ name, class: clientClass, match }) => `- ${name}: ${clientClass}, by "${match}"`),
    ...changed.flatMap(({ name, fields }) =>
      fields.map(
        ({ field, before, after }) => `~ ${name}: ${field} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
      ),
    ),
    ...reclassified.map(({ userAgent, before, after }) => `! ${label(before)} -> ${label(after)}: ${userAgent}`),
  ]
}
