/**
 * A list that the API returns in pages. Awaited, it is one page. Iterated, it is every item of this page and of all that follow;
 * each page is requested when the iteration reaches it.
 */
export interface PagedList<Page, Item> extends Promise<Page>, AsyncIterable<Item> {}

interface PageContent<Item, Query> {
  items: readonly Item[]
  /** What the query of the next page differs in. Undefined: this is the last page. */
  next: Partial<Query> | undefined
}

export function createPagedList<Query extends object, Page, Item>(
  query: Query,
  load: (query: Query) => Promise<Page>,
  read: (page: Page, query: Query) => PageContent<Item, Query>,
): PagedList<Page, Item> {
  const first = load(query)
  async function* iterate(): AsyncGenerator<Item, void, undefined> {
    let page = await first
    for (let pageQuery = query; ; page = await load(pageQuery)) {
      const { items, next } = read(page, pageQuery)
      yield* items
      if (next === undefined) return
      pageQuery = { ...query, ...next }
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: iterate })
}

/** For the lists whose next page starts at a cursor. */
export const nextCursorQuery = ({ nextCursor }: { nextCursor: string | null }): { cursor: string } | undefined =>
  nextCursor === null ? undefined : { cursor: nextCursor }
