/** Counts how often each kind of fault occurred: a run without a fault of some kind proves nothing about it. */
export class Tally<Kind extends string> {
  readonly #counts: Map<Kind, number>

  constructor(kinds: readonly Kind[]) {
    this.#counts = new Map(kinds.map((kind) => [kind, 0]))
  }

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  count(kind: Kind): number {
    return this.#counts.get(kind) ?? 0
  }

  get missing(): Kind[] {
    return [...this.#counts].filter(([, count]) => count === 0).map(([kind]) => kind)
  }

  toString(): string {
    return [...this.#counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
  }
}

export function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

export function pickOne<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('cannot pick from an empty list')
  return item
}
