/** How often each kind of misbehaviour happened: a proof in which one did not happen at all proves nothing about it. */
export class Tally<Kind extends string> {
  readonly #counts: Map<Kind, number>

  constructor(kinds: readonly Kind[]) {
    this.#counts = new Map(kinds.map((kind) => [kind, 0]))
  }

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0
  }

  get missing(): Kind[] {
    return [...this.#counts].filter(([, count]) => count === 0).map(([kind]) => kind)
  }

  toString(): string {
    return [...this.#counts].map(([kind, count]) => `${kind} ${count}`).join(', ')
  }
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

export function oneOf<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}
