/** What a newer list of readers would change: what it says, and, because the order decides, what comes of it. */
import type { KnownReader, ReaderList } from './reader-list.ts'
import { compileReaders, type Reader } from './readers.ts'

export interface ReaderListDifference {
  added: KnownReader[]
  removed: KnownReader[]
  changed: { name: string; fields: { field: string; before: unknown; after: unknown }[] }[]
  /** User agents, of the examples in both lists, that are somebody else now. */
  decidedOtherwise: { userAgent: string; before: Reader; after: Reader }[]
}

export function compareReaderLists(before: ReaderList, after: ReaderList): ReaderListDifference {
  const old = byName(before)
  const young = byName(after)
  return {
    added: after.agents.filter(({ name }) => !old.has(name)),
    removed: before.agents.filter(({ name }) => !young.has(name)),
    changed: after.agents.flatMap((reader) => {
      const fields = changedFields(old.get(reader.name) ?? reader, reader)
      return fields.length > 0 ? [{ name: reader.name, fields }] : []
    }),
    decidedOtherwise: decidedOtherwise(before, after),
  }
}

const byName = ({ agents }: ReaderList) => new Map(agents.map((reader) => [reader.name, reader]))

function changedFields(before: KnownReader, after: KnownReader) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof KnownReader>
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
}

function decidedOtherwise(before: ReaderList, after: ReaderList): ReaderListDifference['decidedOtherwise'] {
  const old = compileReaders(before)
  const young = compileReaders(after)
  const examples = new Set([...before.agents, ...after.agents].flatMap((reader) => reader.exampleUserAgent ?? []))
  return [...examples].flatMap((userAgent) => {
    const signs = { userAgent, asksForMarkdown: false, surface: 'html', verification: { kind: 'none' } } as const
    const was = old.recognise(signs)
    const is = young.recognise(signs)
    return was.class === is.class && was.agent === is.agent ? [] : [{ userAgent, before: was, after: is }]
  })
}

/** For a person at a terminal, one line each. */
export function describeDifference({ added, removed, changed, decidedOtherwise }: ReaderListDifference): string[] {
  const reader = ({ class: readerClass, agent }: Reader) => `${agent} (${readerClass})`
  return [
    ...added.map(({ name, class: readerClass, match }) => `+ ${name}: ${readerClass}, by "${match}"`),
    ...removed.map(({ name, class: readerClass, match }) => `- ${name}: ${readerClass}, by "${match}"`),
    ...changed.flatMap(({ name, fields }) =>
      fields.map(
        ({ field, before, after }) => `~ ${name}: ${field} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
      ),
    ),
    ...decidedOtherwise.map(({ userAgent, before, after }) => `! ${reader(before)} -> ${reader(after)}: ${userAgent}`),
  ]
}
