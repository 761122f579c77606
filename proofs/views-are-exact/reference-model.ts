/** The views that should be counted, as plain rows, and the expected response for any range, computed by a full scan. */
import type { ClientClass, CountedClient } from './known-clients.ts'

export interface CountedView {
  path: string
  client: CountedClient
  atMs: number
}

/** `fromMs` is inclusive, `toMs` exclusive. */
export interface Range {
  fromMs: number
  toMs: number
}

export type AiScope = 'all' | 'assistants'

export interface Counts {
  human: number
  ai: number
  total: number
}

export interface PathCounts extends Counts {
  path: string
}

/** Of one project. */
export class ReferenceModel {
  readonly #paths = new Numbered<string>((path) => path)
  readonly #clients = new Numbered<CountedClient>((client) => `${client.class} ${client.name}`)
  #pathNumbers = new Uint16Array(1024)
  #clientNumbers = new Uint8Array(1024)
  #atMs = new Float64Array(1024)
  size = 0

  add({ path, client, atMs }: CountedView): void {
    if (this.size === this.#atMs.length) this.#grow()
    this.#pathNumbers[this.size] = this.#paths.numberOf(path)
    this.#clientNumbers[this.size] = this.#clients.numberOf(client)
    this.#atMs[this.size] = atMs
    this.size++
  }

  #grow(): void {
    const length = this.size * 2
    const grown = {
      pathNumbers: new Uint16Array(length),
      clientNumbers: new Uint8Array(length),
      atMs: new Float64Array(length),
    }
    grown.pathNumbers.set(this.#pathNumbers)
    grown.clientNumbers.set(this.#clientNumbers)
    grown.atMs.set(this.#atMs)
    this.#pathNumbers = grown.pathNumbers
    this.#clientNumbers = grown.clientNumbers
    this.#atMs = grown.atMs
  }

  /** The time of a view, which is the hardest boundary for a range. */
  viewTimeMs(index: number): number {
    return this.#atMs[index] ?? 0
  }

  /** Most views first, then by code point, which is also the order of the bytes in UTF-8. */
  pages(range: Range, ai: AiScope): PathCounts[] {
    const { items } = this.#paths
    const humanCounts = new Uint32Array(items.length)
    const aiCounts = new Uint32Array(items.length)
    const columns = this.#clients.items.map((client) => columnOf(client.class, ai))
    this.#each(range, (path, client) => {
      if (columns[client] === 'human') humanCounts[path] = (humanCounts[path] ?? 0) + 1
      if (columns[client] === 'ai') aiCounts[path] = (aiCounts[path] ?? 0) + 1
    })
    return items
      .map((path, index) => ({ path, ...toCounts(humanCounts[index] ?? 0, aiCounts[index] ?? 0) }))
      .filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  }

  /** Views by `class name`. */
  clients(range: Range): Map<string, number> {
    const counts = new Map<string, number>()
    this.#each(range, (_, client) => {
      const { class: clientClass, name: clientName } = this.#clients.items[client] ?? { class: 'human', name: '' }
      const name = `${clientClass} ${clientName}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    })
    return counts
  }

  /** Counts by the start of the step in milliseconds, without empty steps. */
  steps(range: Range, ai: AiScope, startOf: (ms: number) => number): Map<number, Counts> {
    const steps = new Map<number, Counts>()
    const columns = this.#clients.items.map((client) => columnOf(client.class, ai))
    this.#each(range, (_, client, atMs) => {
      const column = columns[client]
      if (!column) return
      const step = startOf(atMs)
      const counts = steps.get(step) ?? { human: 0, ai: 0, total: 0 }
      counts[column]++
      counts.total++
      steps.set(step, counts)
    })
    return steps
  }

  #each({ fromMs, toMs }: Range, onView: (path: number, client: number, atMs: number) => void): void {
    for (let index = 0; index < this.size; index++) {
      const atMs = this.#atMs[index] ?? 0
      if (atMs >= fromMs && atMs < toMs) onView(this.#pathNumbers[index] ?? 0, this.#clientNumbers[index] ?? 0, atMs)
    }
  }
}

export const toCounts = (human: number, ai: number): Counts => ({ human, ai, total: human + ai })

export const sumCounts = (all: Iterable<Counts>): Counts => {
  const sum = { human: 0, ai: 0, total: 0 }
  for (const counts of all) {
    sum.human += counts.human
    sum.ai += counts.ai
    sum.total += counts.total
  }
  return sum
}

function columnOf(clientClass: ClientClass, ai: AiScope): 'human' | 'ai' | undefined {
  if (clientClass === 'human') return 'human'
  if (clientClass === 'assistant') return 'ai'
  const isOtherAi = clientClass === 'ai-search' || clientClass === 'ai-training'
  return isOtherAi && ai === 'all' ? 'ai' : undefined
}

/** Interns values, so that rows hold small numbers instead of strings. */
class Numbered<Item> {
  readonly items: Item[] = []
  readonly #numbers = new Map<string, number>()
  readonly #nameOf: (item: Item) => string

  constructor(nameOf: (item: Item) => string) {
    this.#nameOf = nameOf
  }

  numberOf(item: Item): number {
    const name = this.#nameOf(item)
    const existing = this.#numbers.get(name)
    if (existing !== undefined) return existing
    this.#numbers.set(name, this.items.length)
    this.items.push(item)
    return this.items.length - 1
  }
}
