/** What should be counted, as plain rows, and what an answer about any range should be: by looking at every row. */
import type { ClientClass, CountedClient } from './known-clients.ts'

export interface CountedView {
  path: string
  reader: CountedClient
  atMs: number
}

/** The first moment of a range and the first one after it. */
export interface Range {
  fromMs: number
  toMs: number
}

export type AiMeaning = 'all' | 'assistants'

export interface Counts {
  human: number
  ai: number
  total: number
}

export interface PathCounts extends Counts {
  path: string
}

/** Of one project. */
export class ViewModel {
  readonly #paths = new Numbered<string>((path) => path)
  readonly #readers = new Numbered<CountedClient>((reader) => `${reader.class} ${reader.agent}`)
  #pathOf = new Uint16Array(1024)
  #readerOf = new Uint8Array(1024)
  #atMs = new Float64Array(1024)
  size = 0

  add({ path, reader, atMs }: CountedView): void {
    if (this.size === this.#atMs.length) this.#grow()
    this.#pathOf[this.size] = this.#paths.numberOf(path)
    this.#readerOf[this.size] = this.#readers.numberOf(reader)
    this.#atMs[this.size] = atMs
    this.size++
  }

  #grow(): void {
    const length = this.size * 2
    const grown = { pathOf: new Uint16Array(length), readerOf: new Uint8Array(length), atMs: new Float64Array(length) }
    grown.pathOf.set(this.#pathOf)
    grown.readerOf.set(this.#readerOf)
    grown.atMs.set(this.#atMs)
    this.#pathOf = grown.pathOf
    this.#readerOf = grown.readerOf
    this.#atMs = grown.atMs
  }

  /** When some view was: no edge is harder for a range. */
  momentOf(index: number): number {
    return this.#atMs[index] ?? 0
  }

  /** Most views first, then by code point, which is also the order of the bytes in UTF-8. */
  pages(range: Range, ai: AiMeaning): PathCounts[] {
    const { items } = this.#paths
    const human = new Uint32Array(items.length)
    const byAi = new Uint32Array(items.length)
    const column = this.#readers.items.map((reader) => columnOf(reader.class, ai))
    this.#each(range, (path, reader) => {
      if (column[reader] === 'human') human[path] = (human[path] ?? 0) + 1
      if (column[reader] === 'ai') byAi[path] = (byAi[path] ?? 0) + 1
    })
    return items
      .map((path, index) => ({ path, ...countsOf(human[index] ?? 0, byAi[index] ?? 0) }))
      .filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  }

  /** By `class agent`. */
  readers(range: Range): Map<string, number> {
    const counts = new Map<string, number>()
    this.#each(range, (_, reader) => {
      const { class: clientClass, agent } = this.#readers.items[reader] ?? { class: 'human', agent: '' }
      const name = `${clientClass} ${agent}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    })
    return counts
  }

  /** By the beginning of the step, in milliseconds; steps without views are not there. */
  steps(range: Range, ai: AiMeaning, beginningOf: (ms: number) => number): Map<number, Counts> {
    const steps = new Map<number, Counts>()
    const column = this.#readers.items.map((reader) => columnOf(reader.class, ai))
    this.#each(range, (_, reader, atMs) => {
      const name = column[reader]
      if (!name) return
      const step = beginningOf(atMs)
      const counts = steps.get(step) ?? { human: 0, ai: 0, total: 0 }
      counts[name]++
      counts.total++
      steps.set(step, counts)
    })
    return steps
  }

  #each({ fromMs, toMs }: Range, visit: (path: number, reader: number, atMs: number) => void): void {
    for (let index = 0; index < this.size; index++) {
      const atMs = this.#atMs[index] ?? 0
      if (atMs >= fromMs && atMs < toMs) visit(this.#pathOf[index] ?? 0, this.#readerOf[index] ?? 0, atMs)
    }
  }
}

export const countsOf = (human: number, ai: number): Counts => ({ human, ai, total: human + ai })

export const sumOf = (all: Iterable<Counts>): Counts => {
  const sum = { human: 0, ai: 0, total: 0 }
  for (const counts of all) {
    sum.human += counts.human
    sum.ai += counts.ai
    sum.total += counts.total
  }
  return sum
}

function columnOf(clientClass: ClientClass, ai: AiMeaning): 'human' | 'ai' | undefined {
  if (clientClass === 'human') return 'human'
  if (clientClass === 'assistant') return 'ai'
  const isOtherAi = clientClass === 'ai-search' || clientClass === 'ai-training'
  return isOtherAi && ai === 'all' ? 'ai' : undefined
}

/** Rows hold small numbers instead of texts. */
class Numbered<Item> {
  readonly items: Item[] = []
  readonly #numbers = new Map<string, number>()
  readonly #nameOf: (item: Item) => string

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf
  }

  numberOf(item: Item): number {
    const name = this.#nameOf(item)
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.items.length)
    this.items.push(item)
    return this.items.length - 1
  }
}
